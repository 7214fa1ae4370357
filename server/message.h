#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/memory_budget.h"

namespace embd::server {

/// Header fields in the order they came, or in which they are sent.
class Headers {
 public:
  void add(std::string name, std::string value);
  /// The first of that name, in any case; empty if there is none.
  std::string_view get(std::string_view name) const noexcept;

  auto begin() const noexcept { return fields_.begin(); }
  auto end() const noexcept { return fields_.end(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// The part of a request before its body.
struct RequestHead {
  std::string method;
  std::string path;   ///< without the query
  std::string query;  ///< after "?"
  Headers headers;
};

struct Request {
  RequestHead head;
  std::string body;
  std::string id = {};  ///< the client's own or one that was made for it
};

/// The parts of a long answer are made by several threads and sent without being joined.
struct Response {
  int status = 200;
  std::string content_type = "application/json";
  Headers headers = {};
  std::vector<std::string> body = {};
  /// Share of the memory budget that the body has until it is sent.
  MemoryBudget::Share memory = {};

  std::size_t body_bytes() const noexcept;
  std::string joined_body() const;
};

/// A part of a path with its %-escapes resolved.
std::string path_text(std::string_view part);

/// The value of a parameter of a query, "a=1&b=2", its %-escapes and "+" resolved; nothing if
/// absent.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

}  // namespace embd::server
