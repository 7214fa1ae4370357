#include "faces/server/metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/os/process.h"
#include "faces/server/failure.h"

namespace embd::server {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, EverySeriesIsThereFromTheStart) {
  const Metrics metrics({"GET /a", "other"}, {"own", "own"}, {"a", "b\"\\"});
  const std::string text = metrics.render({});
  EXPECT_TRUE(has_line(text, R"(embd_requests_total{route="GET /a",status="200"} 0)"));
  EXPECT_TRUE(has_line(text, R"(embd_requests_total{route="other",status="429"} 0)"));
  EXPECT_TRUE(has_line(text, R"(embd_texts_total{model="a"} 0)"));
  EXPECT_TRUE(has_line(text, R"(embd_tokens_total{model="b\"\\"} 0)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_count{api="own"} 0)"));
  EXPECT_TRUE(has_line(text, "embd_cache_hits_total 0"));
  EXPECT_TRUE(has_line(text, "embd_queue_duration_seconds_count 0"));
}

TEST(Metrics, CountsRequestsAndTheirTime) {
  Metrics metrics({"GET /a", "other"}, {"own", "own"}, {"a", "b\"\\"});
  metrics.count_request(0, 200, 0.0003);
  metrics.count_request(0, 200, 100);
  metrics.count_request(1, 499, 0.0001);
  const std::string text = metrics.render({});
  EXPECT_TRUE(has_line(text, R"(embd_requests_total{route="GET /a",status="200"} 2)"));
  EXPECT_TRUE(has_line(text, R"(embd_requests_total{route="other",status="499"} 1)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_bucket{api="own",le="0.00025"} 1)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_bucket{api="own",le="0.0005"} 2)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_bucket{api="own",le="+Inf"} 3)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_count{api="own"} 3)"));
}

TEST(Metrics, EachStatusThatIsSentIsCountedAsItself) {
  Metrics metrics({"GET /a"}, {"own"}, {});
  std::map<int, int> sent;
  const auto send = [&](int status) {
    metrics.count_request(0, status, 0.1);
    ++sent[status];
  };
  send(200);
  send(204);
  for (int problem = 0; problem <= static_cast<int>(Problem::internal); ++problem)
    for (const Api api : {Api::openai, Api::tei, Api::ollama, Api::cohere, Api::own, Api::rerank})
      send(status_of(static_cast<Problem>(problem), api));
  EXPECT_TRUE(sent.contains(431));
  EXPECT_TRUE(sent.contains(499));
  const std::string text = metrics.render({});
  for (const auto& [status, count] : sent) {
    EXPECT_TRUE(has_line(
        text,
        fmt::format(R"(embd_requests_total{{route="GET /a",status="{}"}} {})", status, count)))
        << status;
  }
}

TEST(Metrics, CountsTheWorkOfEachModel) {
  Metrics metrics({"GET /a"}, {"own"}, {"a", "b", "a"});
  metrics.model("b").tokens.add(3);
  const std::string text = metrics.render({});
  EXPECT_TRUE(has_line(text, R"(embd_tokens_total{model="a"} 0)"));
  EXPECT_TRUE(has_line(text, R"(embd_tokens_total{model="b"} 3)"));
  EXPECT_EQ(text.find(R"(embd_tokens_total{model="a"})"),
            text.rfind(R"(embd_tokens_total{model="a"})"));
}

TEST(Metrics, ResidentMemoryIsKnown) {
  EXPECT_GT(os::resident_bytes(), 1'000'000);
}

}  // namespace
}  // namespace embd::server
