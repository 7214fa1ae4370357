#include "server/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "embd/version.h"

namespace embd::server {
namespace {

void describe(std::string& out, std::string_view name, std::string_view type,
              std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

template <class Value>
void single(std::string& out, std::string_view name, std::string_view type, std::string_view help,
            Value value) {
  describe(out, name, type, help);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
}

/// `labels`: empty, or `api="tei",`.
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

Metrics::Metrics(std::vector<std::string> routes, std::vector<std::string> groups)
    : routes_(routes.size()) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    routes_[i].name = std::move(routes[i]);
    auto group = std::ranges::find(groups_, groups[i], &Group::name);
    if (group == groups_.end()) {
      groups_.emplace_back().name = std::move(groups[i]);
      group = std::prev(groups_.end());
    }
    routes_[i].group = static_cast<std::size_t>(group - groups_.begin());
  }
}

void Metrics::count_request(std::size_t route, int status, double seconds) noexcept {
  const auto found = std::ranges::find(statuses, status);
  const auto place = found == statuses.end() ? statuses.size() - 1
                                             : static_cast<std::size_t>(found - statuses.begin());
  routes_[route].requests[place].add();
  groups_[routes_[route].group].seconds.observe(seconds);
}

std::string Metrics::render(const Gauges& gauges) const {
  std::string out;
  describe(out, "embd_requests_total", "counter", "Requests answered, by route and status.");
  for (const auto& route : routes_) {
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      fmt::format_to(std::back_inserter(out),
                     "embd_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", route.name,
                     statuses[i], route.requests[i].value());
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
  single(out, "embd_texts_total", "counter", "Texts embedded.", texts.value());
  single(out, "embd_tokens_total", "counter", "Tokens that went through the model.",
         tokens.value());
  single(out, "embd_truncated_texts_total", "counter", "Texts longer than the model takes.",
         truncated_texts.value());
  single(out, "embd_pairs_total", "counter", "Pairs of texts scored.", pairs.value());
  single(out, "embd_truncated_pairs_total", "counter", "Pairs longer than the reranker takes.",
         truncated_pairs.value());
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
  single(out, "process_resident_memory_bytes", "gauge", "Memory of the process.", resident_bytes());
  describe(out, "embd_build_info", "gauge", "Always 1.");
  fmt::format_to(std::back_inserter(out), "embd_build_info{{version=\"{}\"}} 1\n", version());
  return out;
}

std::uint64_t resident_bytes() noexcept {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long pages = 0;
  const int read = std::fscanf(file, "%*u %lu", &pages);
  std::fclose(file);
  return read == 1 ? pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace embd::server
