#pragma once

#include <optional>
#include <string_view>

#include "embd/error.h"

namespace embd::server {

/// The one listening socket that systemd opened for this process (LISTEN_PID, LISTEN_FDS;
/// sd_listen_fds(3)); nothing where it opened none. Errors: invalid_argument for several.
Result<std::optional<int>> activated_socket();

/// Tells the service manager "READY=1" or "STOPPING=1" (sd_notify(3)); does nothing where there is
/// none that wants to know.
void notify_manager(std::string_view state) noexcept;

}  // namespace embd::server
