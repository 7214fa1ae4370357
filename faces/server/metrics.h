#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace embd::server {

/// A counter that any number of threads may use at once.
class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// A histogram of durations. The bounds of its buckets go from 0.25 ms to 65 s; each bound is twice
/// the one before. Any number of threads may use it at once.
class Histogram {
 public:
  static constexpr std::size_t num_bounds = 19;
  /// Returns the upper bound of bucket i in seconds.
  static double bound(std::size_t i) noexcept;

  /// Counts a duration.
  void observe(double seconds) noexcept;
  /// Returns the number of durations in bucket i. Bucket num_bounds has the durations above the
  /// last bound.
  std::uint64_t count(std::size_t i) const noexcept {
    return counts_[i].load(std::memory_order_relaxed);
  }
  /// Returns the sum of all durations in seconds.
  double sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, num_bounds + 1> counts_{};
  std::atomic<double> sum_ = 0;
};

/// The values in /metrics that describe the present state, in contrast to counters.
struct Gauges {
  std::uint64_t queued_tokens = 0;
  std::uint64_t queued_requests = 0;
  double tokens_per_second = 0;
  std::uint64_t connections = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t cache_entries = 0;
  bool ready = false;
};

/// The counters of a model's work.
struct ModelCounters {
  std::string name;
  Counter texts;
  Counter tokens;
  Counter truncated_texts;
  Counter pairs;
  Counter truncated_pairs;
};

/// The values that the route /metrics shows. All series are present from the start, with the value
/// 0. Any number of threads may call any member at once.
class Metrics {
 public:
  /// `routes` has the names of all routes. `groups` has a name for each route; durations of routes
  /// with equal names are counted together. `models` has the names of the models whose work is
  /// counted.
  Metrics(std::vector<std::string> routes, std::vector<std::string> groups,
          std::vector<std::string> models);

  /// Counts a request that was answered. `route` is the number of its route, from 0; `status` is
  /// one of all_statuses().
  void count_request(std::size_t route, int status, double seconds) noexcept;
  /// Returns the counters of a model, which must be one of the constructor's `models`.
  ModelCounters& model(std::string_view name) noexcept;
  /// Returns all values in Prometheus' text format 0.0.4.
  std::string render(const Gauges& gauges) const;

  Counter cache_hits;
  Counter cache_misses;
  Counter refused_connections;
  Histogram queue_seconds;  ///< the time of a request in the queue, until its first slice began
  Histogram model_seconds;  ///< the time that workers spent on a request

 private:
  struct Route {
    std::string name;
    std::deque<Counter> requests;  ///< a counter for each of all_statuses()
    std::size_t group = 0;
  };
  struct Group {
    std::string name;
    Histogram seconds;
  };
  std::vector<Route> routes_;
  std::deque<Group> groups_;
  std::deque<ModelCounters> models_;
};

}  // namespace embd::server
