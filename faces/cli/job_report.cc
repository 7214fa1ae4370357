#include "faces/cli/job_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/messages.h"
#include "base/os/cpu.h"
#include "base/os/file_descriptor.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "faces/cli/printing.h"

namespace embd::cli {
namespace {

constexpr int bar_width = 24;

std::string time_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// Returns a bar such as " 42% [==========              ]".
std::string share_bar(double share) {
  const int filled = static_cast<int>(share * bar_width);
  return fmt::format("{:3.0f}% [{:=<{}}{: <{}}]", share * 100, "", filled, "", bar_width - filled);
}

}  // namespace

Progress::Progress(const std::string& when)
    : shown_(when == "always" || (when == "auto" && os::is_error_terminal())) {}

void Progress::clear() {
  if (drawn_) say("\r\x1b[K");
  drawn_ = false;
}

/// Returns true if the line is shown and was not drawn in the last 0.2 seconds.
bool Progress::is_due() {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now < next_) return false;
  next_ = now + std::chrono::milliseconds(200);
  return true;
}

void Progress::show(std::string_view line) {
  drawn_ = true;
  say("\r{}\x1b[K", line);
}

void Progress::update(const EmbedProgress& progress) {
  if (!is_due()) return;
  std::string line = fmt::format("{}, {:.0f} tokens/s", counted(progress.rows, "row"),
                                 progress.tokens_per_second());
  if (const auto left = progress.seconds_left())
    line = fmt::format("{} {}, {} left", share_bar(*progress.share), line, time_text(*left));
  show(line);
}

void Progress::update(const GetModelProgress& progress) {
  if (!is_due()) return;
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  const double all = megabytes(progress.all_bytes);
  const double share = all > 0 ? megabytes(progress.bytes) / all : 1;
  show(fmt::format("{} {}, {:.0f} of {:.0f} MB", share_bar(share), printable(progress.file),
                   megabytes(progress.bytes), all));
}

Result<void> write_report(const std::string& path, const EmbedReport& report,
                          const ReportedModel& model) {
  const auto rows_of_run = static_cast<double>(report.rows - report.resumed_rows);
  nlohmann::ordered_json json = {
      {"rows", report.rows},
      {"resumed_rows", report.resumed_rows},
      {"tokens", report.tokens},
      {"truncated_rows", report.truncated_rows},
      {"empty_rows", report.empty_rows},
      {"repeated_rows", report.repeated_rows},
      {"seconds", report.seconds},
      {"rows_per_second", rows_of_run / report.seconds},
      {"tokens_per_second", static_cast<double>(report.tokens) / report.seconds},
      {"threads", model.threads > 0 ? model.threads : available_threads()},
      {"kernels", model.kernels},
      {"compute", compute_name(model.compute)},
      {"model", model.name},
  };
  if (model.dim) json["dim"] = *model.dim;
  if (report.digest) json["digest"] = EMBD_TRY(parse_ordered_json(report.digest->to_json()));
  return write_text_file(path_of_text(path), json.dump(2) + "\n");
}

}  // namespace embd::cli
