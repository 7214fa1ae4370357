#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"

namespace embd::server {

/// The rules for which pages in browsers may use the server.
///
/// A page of any site can send requests to 127.0.0.1. If its site's name is made to resolve to that
/// address (DNS rebinding), it can read the answers, too. The field Host of such a request has the
/// site's name, and the field Origin the page's origin, so both are checked.
struct Access {
  bool check_host = false;                ///< true if the server listens on a loopback address
  std::vector<std::string> hosts = {};    ///< further host names of this server
  std::vector<std::string> origins = {};  ///< origins whose pages may read answers; "*": all

  /// Checks that `hosts` and `origins` have the form that requests have, because others would never
  /// match. A host is a name without scheme, port or path. An origin is "https://name" or
  /// "http://name:port", as browsers write it (RFC 6454, section 6.1). Fails with invalid_argument.
  Result<void> check() const;
  /// Returns true if the field Host names this server: localhost, a name below it, an IP address or
  /// one of `hosts`, in upper or lower case and with any port. Without check_host every name is
  /// accepted.
  bool host_allowed(std::string_view host) const;
  /// Returns true if there is no field Origin, or if it is the server's own origin or one of
  /// `origins`.
  bool origin_allowed(std::string_view origin, std::string_view host) const;
  /// Returns true if `origin` is one of `origins`. The answer has CORS fields then.
  bool is_cors_origin(std::string_view origin) const;
};

/// The API keys that the server accepts. Only their hashes are kept. Any number of threads may call
/// open() at once after all keys were added.
class Keys {
 public:
  /// Adds the keys of a file, one on each line. Empty lines and lines that begin with "#" are
  /// ignored. Fails with missing if the file has no key, and with the error and line of a key that
  /// add() refuses.
  Result<void> add_file(const std::filesystem::path& path);
  /// Adds a key, without the blanks around it. Fails with invalid_argument if nothing but blanks is
  /// left, or if the key has a control character, which a header of a request cannot contain.
  Result<void> add(std::string_view key);

  bool empty() const noexcept { return hashes_.empty(); }
  /// Returns true if the value of a field Authorization is one of the keys, alone or after the word
  /// Bearer. It takes the same time for a wrong key as for a right one, so that the time tells
  /// nothing about the keys.
  bool open(std::string_view authorization) const;

 private:
  std::vector<std::array<std::byte, 32>> hashes_;
};

}  // namespace embd::server
