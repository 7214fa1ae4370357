#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "faces/server/message.h"

namespace embd::server {

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
