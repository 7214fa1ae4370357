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
      {"GET", "/health", Api::own, health, true},
      {"GET", "/ping", Api::own, health, true},
      {"GET", "/ready", Api::own, ready, true},
      {"GET", "/metrics", Api::own, metrics},
  };
  return routes;
}

}  // namespace embd::server
