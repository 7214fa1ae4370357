#pragma once

#include <string>
#include <string_view>

#include "base/os/file_descriptor.h"

namespace embd::os {

bool is_ip4_address(const std::string& text) noexcept;
/// Returns true if `text` is an IPv6 address without brackets.
bool is_ip6_address(const std::string& text) noexcept;

// A socket is given by its descriptor; on Windows, by its handle, which fits in 32 bits.

enum class SocketFamily { ip4, ip6, other };
/// Returns the family of a socket.
SocketFamily family_of(int socket) noexcept;

/// Returns true if the other side has closed a connection that has something to read. Does not
/// wait, and reads nothing.
bool has_peer_left(int socket) noexcept;

/// Lets a socket that is to listen take the port of a server that has just ended, and never the
/// port of one that still listens. To be called before the socket gets its address.
void prepare_to_listen(int socket) noexcept;

/// Prevents programs that this process starts from inheriting the descriptor `number`.
void keep_to_this_process(int number) noexcept;

/// Sends `message` to the local datagram socket `name`, which is a path, or '@' and an abstract
/// name. Does nothing if that fails.
void send_to_local_socket(std::string_view name, std::string_view message) noexcept;

}  // namespace embd::os
