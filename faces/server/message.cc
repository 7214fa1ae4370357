#include "faces/server/message.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/json_text.h"

namespace embd::server {
namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string unescaped(std::string_view text, bool plus_is_space) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const auto digits = text.substr(i, 3);
    if (digits.size() == 3 && digits[0] == '%' &&
        std::from_chars(digits.data() + 1, digits.data() + 3, byte, 16).ptr == digits.data() + 3) {
      plain += static_cast<char>(byte);
      i += 2;
    } else {
      plain += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return plain;
}

}  // namespace

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

std::string_view Headers::get(std::string_view name) const noexcept {
  for (const auto& [field, value] : fields_) {
    if (std::ranges::equal(field, name, {}, lower, lower)) return value;
  }
  return {};
}

std::size_t Response::body_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const auto& part : body) bytes += part.size();
  return bytes;
}

std::string Response::joined_body() const {
  std::string whole;
  whole.reserve(body_bytes());
  for (const auto& part : body) whole += part;
  return whole;
}

std::string plain_path(std::string_view path) {
  std::string plain;
  for (const char c : path)
    if (c != '/' || !plain.ends_with('/')) plain += c;
  if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain;
}

std::string path_text(std::string_view part) {
  return unescaped(part, false);
}

std::optional<std::string> query_parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == name)
      return unescaped(pair.substr(std::min(equals + 1, pair.size())), true);
  }
  return std::nullopt;
}

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
