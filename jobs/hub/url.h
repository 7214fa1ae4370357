#pragma once

#include <string>
#include <string_view>

#include "embd/error.h"

namespace embd::hub {

/// An address that begins with http:// or https://, in its parts.
struct Url {
  bool is_encrypted = false;
  std::string user = {};    ///< "NAME:PASSWORD" with its escapes; empty if the address has none
  std::string host = {};    ///< in lower case; an IPv6 address has no brackets
  std::string port = {};    ///< of the address, else the usual port of its scheme
  std::string target = {};  ///< path and query

  /// Returns "host:port", where an IPv6 address has its brackets.
  std::string endpoint() const;
  /// Returns the value of the header Host: the endpoint, without the usual port.
  std::string authority() const;
  /// Returns true if both addresses have the same scheme, host and port.
  bool has_origin_of(const Url& other) const;
};

/// Returns the parts of an address. Fails with invalid_argument; the message does not repeat a name
/// and a password.
Result<Url> parse_url(std::string_view text);

/// Returns the address that `reference`, such as the header Location, means in an answer from the
/// address `base` (RFC 3986, section 5).
std::string resolved_url(std::string_view base, std::string_view reference);

/// Returns a text with the bytes that its escapes %XX stand for.
std::string unescaped(std::string_view text);

}  // namespace embd::hub
