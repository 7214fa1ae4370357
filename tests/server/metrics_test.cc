#include "server/metrics.h"

#include <gtest/gtest.h>

namespace embd::server {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, EverySeriesIsThereFromTheStart) {
  const Metrics metrics({"GET /a", "other"}, {"own", "own"});
  const std::string text = metrics.render({});
  EXPECT_TRUE(has_line(text, R"(embd_requests_total{route="GET /a",status="200"} 0)"));
  EXPECT_TRUE(has_line(text, R"(embd_requests_total{route="other",status="429"} 0)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_count{api="own"} 0)"));
  EXPECT_TRUE(has_line(text, "embd_cache_hits_total 0"));
  EXPECT_TRUE(has_line(text, "embd_queue_duration_seconds_count 0"));
}

TEST(Metrics, CountsRequestsAndTheirTime) {
  Metrics metrics({"GET /a", "other"}, {"own", "own"});
  metrics.count_request(0, 200, 0.0003);
  metrics.count_request(0, 200, 100);
  metrics.count_request(1, 418, 0.0001);  // counted as the last status there is
  const std::string text = metrics.render({});
  EXPECT_TRUE(has_line(text, R"(embd_requests_total{route="GET /a",status="200"} 2)"));
  EXPECT_TRUE(has_line(text, R"(embd_requests_total{route="other",status="500"} 1)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_bucket{api="own",le="0.00025"} 1)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_bucket{api="own",le="0.0005"} 2)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_bucket{api="own",le="+Inf"} 3)"));
  EXPECT_TRUE(has_line(text, R"(embd_request_duration_seconds_count{api="own"} 3)"));
}

TEST(Metrics, ResidentMemoryIsKnown) {
  EXPECT_GT(resident_bytes(), 1'000'000);
}

}  // namespace
}  // namespace embd::server
