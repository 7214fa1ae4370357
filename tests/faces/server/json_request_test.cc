#include "faces/server/json_request.h"

#include <gtest/gtest.h>

#include <random>

namespace embd::server {
namespace {

struct Read {
  std::optional<Inputs> input;
  std::optional<std::string> model;
  std::optional<bool> truncate;
  std::optional<std::uint64_t> dimensions;
  std::optional<std::vector<std::string>> types;
  std::optional<InputVectors> vectors;
  std::optional<std::string> inner;
  bool has_inner = false;
  std::optional<Inputs> object_or_input;
  std::optional<std::vector<std::string>> strict;

  Answerable<void> operator()(std::string_view body, std::size_t max_inputs = 4) {
    const Field inner_fields[] = {{"inner", &inner}};
    const Field strict_fields[] = {{"list", &strict}};
    const Field fields[] = {
        {"input", &input},
        {"model", &model},
        {"truncate", &truncate},
        {"dimensions", &dimensions},
        {"types", &types},
        {"vectors", &vectors},
        {"both", &object_or_input},
        {"both", Object{.fields = inner_fields, .given = &has_inner}},
        {"strict", Object{.fields = strict_fields, .unknown = UnknownMembers::refused}}};
    return read_json_request(body, fields, max_inputs);
  }
};

Problem problem_of(std::string_view body) {
  Read read;
  const auto done = read(body);
  return done ? Problem::internal : done.error().problem;
}

TEST(JsonRequest, ATextAndAListOfTexts) {
  Read read;
  ASSERT_TRUE(read(R"({"input":"a","model":"m"})"));
  EXPECT_EQ(read.input->texts, std::vector<std::string>{"a"});
  EXPECT_TRUE(read.input->single);
  EXPECT_EQ(read.model, "m");
  Read list;
  ASSERT_TRUE(list(R"({"input":["a","é😀",""]})"));
  EXPECT_EQ(list.input->texts, (std::vector<std::string>{"a", "é😀", ""}));
  EXPECT_FALSE(list.input->single);
  Read escaped;
  ASSERT_TRUE(escaped(R"({"input":"\u00e9\ud83d\ude00\n"})"));
  EXPECT_EQ(escaped.input->texts[0], "é😀\n");
}

TEST(JsonRequest, TokenIdsOfOneTextAndOfSeveral) {
  Read one;
  ASSERT_TRUE(one(R"({"input":[1,2,3]})"));
  EXPECT_EQ(one.input->ids, (std::vector<std::vector<std::int32_t>>{{1, 2, 3}}));
  EXPECT_TRUE(one.input->single);
  Read two;
  ASSERT_TRUE(two(R"({"input":[[1],[2,3]]})"));
  EXPECT_EQ(two.input->ids, (std::vector<std::vector<std::int32_t>>{{1}, {2, 3}}));
  EXPECT_FALSE(two.input->single);
}

TEST(JsonRequest, EmptyIsNotAbsent) {
  Read empty;
  ASSERT_TRUE(empty(R"({"input":[],"types":[],"vectors":[],"both":{},"model":""})"));
  EXPECT_TRUE(empty.input && empty.input->size() == 0);
  EXPECT_TRUE(empty.types && empty.types->empty());
  EXPECT_TRUE(empty.vectors && empty.vectors->empty());
  EXPECT_TRUE(empty.has_inner && !empty.inner);
  EXPECT_EQ(empty.model, "");
  for (const char* body :
       {"{}", R"({"input":null,"types":null,"vectors":null,"both":null,"model":null})"}) {
    Read absent;
    ASSERT_TRUE(absent(body));
    EXPECT_FALSE(absent.input || absent.types || absent.vectors || absent.has_inner ||
                 absent.model);
  }
}

TEST(JsonRequest, RefusesUnknownMembersWhereTheyWouldChangeTheMeaning) {
  Read read;
  ASSERT_TRUE(read(R"({"strict":{"list":[]},"unknown":{"list":1}})"));
  EXPECT_TRUE(read.strict && read.strict->empty());
  for (const char* body : {R"({"strict":{"lists":["a"]}})", R"({"strict":{"list":[],"x":null}})"})
    EXPECT_EQ(problem_of(body), Problem::invalid) << body;
  Read misspelt;
  const auto done = misspelt(R"({"strict":{"lits":[]}})");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().param, "lits");
  EXPECT_EQ(done.error().message, R"(there is no field "lits" here, expected one of "list")");
  const Field no_fields[] = {{"k", &read.dimensions}};
  EXPECT_TRUE(read_json_request(R"({"x":1})", no_fields, 4));
  EXPECT_FALSE(read_json_request(R"({"x":1})", no_fields, 4, UnknownMembers::refused));
  // The client may have made the name as long as the body.
  std::string name = "a";
  for (int i = 0; i < 100'000; ++i) name += "é";
  const auto is_long =
      read_json_request("{\"" + name + "\":1}", no_fields, 4, UnknownMembers::refused);
  ASSERT_FALSE(is_long);
  EXPECT_EQ(is_long.error().param, name.substr(0, 63));
}

TEST(JsonRequest, OtherValues) {
  Read read;
  ASSERT_TRUE(read(
      R"({"truncate":false,"dimensions":384,"types":["x",7],"vectors":[[1,-2.5],[3]],"both":{"inner":"y"}})"));
  EXPECT_EQ(read.truncate, false);
  EXPECT_EQ(read.dimensions, 384);
  EXPECT_EQ(read.types, (std::vector<std::string>{"x", "7"}));
  EXPECT_EQ(read.vectors, (std::vector<std::vector<float>>{{1, -2.5}, {3}}));
  EXPECT_EQ(read.inner, "y");
  Read other;
  ASSERT_TRUE(other(R"({"vectors":[1,2],"both":["z"]})"));
  EXPECT_EQ(other.vectors, (std::vector<std::vector<float>>{{1, 2}}));
  EXPECT_EQ(other.object_or_input->texts[0], "z");
}

TEST(JsonRequest, NullIsAsGoodAsAbsentAndOthersAreSkipped) {
  Read read;
  ASSERT_TRUE(read(
      R"({"input":"a","model":null,"dimensions":null,"x":{"input":["b",{"c":[null]}]},"y":[[1]],"z":1e9})"));
  EXPECT_EQ(read.input->texts.size(), 1);
  EXPECT_FALSE(read.model);
}

TEST(JsonRequest, RefusesWhatIsNoJson) {
  for (const char* body : {"", " ", "{", "{\"input\":", "{\"input\":\"a\"", "{\"input\":\"a\"}}",
                           "{\"input\":\"a\"} x", "{input:1}", "{\"input\":NaN}", "{\"x\":01}",
                           "{\"input\":\"\xff\"}", "{\"input\":\"\\ud800\"}", "{\"input\":\"a\",}",
                           "{\"dimensions\":1e999}", "\xef\xbb", "{\"input\":\"\n\"}"})
    EXPECT_EQ(problem_of(body), Problem::bad_json) << body;
}

TEST(JsonRequest, SaysInPlainWordsThatANumberIsTooLarge) {
  Read read;
  const auto done = read(R"({"dimensions":1e999})");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "the body is not JSON: byte 19: a number is too large for a double");
}

TEST(JsonRequest, RefusesAnotherShape) {
  for (const char* body : {"[]",
                           "1",
                           "\"a\"",
                           "null",
                           "true",
                           R"({"input":1})",
                           R"({"input":true})",
                           R"({"input":{}})",
                           R"({"input":["a",1]})",
                           R"({"input":[1,"a"]})",
                           R"({"input":["a",["b"]]})",
                           R"({"input":[[1],2]})",
                           R"({"input":[1,[2]]})",
                           R"({"input":[["a"]]})",
                           R"({"input":[[[1]]]})",
                           R"({"input":[null]})",
                           R"({"input":[{}]})",
                           R"({"input":[1.5]})",
                           R"({"input":[-1]})",
                           R"({"input":[4294967296]})",
                           R"({"model":1})",
                           R"({"model":["m"]})",
                           R"({"truncate":"yes"})",
                           R"({"truncate":1})",
                           R"({"dimensions":-1})",
                           R"({"dimensions":1.5})",
                           R"({"dimensions":"1"})",
                           R"({"types":"x"})",
                           R"({"types":[[]]})",
                           R"({"vectors":[1,[2]]})",
                           R"({"vectors":[[1],2]})",
                           R"({"vectors":["a"]})",
                           R"({"vectors":[[1e300]]})",
                           R"({"both":1})",
                           R"({"both":{"inner":1}})"})
    EXPECT_EQ(problem_of(body), Problem::invalid) << body;
}

TEST(JsonRequest, RefusesAFieldThatIsThereTwice) {
  EXPECT_EQ(problem_of(R"({"input":"a","input":"b"})"), Problem::invalid);
}

TEST(JsonRequest, NamesTheField) {
  Read read;
  const auto done = read(R"({"dimensions":"x"})");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().param, "dimensions");
  EXPECT_NE(done.error().message.find("\"dimensions\" must be"), std::string::npos);
}

