#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/row_cache.h"
#include "server/access.h"
#include "server/exchange.h"
#include "server/keys.h"
#include "server/limits.h"
#include "server/metrics.h"
#include "server/models.h"
#include "server/scheduler.h"
#include "server/served_index.h"

namespace embd::server {

class Service;

/// Answers `call`, now or later on another thread, or says why not.
using Handler = Answerable<void> (*)(Service& service, const Call& call);

struct Route {
  std::string_view method;  ///< "GET", which HEAD is, too, or "POST"
  std::string_view path;    ///< "*" stands for one character or more
  Api api;
  Handler handler;
  bool is_public = false;       ///< needs no key
  bool takes_long = false;      ///< not for the thread that serves connections
  bool any_media_type = false;  ///< a body need not call itself JSON
  bool needs_model = false;     ///< of embeddings
};

struct ServiceOptions {
  Limits limits = {};
  Access access = {};
  Keys keys = {};
  int workers = 1;
  std::size_t cache_bytes = 0;
};

/// The server without its sockets: request in, response out. Any thread may call any member.
class Service {
 public:
  /// `models`: one at least, of embeddings or a reranker. `indexes`: what /search searches.
  Service(Models models, ServiceOptions options,
          std::vector<std::unique_ptr<ServedIndex>> indexes = {});

  /// Where a request goes, by method and path; `wrong_method` and `unknown` are routes, too.
  struct Match {
    std::size_t route = 0;  ///< for count()
    const Route* found = nullptr;
    Api api = Api::own;
    std::string allow = {};  ///< methods there are, where this one is not
  };
  Match match(const RequestHead& head) const;
  /// Everything that can be refused before the body is read.
  std::optional<Failure> screen(const Match& match, const RequestHead& head) const;
  /// `reply` is called once, on any thread; not after this service's end.
  void handle(const Match& match, Request request, std::stop_token gone, Clock::time_point arrived,
              Exchange::Reply reply);
  /// The answer to a failed request, counted.
  Response refusal(const Match& match, const Failure& failure, Clock::time_point arrived);
  /// Answers a browser's question whether a page may send a request. The answer is counted.
  std::optional<Response> preflight(const RequestHead& head, Clock::time_point arrived);
  /// Adds the headers of every answer to `head`.
  void add_common_headers(const RequestHead& head, Response& response) const;

  /// From now on /ready says no.
  void drain() noexcept { draining_ = true; }
  bool draining() const noexcept { return draining_; }

  const Models& models() const noexcept { return models_; }
  std::span<const std::unique_ptr<ServedIndex>> indexes() const noexcept { return indexes_; }
  const Limits& limits() const noexcept { return options_.limits; }
  const ServiceOptions& options() const noexcept { return options_; }
  Scheduler& scheduler() noexcept { return scheduler_; }
  RowCache& cache() noexcept { return cache_; }
  MemoryBudget& memory() noexcept { return memory_; }
  Metrics& metrics() noexcept { return metrics_; }
  /// Open connections, which whoever serves them counts.
  std::atomic<std::uint64_t>& connections() noexcept { return connections_; }
  Gauges gauges() const;

 private:
  bool has_key(const Headers& headers) const;
  /// False where there is no memory left to hold the answer until its client has taken it.
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
  Scheduler scheduler_;  // last: its workers use all of the above
};

// The routes of each API, one file each in server/routes.
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
