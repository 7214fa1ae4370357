#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "embd/embed_file.h"
#include "embd/get_model.h"

namespace embd::cli {

/// A line on standard error that shows the progress of a job or a download, and is rewritten in
/// place.
class Progress {
 public:
  /// `when` is "auto" (show the line if standard error is a terminal), "always" or "never".
  explicit Progress(const std::string& when);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the number of finished rows and the tokens per second and, if the size of the input is
  /// known, the finished share and the time left. The line is redrawn at most five times a second,
  /// however often this is called.
  void update(const EmbedProgress& progress);
  /// Shows the file that is being downloaded, and how many bytes have arrived.
  void update(const GetModelProgress& progress);
  /// Removes the line.
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
