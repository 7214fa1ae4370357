// Calls the functions of fmt that embd calls. If this program links, fmt.cc defines all of them.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> words = {"a", "b"};
  std::string out = fmt::format("{} {:.6g} {:?} {:>4}", 1.5F, 2.5, "x", true);
  fmt::format_to(std::back_inserter(out), "{:L} {} {:%Y}", 1000, fmt::join(words, ","),
                 fmt::gmtime(std::time_t{0}));
  return out.empty() ? 1 : 0;
}