TEST(JsonRequest, RefusesMoreInputsThanTheLimit) {
  for (const char* body : {R"({"input":["a","b","c","d","e"]})", R"({"input":[[],[],[],[],[]]})",
                           R"({"types":["a","b","c","d","e"]})", R"({"vectors":[[],[],[],[],[]]})"})
    EXPECT_EQ(problem_of(body), Problem::too_many_inputs) << body;
}

TEST(JsonRequest, RefusesDeepNestingWithoutRecursion) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(problem_of("{\"x\":" + deep), Problem::bad_json);
  std::string objects = "{\"x\":";
  for (int i = 0; i < 100'000; ++i) objects += "{\"x\":";
  EXPECT_EQ(problem_of(objects), Problem::bad_json);
}

TEST(JsonRequest, AMessageDoesNotRepeatTheText) {
  Read read;
  const auto done = read(R"({"input":"secret words", )");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message.find("secret"), std::string::npos) << done.error().message;
}

TEST(JsonRequest, MutationsAreReadOrRefused) {
  const std::string good =
      R"({"input":["a","b"],"model":"m","dimensions":3,"types":["x"],"vectors":[[1,2]],"both":{"inner":"i"}})";
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string body = good;
    for (std::size_t edits = 1 + below(3); edits > 0 && !body.empty(); --edits) {
      const std::size_t at = below(body.size());
      switch (below(4)) {
        case 0:
          body[at] = static_cast<char>(random());
          break;
        case 1:
          body.erase(at, 1 + below(4));
          break;
        case 2:
          body.insert(at, good.substr(below(good.size()), below(12)));
          break;
        default:
          body.resize(at + 1);
      }
    }
    Read read;
    const auto done = read(body);
    if (!done) {
      ++refused;
      EXPECT_FALSE(done.error().message.empty());
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace embd::server
