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

/// The model of a job, and how it was run, for write_report().
struct ReportedModel {
  std::string_view name;
  std::string_view kernels;
  Compute compute;
  int threads;                            ///< 0: as many as affinity and the cgroup allow
  std::optional<std::uint32_t> dim = {};  ///< the number of values of a vector
};

/// Writes the file of `embed --report` and `rerank --report`: a JSON object with the numbers of
/// rows and tokens, the time and the model.
Result<void> write_report(const std::string& path, const EmbedReport& report,
                          const ReportedModel& model);

}  // namespace embd::cli
