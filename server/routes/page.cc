// The page for browsers, and the description of the API.
#include <openssl/evp.h>

#include <fmt/format.h>

#include "base/checksum.h"
#include "server/page/files.h"
#include "server/service.h"

namespace embd::server {
namespace {

/// What stands between `begin` and `end`, as a source of a Content-Security-Policy.
std::string hash_source(std::string_view page, std::string_view begin, std::string_view end) {
  const std::size_t first = page.find(begin) + begin.size();
  Sha256 hash;
  hash.update(page.substr(first, page.find(end, first) - first));
  const auto digest = hash.digest();
  unsigned char base64[48];
  EVP_EncodeBlock(base64, reinterpret_cast<const unsigned char*>(digest.data()),
                  static_cast<int>(digest.size()));
  return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(base64));
}

/// The page's own script and style run, and nothing else; it talks to this server alone.
const std::string& content_policy() {
  static const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      hash_source(index_html(), "<script>", "</script>"),
      hash_source(index_html(), "<style>", "</style>"));
  return policy;
}

Answerable<void> page(Service&, const Call& call) {
  Response response = {.content_type = "text/html; charset=utf-8"};
  response.headers.add("Content-Security-Policy", content_policy());
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.add("Cache-Control", "no-cache");
  response.body.emplace_back(index_html());
  call->answer(std::move(response));
  return {};
}

Answerable<void> openapi(Service&, const Call& call) {
  Response response;
  response.body.emplace_back(openapi_json());
  call->answer(std::move(response));
  return {};
}

constexpr Route routes[] = {
    {.method = "GET", .path = "/", .api = Api::own, .handler = page, .is_public = true},
    {.method = "GET", .path = "/docs", .api = Api::own, .handler = page, .is_public = true},
    {.method = "GET",
     .path = "/openapi.json",
     .api = Api::own,
     .handler = openapi,
     .is_public = true},
};

}  // namespace

std::span<const Route> page_routes() {
  return routes;
}

}  // namespace embd::server
