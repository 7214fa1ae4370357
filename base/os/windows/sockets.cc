#include "base/os/sockets.h"

#include <winsock2.h>
#include <ws2tcpip.h>

#include "base/os/windows/windows.h"

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
  int length = sizeof address;
  ::getsockname(static_cast<SOCKET>(socket), reinterpret_cast<sockaddr*>(&address), &length);
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
  const auto asked = static_cast<SOCKET>(socket);
  fd_set readable = {};
  FD_SET(asked, &readable);
  timeval at_once = {};
  const int ready = ::select(0, &readable, nullptr, nullptr, &at_once);
  if (ready == 0) return false;
  char byte = 0;
  return ready < 0 || ::recv(asked, &byte, 1, MSG_PEEK) <= 0;
}

void prepare_to_listen(int socket) noexcept {
  // Windows lets a server follow another at once. SO_REUSEADDR would let both listen there.
  const BOOL on = TRUE;
  ::setsockopt(static_cast<SOCKET>(socket), SOL_SOCKET, SO_EXCLUSIVEADDRUSE,
               reinterpret_cast<const char*>(&on), sizeof on);
}

void keep_to_this_process(int number) noexcept {
  ::SetHandleInformation(handle_of(number), HANDLE_FLAG_INHERIT, 0);
}

void send_to_local_socket(std::string_view /*name*/, std::string_view /*message*/) noexcept {}

}  // namespace embd::os
