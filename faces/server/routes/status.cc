// Routes for the server's operator: /health, /ready, /metrics.
#include "faces/server/service.h"

namespace embd::server {
namespace {

Answerable<void> health(Service&, const Call& call) {
  Response response;
  response.body.emplace_back(R"({"status":"ok"})");
  call->answer(std::move(response));
  return {};
}

Answerable<void> ready(Service& service, const Call& call) {
  if (service.draining())
    return std::unexpected(Failure{Problem::draining, "the server is shutting down", {}, 1});
  Response response;
  response.body.emplace_back(R"({"status":"ready"})");
  call->answer(std::move(response));
  return {};
}

Answerable<void> metrics(Service& service, const Call& call) {
  Response response = {.content_type = "text/plain; version=0.0.4; charset=utf-8"};
  response.body.push_back(service.metrics().render(service.gauges()));
  call->answer(std::move(response));
  return {};
}

}  // namespace

std::span<const Route> status_routes() {
  static constexpr Route routes[] = {
      Route::get(Api::own, "/health", health, "Whether the server lives", "State")
          .with(&Route::is_public),
      Route::get(Api::own, "/ping", health, "The same as /health", "State").with(&Route::is_public),
      Route::get(Api::own, "/ready", ready, "Whether it takes requests", "State")
          .with(&Route::is_public),
      Route::get(Api::own, "/metrics", metrics, "Prometheus' text format", "text/plain"),
  };
  return routes;
}

}  // namespace embd::server
