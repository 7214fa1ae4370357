#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faces/server/memory_budget.h"

namespace embd::server {

/// The fields of an HTTP header, in the order in which they were received or are sent.
class Headers {
 public:
  void add(std::string name, std::string value);
  /// Returns the value of the first field of a name, compared without regard to case; an empty
  /// string if there is none.
  std::string_view get(std::string_view name) const noexcept;

  auto begin() const noexcept { return fields_.begin(); }
  auto end() const noexcept { return fields_.end(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// The part of a request before its body.
struct RequestHead {
  std::string method;
  std::string path;   ///< the path of the URL, as plain_path() returns it
  std::string query;  ///< the part of the URL after "?"
  Headers headers;
};

/// An HTTP request.
struct Request {
  RequestHead head;
  std::string body;
  std::string id = {};  ///< the id that the client sent, or one that the server made
};

/// An HTTP response. The body is a list of parts, because several threads make the parts of a long
/// answer. They are sent one after the other, without being joined in memory.
struct Response {
  int status = 200;
  std::string content_type = "application/json";
  Headers headers = {};
  std::vector<std::string> body = {};
  /// The memory that is reserved for the body until it is sent.
  MemoryBudget::Share memory = {};

  std::size_t body_bytes() const noexcept;
  std::string joined_body() const;
};

/// Returns the path of a URL in the form in which routes have it: without a slash at the end, and
/// with one slash where there are several.
std::string plain_path(std::string_view path);

/// Returns a part of a URL's path with its %-escapes decoded.
std::string path_text(std::string_view part);

/// Returns the value of a parameter in the query of a URL, such as "a=1&b=2", with %-escapes and
/// "+" decoded; nothing if the parameter is absent.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

/// A function that receives each line of the access log, without the line feed.
using LogSink = std::function<void(std::string_view line)>;

/// A request that was answered, as the access log records it.
struct AccessRecord {
  std::string_view request_id;
  std::string_view remote;  ///< the client's address
  const RequestHead& head;
  int status = 0;
  std::size_t body_bytes = 0;
  std::size_t answer_bytes = 0;
  double milliseconds = 0;
};

/// Returns the line of the access log for a request, a JSON object. It has nothing of the body or
/// of the URL's query, because both may hold texts of the client.
std::string access_line(const AccessRecord& record);

}  // namespace embd::server
