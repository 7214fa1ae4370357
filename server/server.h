#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "embd/error.h"
#include "server/access_log.h"
#include "server/service.h"

namespace embd::server {

struct ServeOptions {
  std::string host = "127.0.0.1";  ///< a numeric address
  std::uint16_t port = 8080;       ///< 0: a free one
  /// How long requests under way may go on after SIGTERM or SIGINT.
  std::chrono::milliseconds drain{25'000};
  LogSink access_log = {};  ///< a line a request; empty: none
};

/// Whether only programs of this machine can reach the address.
Result<bool> is_loopback(const std::string& host);

/// Serves until SIGTERM or SIGINT, then finishes what is under way; a second signal ends it at
/// once. `on_ready` is told the address, "http://127.0.0.1:8080", when clients can connect. Listens
/// on the socket that systemd opened instead, if it did. Errors: the address is not numeric, or is
/// taken.
Result<void> serve(Service& service, const ServeOptions& options,
                   const std::function<void(const std::string& url)>& on_ready);

}  // namespace embd::server
