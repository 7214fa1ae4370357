#pragma once

#include <memory>

#include "embd/get_model.h"

namespace embd::cli {

/// Returns a client over Boost.Beast and OpenSSL. It trusts the system's certificates (or those of
/// SSL_CERT_FILE), and takes the way that HTTPS_PROXY, HTTP_PROXY and NO_PROXY say. A server that
/// sends nothing for 30 seconds is given up.
std::unique_ptr<HttpClient> make_http_client();

}  // namespace embd::cli
