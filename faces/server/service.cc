#include "faces/server/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/try.h"
#include "faces/server/call_work.h"

namespace embd::server {
namespace {

std::vector<Route> all_routes() {
  std::vector<Route> routes;
  for (const auto part :
       {openai_routes(), tei_routes(), ollama_routes(), cohere_routes(), rerank_routes(),
        search_routes(), map_routes(), status_routes(), page_routes()})
    routes.insert(routes.end(), part.begin(), part.end());
  return routes;
}

std::vector<std::string> names_of(const std::vector<Route>& routes) {
  std::vector<std::string> names;
  for (const Route& route : routes) names.push_back(fmt::format("{} {}", route.method, route.path));
  names.emplace_back("other");
  return names;
}

std::vector<std::string> groups_of(const std::vector<Route>& routes) {
  std::vector<std::string> groups;
  for (const Route& route : routes) groups.emplace_back(api_name(route.api));
  groups.emplace_back(api_name(Api::own));
  return groups;
}

/// Returns the names of the models whose work is counted.
std::vector<std::string> counted_names(const Models& models) {
  std::vector<std::string> names;
  for (const auto& served : models.all()) names.push_back(served->name);
  if (models.reranker() != nullptr) names.push_back(models.reranker()->name());
  return names;
}

bool path_matches(std::string_view pattern, std::string_view path) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == path;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view behind = pattern.substr(star + 1);
  if (!path.starts_with(before)) return false;
  return behind.empty() || (path.size() > pattern.size() - 1 && path.ends_with(behind));
}

Api api_of_unknown(std::string_view path) {
  if (path.starts_with("/api/")) return Api::ollama;
  if (path.starts_with("/v2/")) return Api::cohere;
  return path.starts_with("/v1/") || path.starts_with("/openai/") ? Api::openai : Api::own;
}

bool is_json(std::string_view media_type) {
  media_type = media_type.substr(0, media_type.find(';'));
  while (media_type.ends_with(' ')) media_type.remove_suffix(1);
  return media_type.empty() || media_type.ends_with("/json") || media_type.ends_with("+json");
}

/// Returns the time in seconds that the client will wait for an answer, if its header gives it. The
/// OpenAI clients of Python, Java and Node always send it.
std::optional<double> patience(const Headers& headers) {
  for (const auto& [name, unit] :
       {std::pair{"x-request-timeout-ms", 1e-3}, std::pair{"x-stainless-read-timeout", 1.0},
        std::pair{"x-stainless-timeout", 1.0}}) {
    const std::string_view value = headers.get(name);
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size() && number > 0 && number < 1e9)
      return number * unit;
  }
  return std::nullopt;
}

Clock::time_point deadline_of(const Headers& headers, const Limits& limits,
                              Clock::time_point arrived) {
  double time = std::chrono::duration<double>(limits.request_time).count();
  if (const auto asked = patience(headers)) time = std::min(time, *asked);
  return arrived + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time));
}

/// The cost of a handler that takes long, in tokens: one slice.
constexpr std::uint64_t long_handler_tokens = most_slice_tokens;

/// A handler that takes long. It answers the call itself, or has another work answer it.
class HandlerWork final : public CallWork {
 public:
  HandlerWork(Service& service, const Route& route, Call call)
      : CallWork(service, std::move(call)), route_(route) {
    costs = {long_handler_tokens};
  }
  Result<void> run(std::span<const Slice>) override {
    handled_ = route_.handler(service_, call_);
    return {};
  }

 private:
  Answerable<void> finish() override { return handled_; }
  std::size_t num_characters() const override { return 0; }

  const Route& route_;
  Answerable<void> handled_;
};

}  // namespace

Service::Service(Models models, ServiceOptions options,
                 std::vector<std::unique_ptr<ServedIndex>> indexes)
    : models_(std::move(models)),
      options_(std::move(options)),
      indexes_(std::move(indexes)),
      routes_(all_routes()),
      metrics_(names_of(routes_), groups_of(routes_), counted_names(models_)),
      cache_(options_.cache_bytes),
      memory_(options_.limits.memory_bytes),
      scheduler_(options_.workers, options_.limits.queue_seconds, most_slice_tokens) {}

Service::Match Service::match(const RequestHead& head) const {
  const std::string_view method = head.method == "HEAD" ? "GET" : std::string_view(head.method);
  Match match = {.route = routes_.size(), .api = api_of_unknown(head.path)};
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (!path_matches(routes_[i].path, head.path)) continue;
    match.api = routes_[i].api;
    if (routes_[i].method == method) {
      match.route = i;
      match.found = &routes_[i];
      match.allow.clear();
      return match;
    }
    match.allow += (match.allow.empty() ? "" : ", ") + std::string(routes_[i].method);
  }
  return match;
}

bool Service::has_key(const Headers& headers) const {
  // Azure's clients send the key in the field api-key. Both fields are always checked, so that the
  // time does not show which one has a key.
  const bool is_bearer = options_.keys.open(headers.get("authorization"));
  const bool is_azures = options_.keys.open(headers.get("api-key"));
  return is_bearer || is_azures;
}

