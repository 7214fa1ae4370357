#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "base/path_text.h"
#include "formats/vectors/formats.h"
#include "tests/support/temporary_directory.h"

namespace embd::jsonl {
namespace {

class JsonlTest : public test::TemporaryDirectory {
 protected:
  Result<std::unique_ptr<VectorReader>> open(const std::string& lines) {
    std::ofstream(path("in.jsonl"), std::ios::binary) << lines;
    return format.open(path("in.jsonl"), {});
  }
  /// Every row and id of a file with these lines read; what that is refused with.
  std::optional<Error> refusal(const std::string& lines) {
    const auto reader = open(lines);
    if (!reader) return reader.error();
    const auto verified = (*reader)->verify();
    return verified ? std::nullopt : std::optional(verified.error());
  }
  std::string written(MatrixView rows, const Ids& ids) {
    auto writer = format.create(path("out.jsonl"), rows.cols(), {}).value();
    EXPECT_TRUE(writer->append(rows, ids));
    EXPECT_TRUE(writer->finish());
    std::ostringstream text;
    text << std::ifstream(path("out.jsonl"), std::ios::binary).rdbuf();
    return text.str();
  }
};

TEST_F(JsonlTest, WritesTheShortestDecimals) {
  const std::vector<float> row = {0.1F, -0.0F, 1, 1e-45F, 3.4028235e38F, 16777216};
  EXPECT_EQ(written({row.data(), 1, 6}, {}),
            "{\"id\":0,\"embedding\":[0.1,-0,1,1e-45,3.4028235e+38,16777216]}\n");
}

TEST_F(JsonlTest, WritesIdsOfBothKinds) {
  const std::vector<float> rows = {1, 2};
  EXPECT_EQ(written({rows.data(), 2, 1}, std::vector<std::uint64_t>{7, ~0ULL}),
            "{\"id\":7,\"embedding\":[1]}\n{\"id\":18446744073709551615,\"embedding\":[2]}\n");
  EXPECT_EQ(written({rows.data(), 2, 1}, std::vector<std::string>{"a\"b\\\n", "é"}),
            "{\"id\":\"a\\\"b\\\\\\n\",\"embedding\":[1]}\n"
            "{\"id\":\"é\",\"embedding\":[2]}\n");
}

TEST_F(JsonlTest, EveryFloatComesBack) {
  std::mt19937 random(1);
  std::vector<float> values;
  while (values.size() < 20000) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(value)) values.push_back(value);
  }
  written({values.data(), values.size() / 10, 10}, {});
  const auto reader = format.open(path("out.jsonl"), {}).value();
  std::vector<float> back(values.size());
  ASSERT_TRUE(reader->read(0, values.size() / 10, back));
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(back[i]), std::bit_cast<std::uint32_t>(values[i]));
}

TEST_F(JsonlTest, RoundsDigitsToFloatOnce) {
  // Just above the middle of 1 and the next float: as a double it is the middle, which would round
  // down to 1.
  const auto reader = open(R"({"embedding":[1.00000005960464477539062500000001]})").value();
  float value = 0;
  ASSERT_TRUE(reader->read(0, 1, {&value, 1}));
  EXPECT_EQ(value, std::nextafter(1.0F, 2.0F));
}

TEST_F(JsonlTest, ReadsWhatOthersWrite) {
  const auto reader =
      open(
          "{\"text\": {\"embedding\": [9], \"id\": null}, \"embedding\": [ 1, -2.5e0 ],"
          " \"id\": \"\\u00e9\\ud83d\\ude00\"}\r\n{\"id\":\"\",\"embedding\":[1e-400,3]}")
          .value();
  EXPECT_EQ(reader->info().num_rows, 2U);
  EXPECT_EQ(reader->info().dim, 2U);
  EXPECT_EQ(reader->ids().value(), Ids(std::vector<std::string>{"é😀", ""}));
  std::vector<float> values(4);
  ASSERT_TRUE(reader->read(0, 2, values));
  EXPECT_EQ(values, (std::vector<float>{1, -2.5, 0, 3}));
}

