#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "embd/error.h"
#include "faces/server/message.h"
#include "faces/server/service.h"

namespace embd::server {

/// Options of serve().
struct ServeOptions {
  std::string host = "127.0.0.1";  ///< a numeric address
  std::uint16_t port = 8080;       ///< 0: a free port is chosen
  /// The time in which current requests may finish after SIGTERM or SIGINT.
  std::chrono::milliseconds drain{25'000};
  LogSink access_log = {};  ///< receives a line for each request; empty: no log
};

/// Returns true if `host` is a loopback address, which only programs on this machine can reach.
/// Fails with invalid_argument if it is not a numeric address.
Result<bool> is_loopback(const std::string& host);

/// Serves until the process receives SIGTERM or SIGINT, then finishes current requests and returns;
/// a second signal ends it at once. When clients can connect, `on_ready` is called with the URL,
/// such as "http://127.0.0.1:8080". If systemd has opened a socket for the process, the server
/// listens on that instead. Fails if the address is not numeric or is in use.
Result<void> serve(Service& service, const ServeOptions& options,
                   const std::function<void(const std::string& url)>& on_ready);

}  // namespace embd::server
