#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace embd::cli {
namespace {

constexpr int bar_width = 24;

std::string time_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(const std::string& when)
    : shown_(when == "always" || (when == "auto" && ::isatty(STDERR_FILENO) == 1)) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::uint64_t rows, std::optional<double> share_done) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string line = fmt::format("{} rows, {:.0f} rows/s", rows,
                                 seconds > 0 ? static_cast<double>(rows) / seconds : 0);
  if (share_done && *share_done > 0) {
    const double share = std::min(*share_done, 1.0);
    const int filled = static_cast<int>(share * bar_width);
    line = fmt::format("{:3.0f}% [{:=<{}}{: <{}}] {}, {} left", share * 100, "", filled, "",
                       bar_width - filled, line, time_text(seconds * (1 - share) / share));
  }
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

}  // namespace embd::cli
