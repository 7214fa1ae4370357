#pragma once

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

}  // namespace embd::server
