#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "server/message.h"

namespace embd::server {

/// Where lines of the log go, each without its LF.
using LogSink = std::function<void(std::string_view line)>;

struct AccessRecord {
  std::string_view request_id;
  std::string_view remote;  ///< the client's address
  const RequestHead& head;
  int status = 0;
  std::size_t body_bytes = 0;
  std::size_t answer_bytes = 0;
  double milliseconds = 0;
};

/// One JSON object; never a text of the body, nor the query, which may hold one.
std::string access_line(const AccessRecord& record);

}  // namespace embd::server
