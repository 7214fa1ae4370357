#include "base/quoted_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace embd {
namespace {

constexpr std::size_t most_names = 8;
constexpr std::size_t most_bytes = 40;

}  // namespace

std::string quoted_names(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    text += fmt::format("{}{:?}", i == 0 ? "" : ", ", names[i].substr(0, most_bytes));
  return names.size() > most_names ? text + ", …" : text;
}

}  // namespace embd
