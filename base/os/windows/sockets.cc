#include "base/os/sockets.h"

#include <winsock2.h>
#include <ws2tcpip.h>

#include "base/os/windows/windows.h"

namespace embd::os {

#include "base/os/socket_addresses.inc"

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
