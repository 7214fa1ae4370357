#pragma once

#include <memory>

#include "embd/get_model.h"

namespace embd::cli {

/// Makes a client that uses Boost.Beast and OpenSSL. It trusts the certificates of the system, or
/// those of SSL_CERT_FILE, and uses the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name. The
/// address of the proxy may contain a name and a password. On Windows, it is a client of WinHTTP,
/// which trusts the certificates and uses the proxy of the system. A request fails if the server
/// sends nothing for 30 seconds.
std::unique_ptr<HttpClient> make_http_client();

}  // namespace embd::cli