TEST_F(JsonlTest, LinesNeedNoIds) {
  EXPECT_EQ(open("{\"embedding\":[1]}\n").value()->ids().value(), Ids());
}

TEST_F(JsonlTest, RefusesMalformedLinesWithTheirNumber) {
  const std::string good = "{\"id\":1,\"embedding\":[1,2]}\n";
  const std::pair<std::string, ErrorCode> cases[] = {
      {"", ErrorCode::bad_json},
      {"{\"id\":1,\"embedding\":[1,2]", ErrorCode::bad_json},
      {"{\"id\":1,\"embedding\":[1,2]} x", ErrorCode::bad_json},
      {"{\"id\":1,\"embedding\":[1,NaN]}", ErrorCode::bad_json},
      {"{\"id\":1,\"embedding\":[1,\"\xff\"]}", ErrorCode::bad_json},
      {"[1,2]", ErrorCode::bad_type},
      {"7", ErrorCode::bad_type},
      {"{\"id\":1}", ErrorCode::missing},
      {"{\"embedding\":[1,2]}", ErrorCode::bad_type},
      {"{\"id\":\"1\",\"embedding\":[1,2]}", ErrorCode::bad_type},
      {"{\"id\":-1,\"embedding\":[1,2]}", ErrorCode::bad_type},
      {"{\"id\":1.5,\"embedding\":[1,2]}", ErrorCode::bad_type},
      {"{\"id\":[1],\"embedding\":[1,2]}", ErrorCode::bad_type},
      {"{\"id\":1,\"embedding\":7}", ErrorCode::bad_type},
      {"{\"id\":1,\"embedding\":{}}", ErrorCode::bad_type},
      {"{\"id\":1,\"embedding\":[1,[2]]}", ErrorCode::bad_type},
      {"{\"id\":1,\"embedding\":[1,null]}", ErrorCode::bad_type},
      {"{\"id\":1,\"embedding\":[1,1e39]}", ErrorCode::bad_value},
      {"{\"id\":1,\"embedding\":[1]}", ErrorCode::bad_count},
      {"{\"id\":1,\"embedding\":[1,2,3]}", ErrorCode::bad_count},
      {"{\"id\":1,\"embedding\":[1,2],\"embedding\":[1,2]}", ErrorCode::duplicate},
      {"{\"id\":1,\"id\":1,\"embedding\":[1,2]}", ErrorCode::duplicate},
  };
  for (const auto& [line, code] : cases) {
    const auto error = refusal(good + line + "\n");
    ASSERT_TRUE(error) << line;
    EXPECT_EQ(error->code(), code) << error->message();
    EXPECT_EQ(error->line(), 2U) << line;
    EXPECT_EQ(error->file(), text_of_path(path("in.jsonl")));
  }
  EXPECT_EQ(refusal("{\"embedding\":[]}\n")->code(), ErrorCode::bad_count);
}

TEST_F(JsonlTest, ZeroKeepsItsSign) {
  const std::vector<float> row = {-0.0F, 0.0F};
  written({row.data(), 1, 2}, {});
  std::vector<float> read(2);
  ASSERT_TRUE(format.open(path("out.jsonl"), {}).value()->read(0, 1, read));
  EXPECT_TRUE(std::signbit(read[0]));
  EXPECT_FALSE(std::signbit(read[1]));
}

TEST_F(JsonlTest, AFileWithoutLinesHasNoRowsAndNoDimension) {
  const auto reader = open("").value();
  EXPECT_EQ(reader->info().num_rows, 0U);
  EXPECT_EQ(reader->info().dim, 0U);
  EXPECT_TRUE(reader->read(0, 0, {}));
  EXPECT_TRUE(reader->verify());
}

TEST_F(JsonlTest, RefusesToWriteWhatJsonCannotSay) {
  auto writer = format.create(path("out.jsonl"), 1, {}).value();
  const float value = 1;
  EXPECT_EQ(writer->append({&value, 1, 1}, std::vector<std::string>{"é\xff"}).error().code(),
            ErrorCode::invalid_utf8);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(writer->append({&nan, 1, 1}, {}).error().code(), ErrorCode::bad_value);
}

}  // namespace
}  // namespace embd::jsonl
