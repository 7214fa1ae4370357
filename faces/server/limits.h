#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace embd::server {

/// The limits that protect the server from clients that ask for too much. docs/server.md lists
/// them.
struct Limits {
  std::size_t header_bytes = 8192;                   ///< size of a request's header
  std::size_t body_bytes = std::size_t{8} << 20;     ///< size of a request's body
  std::size_t inputs = 2048;                         ///< texts in a request
  std::uint64_t request_tokens = 300'000;            ///< tokens of a request, after cutting
  std::size_t answer_bytes = std::size_t{64} << 20;  ///< size of an answer
  std::size_t connections = 10'000;                  ///< open connections
  /// The memory that the bodies and answers of all current requests take together, in bytes.
  std::size_t memory_bytes = std::size_t{512} << 20;

  std::chrono::milliseconds header_time{10'000};  ///< the time in which a whole header must arrive
  /// The time that a connection may be idle: between two requests, and while the client reads
  /// nothing of an answer.
  std::chrono::milliseconds idle_time{30'000};
  std::size_t least_body_bytes_per_second = 1024;     ///< the least speed of sending a body
  std::size_t least_answer_bytes_per_second = 16384;  ///< the least speed of reading an answer
  /// The longest time that a request may have to wait in the queue, in seconds. A request that
  /// would wait longer is refused.
  double queue_seconds = 10;
  /// The time in which a request must be answered. After that it is given up.
  std::chrono::milliseconds request_time{60'000};
};

}  // namespace embd::server
