#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/row_cache.h"
#include "faces/server/access.h"
#include "faces/server/exchange.h"
#include "faces/server/metrics.h"
#include "faces/server/models.h"
#include "faces/server/scheduler.h"
#include "faces/server/served_index.h"

namespace embd::server {

/// The limits that protect the server from clients that ask for too much. docs/server.md lists
/// them.
struct Limits {
  std::size_t header_bytes = 8192;                   ///< size of a request's header
  std::size_t body_bytes = std::size_t{8} << 20;     ///< size of a request's body
  std::size_t inputs = 2048;                         ///< texts in a request
  std::uint64_t request_tokens = 300'000;            ///< tokens of a request, after cutting
  std::size_t answer_bytes = std::size_t{64} << 20;  ///< size of an answer
  std::size_t connections = 10'000;                  ///< open connections
  /// The memory that the bodies and answers of all current requests take together, in bytes.
  std::size_t memory_bytes = std::size_t{512} << 20;

  std::chrono::milliseconds header_time{10'000};  ///< the time in which a whole header must arrive
  /// The time that a connection may be idle: between two requests, and while the client reads
  /// nothing of an answer.
  std::chrono::milliseconds idle_time{30'000};
  std::size_t least_body_bytes_per_second = 1024;     ///< the least speed of sending a body
  std::size_t least_answer_bytes_per_second = 16384;  ///< the least speed of reading an answer
  /// The longest time that a request may have to wait in the queue, in seconds. A request that
  /// would wait longer is refused.
  double queue_seconds = 10;
  /// The time in which a request must be answered. After that it is given up.
  std::chrono::milliseconds request_time{60'000};
};

class Service;

/// A function that answers the requests of a route, at once or later on another thread. It may
/// return a failure instead, which its caller answers with.
using Handler = Answerable<void> (*)(Service& service, const Call& call);

/// A route: the requests with a method and a path, and the function that answers them.
struct Route {
  std::string_view method;  ///< "GET", which stands for HEAD, too, or "POST"
  std::string_view path;    ///< "*" in it stands for one or more characters
  Api api;
  Handler handler;
  std::string_view summary;       ///< a sentence for /openapi.json
  std::string_view request = {};  ///< the schema of the body in page/schemas.json; empty: no body
  /// The schema of the answer; or a media type, such as "text/html"; or both, with a space between.
  std::string_view answer;
  std::string_view parameter = {};  ///< the name of what "*" stands for
  std::string_view query = {};      ///< a parameter of the URL's query
  bool is_public = false;           ///< needs no API key
  bool takes_long = false;          ///< the handler is a work of the scheduler
  bool any_media_type = false;      ///< the Content-Type of the body is not checked
  bool needs_model = false;         ///< needs a sentence embedding model
  bool api_of_body = false;  ///< the body decides whether errors have the form of `api` or TEI's

  static constexpr Route get(Api api, std::string_view path, Handler handler,
                             std::string_view summary, std::string_view answer) {
    return {.method = "GET",
            .path = path,
            .api = api,
            .handler = handler,
            .summary = summary,
            .answer = answer};
  }
  static constexpr Route post(Api api, std::string_view path, Handler handler,
                              std::string_view summary, std::string_view request,
                              std::string_view answer) {
    Route route = get(api, path, handler, summary, answer);
    route.method = "POST";
    route.request = request;
    return route;
  }
  /// Returns this route with one of its flags set.
  constexpr Route with(bool Route::* flag) const {
    Route route = *this;
    route.*flag = true;
    return route;
  }
  /// Returns this route with names of parameters: of what "*" stands for, and in the URL's query.
  constexpr Route naming(std::string_view star, std::string_view in_query = {}) const {
    Route route = *this;
    route.parameter = star;
    route.query = in_query;
    return route;
  }
};

/// Options of a Service.
struct ServiceOptions {
  Limits limits = {};
  Access access = {};
  Keys keys = {};
  int workers = 1;              ///< the number of worker threads
  std::size_t cache_bytes = 0;  ///< the size of the cache of vectors; 0: no cache
};

/// The server without sockets: it takes requests and returns responses. Any number of threads may
/// call any member at once.
class Service {
 public:
  /// `models` has at least one model, a sentence embedding model or a reranker. `indexes` are the
  /// indexes that can be searched.
  Service(Models models, ServiceOptions options,
          std::vector<std::unique_ptr<ServedIndex>> indexes = {});

  /// The route of a request.
  struct Match {
    std::size_t route = 0;         ///< the number under which Metrics counts the request
    const Route* found = nullptr;  ///< null if no route has the request's method and path
    Api api = Api::own;            ///< the API whose form errors have
    std::string allow = {};        ///< the methods of the path, if it has not the request's
  };
  /// Finds the route of a request by its method and path.
  Match match(const RequestHead& head) const;
  /// Checks a request by its header, before the body is read: host, origin, API key, route and
  /// Content-Type. Returns nothing if it is accepted.
  std::optional<Failure> screen(const Match& match, const RequestHead& head) const;
  /// Answers a request. `match` must have a route. `reply` is called once with the response, on any
  /// thread, and never after the service was destroyed. `gone` is stopped if the client closes the
  /// connection; `arrived` is the time at which the request began.
  void handle(const Match& match, Request request, std::stop_token gone, Clock::time_point arrived,
              Exchange::Reply reply);
  /// Returns the response to a request that was refused, and counts the request.
  Response refusal(const Match& match, const Failure& failure, Clock::time_point arrived);
  /// Answers a CORS preflight, by which a browser asks whether a page may send a request, and
  /// counts it. Returns nothing if the request is none, or if its origin is not allowed.
  std::optional<Response> preflight(const RequestHead& head, Clock::time_point arrived);
  /// Adds the header fields that all responses have. `head` is the request's header.
  void add_common_headers(const RequestHead& head, Response& response) const;

  /// Makes /ready report that the server is shutting down, so that load balancers send no more
  /// requests.
  void drain() noexcept { draining_ = true; }
  bool draining() const noexcept { return draining_; }

  std::span<const Route> routes() const noexcept { return routes_; }
  const Models& models() const noexcept { return models_; }
  std::span<const std::unique_ptr<ServedIndex>> indexes() const noexcept { return indexes_; }
  const Limits& limits() const noexcept { return options_.limits; }
  const ServiceOptions& options() const noexcept { return options_; }
  Scheduler& scheduler() noexcept { return scheduler_; }
  RowCache& cache() noexcept { return cache_; }
  MemoryBudget& memory() noexcept { return memory_; }
  Metrics& metrics() noexcept { return metrics_; }
  /// The number of open connections. The connections count themselves.
  std::atomic<std::uint64_t>& connections() noexcept { return connections_; }
  /// Returns the values for /metrics that describe the present state.
  Gauges gauges() const;

 private:
  bool has_key(const Headers& headers) const;
  /// Reserves memory for a response until it is sent. Returns false if the memory budget is used
  /// up.
  bool count_memory(Response& response);

  const Models models_;
  const ServiceOptions options_;
  const std::vector<std::unique_ptr<ServedIndex>> indexes_;
  std::vector<Route> routes_;
  Metrics metrics_;
  RowCache cache_;
  MemoryBudget memory_;
  std::atomic<std::uint64_t> connections_ = 0;
  std::atomic<bool> draining_ = false;
  Scheduler scheduler_;  // declared last, because its workers use all other members
};

// The routes of each API. Each function has a file of its own in faces/server/routes.
std::span<const Route> openai_routes();
std::span<const Route> tei_routes();
std::span<const Route> ollama_routes();
std::span<const Route> cohere_routes();
std::span<const Route> rerank_routes();
std::span<const Route> page_routes();
std::span<const Route> map_routes();
std::span<const Route> search_routes();
std::span<const Route> status_routes();

}  // namespace embd::server
