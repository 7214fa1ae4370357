#include "cli/progress.h"

#include <fmt/format.h>

#include <cmath>

#include "base/os/standard_streams.h"
#include "cli/standard_error.h"

namespace embd::cli {
namespace {

constexpr int bar_width = 24;

std::string time_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(const std::string& when)
    : shown_(when == "always" || (when == "auto" && os::is_error_terminal())) {}

void Progress::clear() {
  if (drawn_) say("\r\x1b[K");
  drawn_ = false;
}

void Progress::update(const EmbedProgress& progress) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  drawn_ = true;
  std::string line =
      fmt::format("{} rows, {:.0f} tokens/s", progress.rows, progress.tokens_per_second());
  if (const auto left = progress.seconds_left()) {
    const double share = *progress.share;
    const int filled = static_cast<int>(share * bar_width);
    line = fmt::format("{:3.0f}% [{:=<{}}{: <{}}] {}, {} left", share * 100, "", filled, "",
                       bar_width - filled, line, time_text(*left));
  }
  say("\r{}\x1b[K", line);
}

}  // namespace embd::cli
