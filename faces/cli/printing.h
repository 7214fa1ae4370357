#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "base/output_file.h"
#include "embd/embed_file.h"
#include "embd/get_model.h"

namespace embd::cli {

/// Returns a text in a form that can be printed in a line of a message or a table. Control
/// characters (Unicode category Cc) become escapes such as \n, \t and \x1b, because they would end
/// the line or control the terminal. For texts from files, names and arguments.
std::string printable(std::string_view text);

/// Prints `text` on standard error. If that is impossible, because standard error is closed or its
/// disk is full, the text is lost and no error is reported.
void print_to_standard_error(std::string_view text) noexcept;

/// Prints a formatted text on standard error; the arguments are passed to fmt::format().
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_to_standard_error(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Writes to standard output. A failure, such as a closed pipe or a full disk, is returned as an
/// error.
class StandardOutput {
 public:
  static Result<StandardOutput> open();

  Result<void> print(std::string_view text) { return file_.write(as_bytes(text)); }
  /// Writes all that waits in memory. Call it at the end, because it can fail.
  Result<void> finish() { return file_.finish(); }

 private:
  explicit StandardOutput(OutputFile file) : file_(std::move(file)) {}

  OutputFile file_;
};

/// Prints `text` on standard output.
Result<void> print_to_standard_output(std::string_view text);

/// Returns a JSON object in a form for people: a line "name: value" for each member, in order.
/// Members of nested objects are indented. A list of tensors has a line for each tensor.
std::string as_lines(std::string_view json);

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
