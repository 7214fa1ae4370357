#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"

namespace embd::server {

/// Which browsers' pages may reach the server. A page of another site can send requests to
/// 127.0.0.1; where its name has been made to mean this address (DNS rebinding), it can read the
/// answers, too. The Host field has that name then, and Origin the page's.
struct Access {
  bool check_host = false;                ///< bound to a loopback address
  std::vector<std::string> hosts = {};    ///< further names that are this server's
  std::vector<std::string> origins = {};  ///< of pages that may read answers; "*": any

  /// Refuses `hosts` and `origins` that no request can name, which would do nothing: a host is a
  /// name without scheme, port or path; an origin "https://name" or "http://name:port", as browsers
  /// write it (RFC 6454, section 6.1).
  Result<void> check() const;
  /// localhost, names below it, IP addresses, `hosts`; in any case of letters, with any port.
  bool host_allowed(std::string_view host) const;
  /// No Origin, the server's own, or one of `origins`.
  bool origin_allowed(std::string_view origin, std::string_view host) const;
  /// One of `origins`: the answer gets CORS fields.
  bool is_cors_origin(std::string_view origin) const;
};

}  // namespace embd::server
