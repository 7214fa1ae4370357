#pragma once

#include <optional>
#include <string_view>

#include "embd/error.h"

namespace embd::server {

/// Returns the listening socket that systemd has opened for this process, as the environment
/// variables LISTEN_PID and LISTEN_FDS tell (sd_listen_fds(3)); nothing if there is none. Fails
/// with invalid_argument if there are several.
Result<std::optional<int>> activated_socket();

/// Sends a state, "READY=1" or "STOPPING=1", to the service manager (sd_notify(3)). Does nothing if
/// no manager has asked for it (NOTIFY_SOCKET).
void notify_manager(std::string_view state) noexcept;

}  // namespace embd::server
