#include "faces/server/access_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "faces/server/json_answer.h"

namespace embd::server {

std::string access_line(const AccessRecord& record) {
  const auto now = std::chrono::system_clock::now();
  const auto fraction =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::string line = fmt::format(
      R"({{"time":"{:%Y-%m-%dT%H:%M:%S}.{:03}Z","request_id":{},"remote":{},"method":{},"path":{})",
      fmt::gmtime(std::chrono::system_clock::to_time_t(now)), fraction,
      json_string(record.request_id), json_string(record.remote), json_string(record.head.method),
      json_string(record.head.path));
  line += fmt::format(R"(,"status":{},"body_bytes":{},"answer_bytes":{},"milliseconds":{:.3f})",
                      record.status, record.body_bytes, record.answer_bytes, record.milliseconds);
  for (const char* name : {"user-agent", "traceparent"}) {
    const std::string_view value = record.head.headers.get(name);
    if (value.empty()) continue;
    const std::string_view key = name == std::string_view("user-agent") ? "user_agent" : name;
    line += fmt::format(R"(,"{}":{})", key, json_string(value));
  }
  return line + "}";
}

}  // namespace embd::server
