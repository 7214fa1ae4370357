#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace embd::server {

class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// Of seconds, in buckets from 0.25 ms to 65 s, each twice as wide as the one before.
class Histogram {
 public:
  static constexpr std::size_t num_bounds = 19;
  static double bound(std::size_t i) noexcept;

  void observe(double seconds) noexcept;
  /// Of bucket i alone; bucket num_bounds is of all that is longer.
  std::uint64_t count(std::size_t i) const noexcept {
    return counts_[i].load(std::memory_order_relaxed);
  }
  double sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, num_bounds + 1> counts_{};
  std::atomic<double> sum_ = 0;
};

/// Values of one moment, beside the counters.
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

/// Everything /metrics says. All series are there from the start. Any thread may call any member.
class Metrics {
 public:
  /// `routes`: the names of all routes that requests are counted under.
  /// `groups`: for each route, by which name its durations are counted together with others'.
  /// `models`: the names of those whose work is counted.
  Metrics(std::vector<std::string> routes, std::vector<std::string> groups,
          std::vector<std::string> models);

  /// A request that was answered with one of all_statuses(); `route` counts from 0.
  void count_request(std::size_t route, int status, double seconds) noexcept;
  /// The counters of a model that the constructor was told of.
  ModelCounters& model(std::string_view name) noexcept;
  /// Prometheus' text format 0.0.4.
  std::string render(const Gauges& gauges) const;

  Counter cache_hits;
  Counter cache_misses;
  Counter refused_connections;
  Histogram queue_seconds;  ///< of a request that was computed: until its first slice
  Histogram model_seconds;  ///< of workers on it

 private:
  struct Route {
    std::string name;
    std::deque<Counter> requests;  ///< of each of all_statuses()
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
