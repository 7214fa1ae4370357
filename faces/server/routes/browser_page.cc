// The page for browsers, and the description of the API.
#include <fmt/format.h>

#include "analysis/map/content_policy.h"
#include "faces/server/page/files.h"
#include "faces/server/service.h"

namespace embd::server {
namespace {

/// Returns the Content-Security-Policy of the page. It allows only the page's own script and style,
/// and connections to this server only.
const std::string& content_policy() {
  static const std::string policy = fmt::format(
      "default-src 'none'; {}; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'",
      own_sources(index_html()));
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

}  // namespace

std::span<const Route> page_routes() {
  static constexpr Route routes[] = {
      {.method = "GET", .path = "/", .api = Api::own, .handler = page, .is_public = true},
      {.method = "GET", .path = "/docs", .api = Api::own, .handler = page, .is_public = true},
      {.method = "GET",
       .path = "/openapi.json",
       .api = Api::own,
       .handler = openapi,
       .is_public = true},
  };
  return routes;
}

}  // namespace embd::server
