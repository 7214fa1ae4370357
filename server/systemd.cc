#include "server/systemd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/file_descriptor.h"
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
  if (number_in_environment("LISTEN_PID") != getpid()) return std::nullopt;
  const long count = number_in_environment("LISTEN_FDS");
  if (count < 1) return std::nullopt;
  if (count > 1)
    return fail(ErrorCode::invalid_argument, "systemd passed several sockets; one is served");
  fcntl(first_passed_descriptor, F_SETFD, FD_CLOEXEC);
  return first_passed_descriptor;
}

void notify_manager(std::string_view state) noexcept {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path == nullptr || (path[0] != '/' && path[0] != '@') ||
      std::strlen(path) >= sizeof address.sun_path)
    return;
  const std::size_t length = std::strlen(path);
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return;
  (void)sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address),
               static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
}

}  // namespace embd::server
