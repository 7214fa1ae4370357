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
      {.method = "GET",
       .path = "/health",
       .api = Api::own,
       .handler = health,
       .summary = "Whether the server lives",
       .answer = "State",
       .is_public = true},
      {.method = "GET",
       .path = "/ping",
       .api = Api::own,
       .handler = health,
       .summary = "The same as /health",
       .answer = "State",
       .is_public = true},
      {.method = "GET",
       .path = "/ready",
       .api = Api::own,
       .handler = ready,
       .summary = "Whether it takes requests",
       .answer = "State",
       .is_public = true},
      {.method = "GET",
       .path = "/metrics",
       .api = Api::own,
       .handler = metrics,
       .summary = "Prometheus' text format",
       .answer = "text/plain"},
  };
  return routes;
}

}  // namespace embd::server
