#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "embd/embed_file.h"
#include "embd/get_model.h"

namespace embd::cli {

/// One line on standard error that is written again and again: how far a job or a download is.
class Progress {
 public:
  /// `when`: auto (if standard error is a terminal), always, never.
  explicit Progress(const std::string& when);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Call as often as you like: it draws five times a second at most.
  ///
  /// Rows finished, tokens a second, and where the size of the input is known, the share done and
  /// the time left.
  void update(const EmbedProgress& progress);
  /// The file that is being fetched, and the bytes that are there.
  void update(const GetModelProgress& progress);
  /// Takes the line away.
  void clear();

 private:
  bool is_due();
  void show(std::string_view line);

  using Clock = std::chrono::steady_clock;

  bool shown_ = false;
  bool drawn_ = false;
  Clock::time_point next_ = Clock::now();
};

}  // namespace embd::cli
