// The routes without sockets: request in, response out.
#include "faces/server/service.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace embd::server {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::vector<float>>;

Model open_model(const char* file = "plain.weights", Compute compute = Compute::f32) {
  return Model::open(std::filesystem::path(EMBD_TEST_DATA) / "embd" / file, {.compute = compute})
      .value();
}

/// One model, with further names.
Models only_model(const std::vector<std::string>& names = {}) {
  Models models;
  EXPECT_TRUE(models.add(open_model()));
  EXPECT_TRUE(models.add_names(names));
  return models;
}

struct Answer {
  int status;
  std::string body;
  Headers headers;
  Json json() const { return Json::parse(body); }
};

class ServiceTest : public testing::Test {
 protected:
  explicit ServiceTest(ServiceOptions options = {.workers = 2, .cache_bytes = 1 << 20},
                       Models models = only_model())
      : service(std::move(models), std::move(options)) {}

  Answer ask(const std::string& method, const std::string& path, std::string body = {},
             const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    Request request = {{.method = method, .path = path}, std::move(body)};
    if (method == "POST") request.head.headers.add("Content-Type", "application/json");
    for (const auto& [name, value] : headers) request.head.headers.add(name, value);
    const auto match = service.match(request.head);
    if (const auto failure = service.screen(match, request.head)) {
      const Response refused = service.refusal(match, *failure, Clock::now());
      return {refused.status, refused.joined_body(), refused.headers};
    }
    std::promise<Answer> promise;
    auto answer = promise.get_future();
    service.handle(match, std::move(request), {}, Clock::now(), [&](Response response) {
      promise.set_value({response.status, response.joined_body(), response.headers});
    });
    return answer.get();
  }
  Answer post(const std::string& path, const Json& body) { return ask("POST", path, body.dump()); }
  const Model& model() const { return service.models().first().model; }
  ModelCounters& counters() { return service.metrics().model(model().name()); }
  std::vector<float> encode(const std::string& text) { return model().encode(text).value(); }

  Service service;
};

std::vector<float> from_base64(const std::string& text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned value = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    value = value << 6 | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(value >> bits & 255);
    }
  }
  std::vector<float> floats(bytes.size() / 4);
  std::memcpy(floats.data(), bytes.data(), floats.size() * 4);
  return floats;
}

