#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace embd::cli {

/// One line on standard error that is written again and again: rows, rate, and where the size of
/// the input is known, the share done and the time left.
class Progress {
 public:
  /// `when`: auto (if standard error is a terminal), always, never.
  explicit Progress(const std::string& when);
  /// Clears the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Call as often as you like: it draws five times a second at most.
  void update(std::uint64_t rows, std::optional<double> share_done);

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_ = false;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
};

}  // namespace embd::cli