std::optional<Failure> Service::screen(const Match& match, const RequestHead& head) const {
  const std::string_view host = head.headers.get("host");
  if (!options_.access.host_allowed(host)) {
    return Failure{
        Problem::forbidden,
        "the header field Host names another server: allow this name with --allowed-host"};
  }
  if (!options_.access.origin_allowed(head.headers.get("origin"), host)) {
    return Failure{
        Problem::forbidden,
        "the request comes from a page of another origin: allow this origin with --cors-origin"};
  }
  const bool is_public = match.found != nullptr && match.found->is_public;
  if (!is_public && !options_.keys.empty() && !has_key(head.headers)) {
    return Failure{Problem::unauthorized,
                   "the request has no valid API key, expected the header field Authorization: "
                   "Bearer KEY or api-key: KEY"};
  }
  if (match.found == nullptr) {
    if (!match.allow.empty()) {
      return Failure{Problem::wrong_method,
                     fmt::format("{} accepts the method {}, but the method of the request is {}",
                                 head.path, match.allow, head.method)};
    }
    return Failure{Problem::unknown_route, fmt::format("the server has no route {}", head.path)};
  }
  if (match.found->needs_model && models_.empty()) {
    return Failure{Problem::not_this_model,
                   fmt::format("the model {} is a reranker, but {} needs a model that makes "
                               "embeddings: start the server with --model MODEL, too",
                               models_.reranker()->name(), head.path)};
  }
  if (match.found->method == "POST" && !match.found->any_media_type &&
      !is_json(head.headers.get("content-type"))) {
    return Failure{Problem::wrong_media_type,
                   "the body must be JSON, with the header field Content-Type: application/json"};
  }
  const std::string_view encoding = head.headers.get("content-encoding");
  if (!encoding.empty() && encoding != "identity") {
    return Failure{
        Problem::wrong_media_type,
        "the body must not be compressed, but the header has the field Content-Encoding"};
  }
  return std::nullopt;
}

void Service::handle(const Match& match, Request request, std::stop_token gone,
                     Clock::time_point arrived, Exchange::Reply reply) {
  const Clock::time_point deadline = deadline_of(request.head.headers, options_.limits, arrived);
  const auto counted = [this, route = match.route, api = match.api, arrived,
                        reply = std::move(reply)](Response response) {
    if (!count_memory(response))
      response = failure_response(
          {Problem::overloaded, "too many answers are being computed: try again later", {}, 1},
          api);
    const double seconds = std::chrono::duration<double>(Clock::now() - arrived).count();
    metrics_.count_request(route, response.status, seconds);
    reply(std::move(response));
  };
  const auto call =
      std::make_shared<Exchange>(match.api, std::move(request), std::move(gone), arrived, counted);
  call->deadline = deadline;
  const auto done = guarded([&]() -> Result<void> {
    const Route& route = *match.found;
    const auto taken = route.takes_long
                           ? submit(*this, std::make_shared<HandlerWork>(*this, route, call))
                           : route.handler(*this, call);
    if (!taken) call->fail(taken.error());
    return {};
  });
  if (!done) call->fail(failure_of(done.error()));
}

bool Service::count_memory(Response& response) {
  // A shorter answer takes no more memory than its connection. So /health is never refused for lack
  // of memory.
  constexpr std::size_t least_counted = 4096;
  const std::size_t bytes = response.body_bytes();
  return bytes < least_counted || memory_.extend(response.memory, bytes);
}

Response Service::refusal(const Match& match, const Failure& failure, Clock::time_point arrived) {
  Response response = failure_response(failure, match.api);
  if (failure.problem == Problem::wrong_method) response.headers.add("Allow", match.allow);
  metrics_.count_request(match.route, response.status,
                         std::chrono::duration<double>(Clock::now() - arrived).count());
  return response;
}

std::optional<Response> Service::preflight(const RequestHead& head, Clock::time_point arrived) {
  if (head.method != "OPTIONS" || head.headers.get("access-control-request-method").empty() ||
      !options_.access.is_cors_origin(head.headers.get("origin")))
    return std::nullopt;
  Response response = {.status = 204, .content_type = {}};
  response.headers.add("Access-Control-Allow-Methods", "GET, POST");
  response.headers.add("Access-Control-Allow-Headers", "Authorization, Content-Type, api-key");
  response.headers.add("Access-Control-Max-Age", "600");
  metrics_.count_request(routes_.size(), response.status,
                         std::chrono::duration<double>(Clock::now() - arrived).count());
  return response;
}

void Service::add_common_headers(const RequestHead& head, Response& response) const {
  if (options_.access.origins.empty()) return;
  response.headers.add("Vary", "Origin");
  const std::string_view origin = head.headers.get("origin");
  if (!origin.empty() && options_.access.is_cors_origin(origin))
    response.headers.add("Access-Control-Allow-Origin", std::string(origin));
}

Gauges Service::gauges() const {
  const Scheduler::State queue = scheduler_.state();
  const RowCache::State cache = cache_.state();
  return {.queued_tokens = queue.queued_tokens,
          .queued_requests = queue.queued_works,
          .tokens_per_second = queue.tokens_per_second,
          .connections = connections_.load(),
          .cache_bytes = cache.bytes,
          .cache_entries = cache.entries,
          .ready = !draining()};
}

}  // namespace embd::server
