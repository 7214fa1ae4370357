#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace embd::server {

/// Limits of one client's use of the server. docs/server.md lists them.
struct Limits {
  std::size_t header_bytes = 8192;
  std::size_t body_bytes = std::size_t{8} << 20;
  std::size_t inputs = 2048;               ///< texts a request
  std::uint64_t request_tokens = 300'000;  ///< of a request, after cuts
  std::size_t answer_bytes = std::size_t{64} << 20;
  std::size_t connections = 10'000;
  /// Bodies and answers of all requests under way.
  std::size_t memory_bytes = std::size_t{512} << 20;

  std::chrono::milliseconds header_time{10'000};  ///< for the whole header
  /// Between two requests of a connection, and while a client takes nothing of an answer.
  std::chrono::milliseconds idle_time{30'000};
  std::size_t least_body_bytes_per_second = 1024;
  std::size_t least_answer_bytes_per_second = 16384;  ///< that the client takes
  /// Work that is queued may last this long; more is refused.
  double queue_seconds = 10;
  /// A request that has not been answered by then is given up.
  std::chrono::milliseconds request_time{60'000};
};

}  // namespace embd::server
