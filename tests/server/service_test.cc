// The routes without sockets: request in, response out.
#include "server/service.h"

#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <nlohmann/json.hpp>

namespace embd::server {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::vector<float>>;

Model open_model() {
  return Model::open(EMBD_TEST_DATA "/embd/plain.weights").value();
}

struct Answer {
  int status;
  std::string body;
  Headers headers;
  Json json() const { return Json::parse(body); }
};

class ServiceTest : public testing::Test {
 protected:
  explicit ServiceTest(ServiceOptions options = {.workers = 2, .cache_bytes = 1 << 20})
      : service(open_model(), std::move(options)) {}

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
  std::vector<float> encode(const std::string& text) {
    return service.model().encode(text).value();
  }

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
  EXPECT_EQ(json["model"], service.model().name());
  ASSERT_EQ(json["data"].size(), 2);
  EXPECT_EQ(json["data"][0]["object"], "embedding");
  EXPECT_EQ(json["data"][1]["index"], 1);
  EXPECT_EQ(json["data"][0]["embedding"].get<std::vector<float>>(), encode("a cat"));
  EXPECT_EQ(json["data"][1]["embedding"].get<std::vector<float>>(), encode("two dogs"));
  const auto tokens = service.model().tokenize("a cat")->ids.size() +
                      service.model().tokenize("two dogs")->ids.size();
  EXPECT_EQ(json["usage"]["prompt_tokens"], tokens);
  EXPECT_EQ(json["usage"]["total_tokens"], tokens);
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
  EXPECT_EQ(service.metrics().truncated_texts.value(), 1);
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
  const auto ids = service.model().tokenize("a cat")->ids;
  EXPECT_EQ(post("/v1/embeddings", {{"input", {ids}}})
                .json()["data"][0]["embedding"]
                .get<std::vector<float>>(),
            encode("a cat"));
  EXPECT_EQ(post("/embed", {{"inputs", ids}}).json().get<Rows>(), Rows{encode("a cat")});
  EXPECT_EQ(post("/embed", {{"inputs", {1 << 30}}}).status, 422);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "cat ";
  const auto all = service.model().tokenize(text, {.max_length = 0})->ids;
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
  const Matrix rows = service.model().encode_tokens("a cat").value();
  ASSERT_EQ(json[0].size(), rows.rows());
  EXPECT_EQ(json[0][1].get<std::vector<float>>(),
            std::vector<float>(rows.row(1).begin(), rows.row(1).end()));
}

TEST_F(ServiceTest, TeiTokenizeAndDecode) {
  const auto tokens = post("/tokenize", {{"inputs", "a cat"}}).json();
  const auto ids = service.model().tokenize("a cat")->ids;
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
  const auto dot = service.model().tokenize(".")->ids[1];
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
  EXPECT_EQ(ask("GET", "/api/tags").json()["models"][0]["name"], service.model().name());
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
    ServiceOptions options = {.workers = 1, .model_names = {"served"}};
    options.limits.inputs = 4;
    options.limits.request_tokens = 20;
    options.access.origins = {"https://app.example"};
    options.access.check_host = true;
    EXPECT_TRUE(options.keys.add("secret"));
    return options;
  }
  LimitedServiceTest() : ServiceTest(options()) {}
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
  EXPECT_NE(many.body.find(" 4 "), std::string::npos) << many.body;
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
  EXPECT_EQ(ask_for(service.model().name()), 200);
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

}  // namespace
}  // namespace embd::server