TEST_F(ServiceTest, OpenAiEmbeddingsAreTheModels) {
  const auto answer = post("/v1/embeddings", {{"model", "m"}, {"input", {"a cat", "two dogs"}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json json = answer.json();
  EXPECT_EQ(json["object"], "list");
  EXPECT_EQ(json["model"], model().name());
  ASSERT_EQ(json["data"].size(), 2);
  EXPECT_EQ(json["data"][0]["object"], "embedding");
  EXPECT_EQ(json["data"][1]["index"], 1);
  EXPECT_EQ(json["data"][0]["embedding"].get<std::vector<float>>(), encode("a cat"));
  EXPECT_EQ(json["data"][1]["embedding"].get<std::vector<float>>(), encode("two dogs"));
  const auto tokens =
      model().tokenize("a cat")->ids.size() + model().tokenize("two dogs")->ids.size();
  EXPECT_EQ(json["usage"]["prompt_tokens"], tokens);
  EXPECT_EQ(json["usage"]["total_tokens"], tokens);
}

TEST_F(ServiceTest, EqualRequestsForEmbeddingsHaveEqualAnswersAndOtherIds) {
  const Json body = {{"model", "m"}, {"input", {"a cat", "two dogs"}}};
  const std::string id = post("/v1/embeddings", body).json()["id"];
  EXPECT_TRUE(id.starts_with("embd-"));
  EXPECT_EQ(post("/v1/embeddings", body).body, post("/v1/embeddings", body).body);
  EXPECT_EQ(post("/v1/embeddings", body).json()["id"], id);
  EXPECT_NE(post("/v1/embeddings", {{"model", "m"}, {"input", "a cat"}}).json()["id"], id);
}

TEST_F(ServiceTest, TheDescriptionHasEveryRouteAndOnlySchemasThatThereAre) {
  const Json description = ask("GET", "/openapi.json").json();
  std::size_t described = 0;
  for (const auto& path : description["paths"]) {
    described += path.size();
    for (const auto& route : path) EXPECT_GT(route["summary"].get<std::string>().size(), 5U);
  }
  EXPECT_EQ(described, service.routes().size());
  const std::string text = description.dump();
  const std::string reference = R"("$ref":"#)";
  std::size_t references = 0;
  for (std::size_t at = text.find(reference); at != std::string::npos;
       at = text.find(reference, at + 1)) {
    const std::size_t first = at + reference.size();
    const Json::json_pointer place(text.substr(first, text.find('"', first) - first));
    EXPECT_TRUE(description.contains(place)) << place.to_string();
    ++references;
  }
  EXPECT_GT(references, 100U);
}

/// A value of a shape that no field takes, beside a route's schema: each field that the schema has
/// is refused by its name, so the handler reads it. Some are ignored.
TEST_F(ServiceTest, EveryFieldOfTheDescriptionIsRead) {
  const std::set<std::string> ignored = {"user", "keep_alive", "options", "stream", "verbose"};
  const Json description = ask("GET", "/openapi.json").json();
  const Json wrong = Json::parse("[[[{}]]]");
  std::size_t fields = 0;
  for (const Route& route : service.routes()) {
    if (route.request.empty() || route.path.find('*') != std::string_view::npos) continue;
    const Json& schema = description["components"]["schemas"][std::string(route.request)];
    if (!schema.contains("properties")) continue;  // one of several
    for (const auto& [name, described] : schema["properties"].items()) {
      if (ignored.contains(name)) continue;
      const Answer answer = ask("POST", std::string(route.path), Json{{name, wrong}}.dump());
      if (answer.status == 424) break;  // a route that this server's model does not have
      EXPECT_GE(answer.status, 400) << route.path << " " << name;
      EXPECT_NE(answer.body.find(name), std::string::npos) << route.path << ": " << answer.body;
      ++fields;
    }
  }
  EXPECT_GT(fields, 60U);
}

TEST_F(ServiceTest, Base64HasTheBytesOfTheFloats) {
  const auto answer =
      post("/v1/embeddings", {{"model", "m"}, {"input", "a cat"}, {"encoding_format", "base64"}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(from_base64(answer.json()["data"][0]["embedding"]), encode("a cat"));
}

TEST_F(ServiceTest, ACachedVectorIsTheSame) {
  const Json body = {{"input", "a cat"}};
  const auto first = post("/v1/embeddings", body);
  const auto second = post("/v1/embeddings", body);
  EXPECT_EQ(first.body, second.body);
  EXPECT_EQ(service.metrics().cache_hits.value(), 1);
  EXPECT_EQ(service.metrics().cache_misses.value(), 1);
  // Other options, another vector.
  const auto cut = post("/v1/embeddings", {{"input", "a cat"}, {"dimensions", 2}});
  EXPECT_EQ(cut.json()["data"][0]["embedding"].size(), 2);
}

TEST_F(ServiceTest, ManyTextsComeInOrder) {
  Json texts = Json::array();
  for (int i = 0; i < 300; ++i) texts.push_back("cat " + std::to_string(i % 97));
  const auto answer = post("/embed", {{"inputs", texts}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json rows = answer.json();
  ASSERT_EQ(rows.size(), 300);
  for (int i : {0, 1, 96, 97, 150, 299})
    EXPECT_EQ(rows[i].get<std::vector<float>>(), encode(texts[i])) << i;
}

TEST_F(ServiceTest, TruncationIsReportedOrRefused) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "cat ";
  const auto cut = post("/v1/embeddings", {{"input", {"a", text}}});
  ASSERT_EQ(cut.status, 200) << cut.body;
  EXPECT_EQ(cut.json()["truncated"], Json::array({1}));
  EXPECT_EQ(cut.headers.get("x-embd-truncated"), "1");
  EXPECT_EQ(counters().truncated_texts.value(), 1);
  EXPECT_EQ(post("/v1/embeddings", {{"input", text}, {"truncate", false}}).status, 400);
  EXPECT_EQ(post("/embed", {{"inputs", text}, {"truncate", false}}).status, 422);
  EXPECT_EQ(post("/api/embed", {{"model", "m"}, {"input", text}, {"truncate", false}}).status, 400);
  EXPECT_EQ(post("/v2/embed", {{"model", "m"}, {"texts", {text}}, {"truncate", "NONE"}}).status,
            400);
}

TEST_F(ServiceTest, OpenAiErrorsHaveAllFourKeys) {
  const auto check = [&](const Answer& answer, int status, const Json& param) {
    EXPECT_EQ(answer.status, status);
    const Json error = answer.json()["error"];
    EXPECT_TRUE(error["message"].is_string());
    EXPECT_TRUE(error["type"].is_string());
    EXPECT_TRUE(error.contains("code"));
    EXPECT_EQ(error["param"], param);
  };
  check(ask("POST", "/v1/embeddings", "{"), 400, nullptr);
  check(post("/v1/embeddings", {{"model", "m"}}), 400, "input");
  check(post("/v1/embeddings", {{"input", ""}}), 400, "input");
  check(post("/v1/embeddings", {{"input", Json::array()}}), 400, "input");
  check(post("/v1/embeddings", {{"input", {1, 2, 3}}}), 400, "input");
  check(post("/v1/embeddings", {{"input", "a"}, {"encoding_format", "hex"}}), 400,
        "encoding_format");
  check(post("/v1/embeddings", {{"input", "a"}, {"dimensions", 0}}), 400, "dimensions");
  check(post("/v1/embeddings", {{"input", "a"}, {"dimensions", 100'000}}), 400, "dimensions");
  check(ask("GET", "/v1/models/none"), 404, "model");
  check(ask("GET", "/v1/nothing"), 404, nullptr);
}

TEST_F(ServiceTest, TokenIdsOfAnotherVocabularyAreExplained) {
  const auto answer = post("/v1/embeddings", {{"input", {{100255, 17}}}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(answer.body.find("check_embedding_ctx_length"), std::string::npos);
}

TEST_F(ServiceTest, OwnTokenIdsAreAsGoodAsTheText) {
  const auto ids = model().tokenize("a cat")->ids;
  EXPECT_EQ(post("/v1/embeddings", {{"input", {ids}}})
                .json()["data"][0]["embedding"]
                .get<std::vector<float>>(),
            encode("a cat"));
  EXPECT_EQ(post("/embed", {{"inputs", ids}}).json().get<Rows>(), Rows{encode("a cat")});
  EXPECT_EQ(post("/embed", {{"inputs", {1 << 30}}}).status, 422);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "cat ";
  const auto all = model().tokenize(text, {.max_length = 0})->ids;
  EXPECT_EQ(post("/embed", {{"inputs", {all}}}).body, post("/embed", {{"inputs", text}}).body);
  EXPECT_EQ(post("/embed", {{"inputs", {all}}, {"truncate", false}}).status, 422);
}

TEST_F(ServiceTest, PromptsAndTheSideOfTheCut) {
  EXPECT_EQ(post("/embed", {{"inputs", "a cat"}, {"prompt_name", "query"}}).status, 200);
  std::string text = "dog ";
  for (int i = 0; i < 2000; ++i) text += "cat ";
  const auto left = post("/embed", {{"inputs", text}, {"truncation_direction", "Left"}});
  const auto right = post("/embed", {{"inputs", text}, {"truncation_direction", "Right"}});
  EXPECT_NE(left.body, right.body);
  EXPECT_EQ(right.body, post("/embed", {{"inputs", text}}).body);
  EXPECT_EQ(post("/embed", {{"inputs", text}, {"truncation_direction", "Up"}}).status, 422);
}

TEST_F(ServiceTest, TeiForms) {
  const auto one = post("/embed", {{"inputs", "a cat"}});
  EXPECT_EQ(one.json().get<Rows>(), Rows{encode("a cat")});
  EXPECT_FALSE(one.headers.get("x-compute-tokens").empty());
  EXPECT_EQ(post("/", {{"inputs", "a cat"}}).body, one.body);
  EXPECT_EQ(post("/invocations", {{"inputs", {"a cat"}}}).body, one.body);
  const auto empty = post("/embed", {{"inputs", Json::array()}});
  EXPECT_EQ(empty.status, 400);
  EXPECT_EQ(empty.json()["error_type"], "Empty");
  const auto wrong = post("/embed", {{"inputs", 1}});
  EXPECT_EQ(wrong.status, 422);
  EXPECT_EQ(wrong.json()["error_type"], "Validation");
  EXPECT_EQ(post("/embed", {{"inputs", "a"}, {"prompt_name", "none"}}).status, 422);
  EXPECT_EQ(post("/rerank", {{"query", "a"}, {"texts", {"b"}}}).status, 424);
}

TEST_F(ServiceTest, TeiSimilarity) {
  const Json inputs = {{"source_sentence", "a cat"}, {"sentences", {"a cat", "two dogs"}}};
  const auto answer = post("/similarity", {{"inputs", inputs}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto cosines = answer.json().get<std::vector<float>>();
  ASSERT_EQ(cosines.size(), 2);
  EXPECT_NEAR(cosines[0], 1, 1e-5);
  EXPECT_LT(cosines[1], 0.9999);
  EXPECT_EQ(post("/", {{"inputs", inputs}}).body, answer.body);
}

TEST_F(ServiceTest, TeiEmbedAllHasARowAToken) {
  const auto answer = post("/embed_all", {{"inputs", {"a cat", "dogs"}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json json = answer.json();
  ASSERT_EQ(json.size(), 2);
  const Matrix rows = model().encode_tokens("a cat").value();
  ASSERT_EQ(json[0].size(), rows.rows());
  EXPECT_EQ(json[0][1].get<std::vector<float>>(),
            std::vector<float>(rows.row(1).begin(), rows.row(1).end()));
}

TEST_F(ServiceTest, TeiTokenizeAndDecode) {
  const auto tokens = post("/tokenize", {{"inputs", "a cat"}}).json();
  const auto ids = model().tokenize("a cat")->ids;
  ASSERT_EQ(tokens.size(), 1);
  ASSERT_EQ(tokens[0].size(), ids.size());
  EXPECT_TRUE(tokens[0][0]["special"]);
  EXPECT_TRUE(tokens[0][0]["start"].is_null());
  EXPECT_FALSE(tokens[0][1]["special"]);
  EXPECT_EQ(tokens[0][1]["text"], "a");
  EXPECT_EQ(tokens[0][1]["start"], 0);
  EXPECT_EQ(tokens[0][1]["stop"], 1);
  EXPECT_EQ(
      post("/tokenize", {{"inputs", "a cat"}, {"add_special_tokens", false}}).json()[0].size(),
      ids.size() - 2);
  EXPECT_EQ(post("/decode", {{"ids", ids}}).json(), Json::array({"a cat"}));
  EXPECT_EQ(post("/decode", {{"ids", {1 << 30}}}).status, 422);
}

TEST_F(ServiceTest, DecodingTakesTimeInProportionToItsIds) {
  const auto dot = model().tokenize(".")->ids[1];
  const std::vector<std::int32_t> ids(service.limits().request_tokens, dot);
  const auto answer = post("/decode", {{"ids", ids}});
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json()[0], std::string(ids.size(), '.'));
}

TEST_F(ServiceTest, ACompressedBodyIsRefused) {
  const auto answer = ask("POST", "/embed", R"({"inputs":"a"})", {{"Content-Encoding", "gzip"}});
  EXPECT_EQ(answer.status, 415);
  EXPECT_NE(answer.body.find("Content-Encoding"), std::string::npos);
}

TEST_F(ServiceTest, OllamaForms) {
  const auto answer = post(
      "/api/embed", {{"model", "x"}, {"input", {"a cat", "dogs"}}, {"options", {{"y", nullptr}}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json json = answer.json();
  EXPECT_EQ(json["model"], "x");
  EXPECT_EQ(json["embeddings"][0].get<std::vector<float>>(), encode("a cat"));
  EXPECT_TRUE(json["total_duration"].is_number_integer());
  EXPECT_GT(json["prompt_eval_count"], 0);
  EXPECT_EQ(post("/api/embed", {{"model", "x"}}).json()["embeddings"], Json::array());
  EXPECT_EQ(post("/api/embed", {{"model", "x"}, {"input", ""}}).json()["embeddings"],
            Json::array());
  EXPECT_EQ(post("/api/embeddings", {{"model", "x"}, {"prompt", "a cat"}})
                .json()["embedding"]
                .get<std::vector<float>>(),
            encode("a cat"));
  const auto wrong = post("/api/embed", {{"input", "a"}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_TRUE(wrong.json()["error"].is_string());
  EXPECT_EQ(ask("GET", "/api/tags").json()["models"][0]["name"], model().name());
  EXPECT_TRUE(ask("GET", "/api/version").json()["version"].is_string());
}

TEST_F(ServiceTest, CohereForms) {
  const auto answer = post("/v2/embed", {{"model", "x"},
                                         {"texts", {"a cat", "dogs"}},
                                         {"input_type", "search_query"},
                                         {"embedding_types", {"float", "base64", "ubinary"}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json json = answer.json();
  EXPECT_EQ(json["embeddings"]["float"][0].get<std::vector<float>>(), encode("a cat"));
  EXPECT_EQ(from_base64(json["embeddings"]["base64"][1]), encode("dogs"));
  const auto row = encode("a cat");
  unsigned first = 0;
  for (std::size_t i = 0; i < 8; ++i) first |= static_cast<unsigned>(row[i] > 0) << (7 - i);
  EXPECT_EQ(json["embeddings"]["ubinary"][0][0], first);
  EXPECT_EQ(json["texts"], Json::array({"a cat", "dogs"}));
  const auto old = post("/v1/embed", {{"model", "x"}, {"texts", {"a cat"}}}).json();
  EXPECT_EQ(old["embeddings"][0].get<std::vector<float>>(), row);
  const auto wrong = post("/v2/embed", {{"texts", Json::array()}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_TRUE(wrong.json()["message"].is_string());
}

TEST_F(ServiceTest, CohereHasFurtherTypesAndForms) {
  const auto row = encode("a cat");
  const auto length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
  const Json answer =
      post("/v2/embed",
           {{"texts", {"a cat"}}, {"embedding_types", {"int8", "uint8", "binary", "ubinary"}}})
          .json()["embeddings"];
  ASSERT_EQ(answer["int8"][0].size(), row.size());
  ASSERT_EQ(answer["binary"][0].size(), (row.size() + 7) / 8);
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(answer["int8"][0][i].get<int>(), static_cast<int>(row[i] / length * 127)) << i;
    EXPECT_EQ(answer["uint8"][0][i].get<int>(), answer["int8"][0][i].get<int>() + 128);
  }
  for (std::size_t i = 0; i < answer["binary"][0].size(); ++i)
    EXPECT_EQ(answer["ubinary"][0][i].get<int>(), answer["binary"][0][i].get<int>() + 128);

  const auto part = [](const std::string& text) {
    return Json{{"content", {{{"type", "text"}, {"text", text}}}}};
  };
  const auto inputs = post("/v2/embed", {{"inputs", {part("a cat"), part("dogs")}}});
  ASSERT_EQ(inputs.status, 200) << inputs.body;
  EXPECT_EQ(inputs.json()["embeddings"],
            post("/v2/embed", {{"texts", {"a cat", "dogs"}}}).json()["embeddings"]);
  EXPECT_EQ(inputs.json()["texts"], Json::array({"a cat", "dogs"}));

  std::string text;
  for (int i = 0; i < 20; ++i) text += "cat ";
  const auto cut = post("/v2/embed", {{"texts", {text}}, {"max_tokens", 8}});
  EXPECT_EQ(cut.json()["truncated"], Json::array({0}));
  EXPECT_EQ(cut.json()["embeddings"]["float"][0].get<std::vector<float>>(),
            model().encode(text, {.max_length = 8}).value());
}

TEST_F(ServiceTest, CohereIsToldWhatCannotBeDone) {
  const Json image = {{"type", "image_url"}, {"image_url", {{"url", "data:"}}}};
  const Json text = {{"type", "text"}, {"text", "a"}};
  const std::pair<const char*, Json> refused[] = {
      {"images", {{"images", {"data:image/png;base64,"}}}},
      {"image_url", {{"inputs", {{{"content", {image}}}}}}},
      {"content", {{"inputs", {{{"content", {text, text}}}}}}},
      {"content", {{"inputs", {{{"content", Json::array()}}}}}},
      {"inputs", {{"inputs", {"a"}}}},
      {"inputs", {{"inputs", {{{"content", {text}}}}}, {"texts", {"a"}}}},
      {"input_type", {{"texts", {"a"}}, {"input_type", "image"}}},
      {"embedding_types", {{"texts", {"a"}}, {"embedding_types", {"float", "int4"}}}},
      {"max_tokens", {{"texts", {"a"}}, {"max_tokens", 0}}},
      {"priority", {{"texts", {"a"}}, {"priority", 2}}},
  };
  for (const auto& [name, body] : refused) {
    const auto answer = post("/v2/embed", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_NE(answer.json()["message"].get<std::string>().find(name), std::string::npos)
        << answer.body;
  }
}

TEST_F(ServiceTest, VoyageAndJinaGetWhatTheyAskFor) {
  const auto vector = [&](Json body) {
    body["input"] = "a cat";
    const auto answer = post("/v1/embeddings", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json()["data"][0]["embedding"];
  };
  const Json plain = vector(Json::object());
  const Json cohere =
      post("/v2/embed",
           {{"texts", {"a cat"}}, {"embedding_types", {"int8", "uint8", "binary", "ubinary"}}})
          .json()["embeddings"];
  for (const char* type : {"int8", "uint8", "binary", "ubinary"}) {
    EXPECT_EQ(vector({{"output_dtype", type}}), cohere[type][0]) << type;
    EXPECT_EQ(vector({{"embedding_type", type}}), cohere[type][0]) << type;
  }
  EXPECT_EQ(vector({{"embedding_type", {"float"}}}), plain);
  const auto bytes = vector({{"output_dtype", "int8"}, {"encoding_format", "base64"}});
  EXPECT_EQ(bytes.get<std::string>().size(), (plain.size() + 2) / 3 * 4);
  EXPECT_EQ(from_base64(vector({{"embedding_type", "base64"}})), encode("a cat"));
  EXPECT_EQ(vector({{"output_dimension", 8}}), vector({{"dimensions", 8}}));
  EXPECT_EQ(vector({{"normalized", false}}).get<std::vector<float>>(),
            model().encode("a cat", {.normalize = false}).value());
  for (const Json& same :
       {Json{{"user", "me"}}, Json{{"late_chunking", false}}, Json{{"input_type", "query"}},
        Json{{"task", "text-matching"}}, Json{{"truncation", true}}, Json{{"modality", "text"}}})
    EXPECT_EQ(vector(same), plain) << same;
}

TEST_F(ServiceTest, VoyageAndJinaAreToldWhatCannotBeDone) {
  const std::pair<const char*, Json> refused[] = {
      {"late_chunking", true},
      {"return_multivector", true},
      {"task", "code.query"},
      {"input_type", "image"},
      {"output_dtype", "int4"},
      {"output_dimension", 100'000},
      {"embedding_type", {"float", "binary"}},
      {"embedding_type", "binary_int4"},
      {"modality", "audio"},
      {"normalized", "yes"},
  };
  for (const auto& [name, value] : refused) {
    const auto answer = post("/v1/embeddings", {{"input", "a"}, {name, value}});
    EXPECT_EQ(answer.status, 400) << name;
    EXPECT_EQ(answer.json()["error"]["param"], name) << answer.body;
  }
  EXPECT_EQ(post("/v1/embeddings", {{"input", "a"}, {"dimensions", 4}, {"output_dimension", 8}})
                .json()["error"]["param"],
            "output_dimension");
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "cat ";
  EXPECT_EQ(post("/v1/embeddings", {{"input", text}, {"truncation", false}}).status, 400);
  const auto ids = model().tokenize("a cat")->ids;
  EXPECT_EQ(post("/v1/embeddings", {{"input", {ids}}, {"input_type", "query"}}).status, 400);
}

TEST_F(ServiceTest, AzuresPathNamesTheModel) {
  const auto answer = post("/openai/deployments/any%20name/embeddings", {{"input", "a cat"}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body, post("/v1/embeddings", {{"input", "a cat"}}).body);
  EXPECT_EQ(post("/openai/deployments//embeddings", {{"input", "a"}}).status, 404);
  const auto other = post("/openai/deployments/m/chat/completions", Json::object());
  EXPECT_EQ(other.status, 404);
  EXPECT_TRUE(other.json()["error"]["message"].is_string());
}

TEST_F(ServiceTest, OllamaLooksUpModels) {
  const Json shown = post("/api/show", {{"model", "any"}}).json();
  const ModelSize size = model().size();
  EXPECT_EQ(shown["capabilities"], Json::array({"embedding"}));
  EXPECT_EQ(shown["model_info"]["bert.embedding_length"], model().dim());
  EXPECT_EQ(shown["model_info"]["bert.context_length"], model().max_length());
  EXPECT_EQ(shown["model_info"]["bert.block_count"], 2);
  EXPECT_EQ(shown["model_info"]["general.parameter_count"], size.parameters);
  EXPECT_TRUE(shown["model_info"]["tokenizer.ggml.tokens"].is_null());
  const Json all = post("/api/show", {{"name", "any"}, {"verbose", true}}).json();
  EXPECT_EQ(all["model_info"]["tokenizer.ggml.tokens"].size(), model().vocab_size());
  const Json running = ask("GET", "/api/ps").json()["models"];
  ASSERT_EQ(running.size(), 1);
  EXPECT_EQ(running[0]["name"], model().name());
  EXPECT_EQ(running[0]["size"], size.file_bytes);
  EXPECT_GT(size.file_bytes, 100'000);
  EXPECT_EQ(ask("GET", "/api/tags").json()["models"][0]["size"], size.file_bytes);
  const auto pulled = post("/api/pull", {{"model", "any"}});
  EXPECT_EQ(pulled.body, "{\"status\":\"pulling manifest\"}\n{\"status\":\"success\"}\n");
  EXPECT_EQ(post("/api/pull", {{"model", "any"}, {"stream", false}}).body,
            R"({"status":"success"})");
  for (const char* path : {"/api/show", "/api/pull", "/api/embed"})
    EXPECT_EQ(post(path, Json::object()).status, 400) << path;
}

TEST_F(ServiceTest, OllamasContextCutsTexts) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "cat ";
  const auto ask_for = [&](const Json& options) {
    return post("/api/embed", {{"model", "m"}, {"input", text}, {"options", options}}).json();
  };
  const auto cut = model().encode(text, {.max_length = 8}).value();
  EXPECT_EQ(ask_for({{"num_ctx", 8}})["embeddings"][0].get<std::vector<float>>(), cut);
  EXPECT_EQ(
      ask_for({{"num_ctx", 4096}, {"temperature", 0.5}})["embeddings"][0].get<std::vector<float>>(),
      encode(text));
  EXPECT_EQ(
      post("/api/embeddings", {{"model", "m"}, {"prompt", text}, {"options", {{"num_ctx", 8}}}})
          .json()["embedding"]
          .get<std::vector<float>>(),
      cut);
  EXPECT_TRUE(ask_for({{"num_ctx", 0}}).contains("error"));
}

TEST_F(ServiceTest, MethodsAndPaths) {
  const auto wrong = ask("GET", "/embed");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.get("allow"), "POST");
  EXPECT_EQ(ask("POST", "/nothing").status, 404);
  EXPECT_EQ(ask("HEAD", "/health").status, 200);
  EXPECT_EQ(ask("POST", "/embed", "{}", {}).status, 400);
}

TEST_F(ServiceTest, ReadyUntilDraining) {
  EXPECT_EQ(ask("GET", "/ready").status, 200);
  service.drain();
  EXPECT_EQ(ask("GET", "/ready").status, 503);
  EXPECT_EQ(ask("GET", "/health").status, 200);
}

TEST_F(ServiceTest, ADeadlineOfTheClientIsKept) {
  const auto answer =
      ask("POST", "/v1/embeddings", R"({"input":"late"})", {{"x-request-timeout-ms", "0.000001"}});
  EXPECT_EQ(answer.status, 503);
}

TEST_F(ServiceTest, MetricsCountWhatWasAsked) {
  post("/embed", {{"inputs", "a cat"}});
  const std::string text = ask("GET", "/metrics").body;
  EXPECT_NE(text.find("embd_requests_total{route=\"POST /embed\",status=\"200\"} 1\n"),
            std::string::npos);
}

class LimitedServiceTest : public ServiceTest {
 protected:
  static ServiceOptions options() {
    ServiceOptions options = {.workers = 1};
    options.limits.inputs = 4;
    options.limits.request_tokens = 20;
    options.access.origins = {"https://app.example"};
    options.access.check_host = true;
    EXPECT_TRUE(options.keys.add("secret"));
    return options;
  }
  LimitedServiceTest() : ServiceTest(options(), only_model({"served"})) {}
  const std::vector<std::pair<std::string, std::string>> key = {{"Authorization", "Bearer secret"}};
};

TEST_F(LimitedServiceTest, AKeyIsWantedForAllButHealth) {
  EXPECT_EQ(ask("GET", "/health").status, 200);
  EXPECT_EQ(ask("GET", "/ready").status, 200);
  for (const char* path : {"/v1/models", "/metrics", "/info", "/nothing"}) {
    const auto refused = ask("GET", path);
    EXPECT_EQ(refused.status, 401) << path;
    EXPECT_EQ(refused.headers.get("www-authenticate"), "Bearer");
  }
  EXPECT_EQ(ask("POST", "/v1/embeddings", R"({"input":"a"})").status, 401);
  EXPECT_EQ(ask("POST", "/v1/embeddings", R"({"input":"a"})", key).status, 200);
}

TEST_F(LimitedServiceTest, LimitsAreNamed) {
  const auto many = ask("POST", "/embed", R"({"inputs":["a","a","a","a","a"]})", key);
  EXPECT_EQ(many.status, 413);
  EXPECT_NE(many.body.find("at most 4"), std::string::npos) << many.body;
  EXPECT_EQ(ask("POST", "/v1/embeddings", R"({"input":["a","a","a","a","a"]})", key).status, 400);
  const auto tokens = ask("POST", "/embed",
                          R"({"inputs":["a a a a a a a a a a a a a a a a a a a a a a a a"]})", key);
  EXPECT_EQ(tokens.status, 413);
  EXPECT_NE(tokens.body.find(" 20 "), std::string::npos) << tokens.body;
}

TEST_F(LimitedServiceTest, OtherModelsAreRefusedWhereNamesAreGiven) {
  const auto ask_for = [&](const std::string& model) {
    return ask("POST", "/v1/embeddings", Json{{"input", "a"}, {"model", model}}.dump(), key).status;
  };
  EXPECT_EQ(ask_for("served"), 200);
  EXPECT_EQ(ask_for("served:latest"), 200);
  EXPECT_EQ(ask_for(model().name()), 200);
  EXPECT_EQ(ask_for("gpt"), 404);
}

TEST_F(LimitedServiceTest, PagesOfOtherSitesAreRefused) {
  auto headers = key;
  headers.emplace_back("Host", "localhost:8080");
  headers.emplace_back("Origin", "https://evil.example");
  EXPECT_EQ(ask("POST", "/v1/embeddings", R"({"input":"a"})", headers).status, 403);
  headers.back().second = "https://app.example";
  EXPECT_EQ(ask("POST", "/v1/embeddings", R"({"input":"a"})", headers).status, 200);
  headers[1].second = "rebound.example";
  EXPECT_EQ(ask("POST", "/v1/embeddings", R"({"input":"a"})", headers).status, 403);
}

TEST_F(LimitedServiceTest, OnlyJsonIsTaken) {
  RequestHead head = {.method = "POST", .path = "/embed"};
  head.headers.add("Authorization", "Bearer secret");
  head.headers.add("Content-Type", "text/plain");
  const auto failure = service.screen(service.match(head), head);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->problem, Problem::wrong_media_type);
  head.path = "/api/embed";  // Ollama's users send none.
  EXPECT_FALSE(service.screen(service.match(head), head));
}

TEST_F(LimitedServiceTest, AzuresKeyHasAFieldOfItsOwn) {
  const std::string path = "/openai/deployments/served/embeddings";
  const std::string body = R"({"input":"a"})";
  EXPECT_EQ(ask("POST", path, body).status, 401);
  EXPECT_EQ(ask("POST", path, body, {{"api-key", "secret"}}).status, 200);
  EXPECT_EQ(ask("POST", path, body, {{"api-key", "other"}}).status, 401);
  EXPECT_EQ(ask("POST", path, body, key).status, 200);
  EXPECT_EQ(ask("POST", "/openai/deployments/gpt/embeddings", body, key).status, 404);
}

TEST_F(LimitedServiceTest, OllamaIsToldOfNamesThatAreNotServed) {
  const auto status = [&](const char* path, const char* name) {
    return ask("POST", path, Json{{"model", name}}.dump(), key).status;
  };
  for (const char* path : {"/api/show", "/api/pull"}) {
    EXPECT_EQ(status(path, "served"), 200);
    EXPECT_EQ(status(path, "served:latest"), 200);
    EXPECT_EQ(status(path, "gpt"), 404);
  }
}

TEST_F(LimitedServiceTest, APreflightIsCounted) {
  RequestHead head = {.method = "OPTIONS", .path = "/v1/embeddings"};
  head.headers.add("Origin", "https://app.example");
  head.headers.add("Access-Control-Request-Method", "POST");
  ASSERT_TRUE(service.preflight(head, Clock::now()));
  EXPECT_NE(ask("GET", "/metrics", {}, key)
                .body.find("embd_requests_total{route=\"other\",status=\"204\"} 1\n"),
            std::string::npos);
}

/// The same model in two arithmetics, and one of other vectors.
Models three_models() {
  Models models;
  EXPECT_TRUE(models.add(open_model(), "exact"));
  EXPECT_TRUE(models.add(open_model("plain.weights", Compute::int8), "fast"));
  EXPECT_TRUE(models.add(open_model("bf16.weights")));
  return models;
}

class SeveralModelsTest : public ServiceTest {
 protected:
  SeveralModelsTest() : ServiceTest({.workers = 2, .cache_bytes = 1 << 20}, three_models()) {}
  Json vector_of(const std::string& name, const std::string& text = "a cat") {
    return post("/v1/embeddings", {{"model", name}, {"input", text}}).json();
  }
  std::vector<float> row_of(std::size_t model, const std::string& text = "a cat") {
    return service.models().all()[model]->model.encode(text).value();
  }
  const std::vector<std::string> names = {"exact", "fast", "tiny-visible-bf16"};
};

TEST_F(SeveralModelsTest, ARequestChoosesByName) {
  for (int again = 0; again < 2; ++again) {  // the second time from the cache
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Json answer = vector_of(names[i]);
      EXPECT_EQ(answer["model"], names[i]);
      EXPECT_EQ(answer["data"][0]["embedding"].get<std::vector<float>>(), row_of(i)) << names[i];
      EXPECT_EQ(post("/api/embed", {{"model", names[i] + ":latest"}, {"input", "a cat"}})
                    .json()["embeddings"]
                    .get<Rows>(),
                Rows{row_of(i)});
      EXPECT_EQ(post("/v2/embed", {{"model", names[i]}, {"texts", {"a cat"}}})
                    .json()["embeddings"]["float"]
                    .get<Rows>(),
                Rows{row_of(i)});
      EXPECT_EQ(post("/embed", {{"model", names[i]}, {"inputs", "a cat"}}).json().get<Rows>(),
                Rows{row_of(i)});
      EXPECT_EQ(
          post("/openai/deployments/" + names[i] + "/embeddings", {{"input", "a cat"}}).json(),
          answer);
    }
  }
  EXPECT_NE(row_of(0), row_of(1));
  EXPECT_EQ(post("/embed", {{"inputs", "a cat"}}).json().get<Rows>(), Rows{row_of(0)});
}

TEST_F(SeveralModelsTest, OtherNamesAreRefusedAndTheServedOnesNamed) {
  for (const char* name : {"tiny-visible-plain", "gpt", ""}) {
    const auto answer = post("/v1/embeddings", {{"model", name}, {"input", "a"}});
    EXPECT_EQ(answer.status, 404) << name;
    EXPECT_NE(answer.body.find("exact, fast, tiny-visible-bf16"), std::string::npos) << answer.body;
  }
  Models models;
  ASSERT_TRUE(models.add(open_model(), "a"));
  EXPECT_EQ(models.add(open_model("bf16.weights"), "a").error().code(),
            ErrorCode::invalid_argument);
  ASSERT_TRUE(models.add(open_model("bf16.weights"), "b"));
  EXPECT_EQ(models.add_names({"c"}).error().code(), ErrorCode::invalid_argument);
}

TEST_F(SeveralModelsTest, AllAreListed) {
  std::vector<std::string> listed;
  const Json models = ask("GET", "/v1/models").json();
  for (const Json& model : models["data"]) listed.push_back(model["id"]);
  EXPECT_EQ(listed, names);
  const Json tags = ask("GET", "/api/tags").json()["models"];
  ASSERT_EQ(tags.size(), 3);
  EXPECT_EQ(tags[0]["digest"], tags[1]["digest"]);
  EXPECT_NE(tags[0]["digest"], tags[2]["digest"]);
  EXPECT_EQ(tags[1]["details"]["quantization_level"], "int8");
  const Json info = ask("GET", "/info").json();
  EXPECT_EQ(info["model_dtype"], "f32");
  EXPECT_EQ(info["model_id"], "exact");
  ASSERT_EQ(info["embd"]["models"].size(), 3);
  EXPECT_EQ(info["embd"]["models"][2]["dim"], row_of(2).size());
  EXPECT_EQ(post("/api/show", {{"model", "tiny-visible-bf16"}})
                .json()["model_info"]["bert.embedding_length"],
            row_of(2).size());
}

TEST_F(SeveralModelsTest, WorkIsCountedByModelAndWeighedByItsSize) {
  vector_of("fast");
  vector_of("tiny-visible-bf16");
  EXPECT_EQ(service.metrics().model("exact").texts.value(), 0);
  EXPECT_EQ(service.metrics().model("fast").texts.value(), 1);
  EXPECT_EQ(service.metrics().model("tiny-visible-bf16").texts.value(), 1);
  const auto all = service.models().all();
  EXPECT_EQ(all[1]->cost(100), 100);
  EXPECT_LT(all[2]->cost(100), 100);
  EXPECT_GT(all[2]->cost(1), 0);
}

}  // namespace
}  // namespace embd::server
