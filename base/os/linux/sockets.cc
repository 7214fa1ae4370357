#include "base/os/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace embd::os {

bool is_ip4_address(const std::string& text) noexcept {
  in_addr address = {};
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1;
}

bool is_ip6_address(const std::string& text) noexcept {
  in6_addr address = {};
  return ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

SocketFamily family_of(int socket) noexcept {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  switch (address.ss_family) {
    case AF_INET:
      return SocketFamily::ip4;
    case AF_INET6:
      return SocketFamily::ip6;
    default:
      return SocketFamily::other;
  }
}

bool has_peer_left(int socket) noexcept {
  char byte = 0;
  const auto peeked = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return peeked == 0 || (peeked < 0 && errno != EAGAIN && errno != EINTR);
}

void prepare_to_listen(int socket) noexcept {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

void keep_to_this_process(int number) noexcept {
  ::fcntl(number, F_SETFD, FD_CLOEXEC);
}

void send_to_local_socket(std::string_view name, std::string_view message) noexcept {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (name.empty() || name.size() >= sizeof address.sun_path) return;
  std::ranges::copy(name, address.sun_path);
  if (name.starts_with('@')) address.sun_path[0] = '\0';
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return;
  (void)::sendto(socket.get(), message.data(), message.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size()));
}

}  // namespace embd::os
