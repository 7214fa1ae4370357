#include "faces/server/systemd.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/os/process.h"
#include "base/os/sockets.h"
#include "base/try.h"

namespace embd::server {
namespace {

constexpr int first_passed_descriptor = 3;

long number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  long value = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace

Result<std::optional<int>> activated_socket() {
  if (number_in_environment("LISTEN_PID") != os::process_number()) return std::nullopt;
  const long count = number_in_environment("LISTEN_FDS");
  if (count < 1) return std::nullopt;
  if (count > 1)
    return fail(ErrorCode::invalid_argument, "systemd passed more than one socket, expected one");
  os::keep_to_this_process(first_passed_descriptor);
  return first_passed_descriptor;
}

void notify_manager(std::string_view state) noexcept {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  os::send_to_local_socket(path, state);
}

}  // namespace embd::server
