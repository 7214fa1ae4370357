#pragma once

#include <chrono>
#include <string>

#include "embd/embed_file.h"

namespace embd::cli {

/// One line on standard error that is written again and again: rows finished, tokens a second, and
/// where the size of the input is known, the share done and the time left.
class Progress {
 public:
  /// `when`: auto (if standard error is a terminal), always, never.
  explicit Progress(const std::string& when);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Call as often as you like: it draws five times a second at most.
  void update(const EmbedProgress& progress);
  /// Takes the line away.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_ = false;
  bool drawn_ = false;
  Clock::time_point next_ = Clock::now();
};

}  // namespace embd::cli
