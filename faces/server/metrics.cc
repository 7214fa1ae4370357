#include "faces/server/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/os/process.h"
#include "embd/version.h"
#include "faces/server/failure.h"

namespace embd::server {
namespace {

void describe(std::string& out, std::string_view name, std::string_view type,
              std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

/// Returns the value of a label in quotes, with the three characters escaped that Prometheus' text
/// format requires.
std::string label_value(std::string_view value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return quoted + '"';
}

template <class Value>
void single(std::string& out, std::string_view name, std::string_view type, std::string_view help,
            Value value) {
  describe(out, name, type, help);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
}

/// Appends a series for each model.
void of_models(std::string& out, const std::deque<ModelCounters>& models, std::string_view name,
               std::string_view help, Counter ModelCounters::* counter) {
  describe(out, name, "counter", help);
  for (const ModelCounters& model : models) {
    fmt::format_to(std::back_inserter(out), "{}{{model={}}} {}\n", name, label_value(model.name),
                   (model.*counter).value());
  }
}

/// Appends the series of a histogram. `labels` is empty or has further labels, such as
/// `api="tei",`.
void histogram(std::string& out, std::string_view name, std::string_view labels,
               const Histogram& values) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < Histogram::num_bounds; ++i) {
    count += values.count(i);
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}le=\"{}\"}} {}\n", name, labels,
                   Histogram::bound(i), count);
  }
  count += values.count(Histogram::num_bounds);
  const std::string_view own = labels.substr(0, labels.empty() ? 0 : labels.size() - 1);
  const std::string braces = own.empty() ? std::string() : fmt::format("{{{}}}", own);
  fmt::format_to(std::back_inserter(out), "{0}_bucket{{{1}le=\"+Inf\"}} {3}\n{0}_sum{2} {4}\n",
                 name, labels, braces, count, values.sum());
  fmt::format_to(std::back_inserter(out), "{}_count{} {}\n", name, braces, count);
}

}  // namespace

double Histogram::bound(std::size_t i) noexcept {
  return std::ldexp(0.00025, static_cast<int>(i));
}

void Histogram::observe(double seconds) noexcept {
  std::size_t i = 0;
  while (i < num_bounds && seconds > bound(i)) ++i;
  counts_[i].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(seconds, std::memory_order_relaxed);
}

Metrics::Metrics(std::vector<std::string> routes, std::vector<std::string> groups,
                 std::vector<std::string> models)
    : routes_(routes.size()) {
  for (std::string& name : models) {
    if (std::ranges::find(models_, name, &ModelCounters::name) == models_.end())
      models_.emplace_back().name = std::move(name);
  }
  for (std::size_t i = 0; i < routes.size(); ++i) {
    routes_[i].name = std::move(routes[i]);
    routes_[i].requests.resize(all_statuses().size());
    auto group = std::ranges::find(groups_, groups[i], &Group::name);
    if (group == groups_.end()) {
      groups_.emplace_back().name = std::move(groups[i]);
      group = std::prev(groups_.end());
    }
    routes_[i].group = static_cast<std::size_t>(group - groups_.begin());
  }
}

void Metrics::count_request(std::size_t route, int status, double seconds) noexcept {
  const std::span<const int> statuses = all_statuses();
  const auto place = std::ranges::lower_bound(statuses, status) - statuses.begin();
  routes_[route].requests[static_cast<std::size_t>(place)].add();
  groups_[routes_[route].group].seconds.observe(seconds);
}

ModelCounters& Metrics::model(std::string_view name) noexcept {
  return *std::ranges::find(models_, name, &ModelCounters::name);
}

std::string Metrics::render(const Gauges& gauges) const {
  std::string out;
  describe(out, "embd_requests_total", "counter", "Requests answered, by route and status.");
  for (const auto& route : routes_) {
    for (std::size_t i = 0; i < all_statuses().size(); ++i) {
      fmt::format_to(std::back_inserter(out),
                     "embd_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", route.name,
                     all_statuses()[i], route.requests[i].value());
    }
  }
  describe(out, "embd_request_duration_seconds", "histogram",
           "From a request's header to its answer.");
  for (const auto& group : groups_) {
    histogram(out, "embd_request_duration_seconds", fmt::format("api=\"{}\",", group.name),
              group.seconds);
  }
  describe(out, "embd_queue_duration_seconds", "histogram", "From admission to the first worker.");
  histogram(out, "embd_queue_duration_seconds", "", queue_seconds);
  describe(out, "embd_model_duration_seconds", "histogram",
           "Time of all workers on one request, added.");
  histogram(out, "embd_model_duration_seconds", "", model_seconds);
  of_models(out, models_, "embd_texts_total", "Texts embedded.", &ModelCounters::texts);
  of_models(out, models_, "embd_tokens_total", "Tokens that went through the model.",
            &ModelCounters::tokens);
  of_models(out, models_, "embd_truncated_texts_total", "Texts longer than the model takes.",
            &ModelCounters::truncated_texts);
  of_models(out, models_, "embd_pairs_total", "Pairs of texts scored.", &ModelCounters::pairs);
  of_models(out, models_, "embd_truncated_pairs_total", "Pairs longer than the reranker takes.",
            &ModelCounters::truncated_pairs);
  single(out, "embd_cache_hits_total", "counter", "Texts whose vector was kept.",
         cache_hits.value());
  single(out, "embd_cache_misses_total", "counter", "Texts whose vector had to be computed.",
         cache_misses.value());
  single(out, "embd_refused_connections_total", "counter", "Connections beyond the limit.",
         refused_connections.value());
  single(out, "embd_queue_tokens", "gauge", "Tokens admitted and not yet done.",
         gauges.queued_tokens);
  single(out, "embd_queue_requests", "gauge", "Requests that wait for a worker.",
         gauges.queued_requests);
  single(out, "embd_tokens_per_second", "gauge", "Speed by which the queue is judged.",
         gauges.tokens_per_second);
  single(out, "embd_connections", "gauge", "Open connections.", gauges.connections);
  single(out, "embd_cache_bytes", "gauge", "Memory of kept vectors.", gauges.cache_bytes);
  single(out, "embd_cache_entries", "gauge", "Kept vectors.", gauges.cache_entries);
  single(out, "embd_ready", "gauge", "1 while requests are taken, 0 while draining.",
         gauges.ready ? 1 : 0);
  single(out, "process_resident_memory_bytes", "gauge", "Memory of the process.",
         os::resident_bytes());
  describe(out, "embd_build_info", "gauge", "Always 1.");
  fmt::format_to(std::back_inserter(out), "embd_build_info{{version=\"{}\"}} 1\n", version());
  return out;
}

}  // namespace embd::server
