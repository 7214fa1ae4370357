#include "base/messages.h"

#include <algorithm>
#include <cctype>

namespace embd {
namespace {

constexpr std::size_t most_names = 8;
constexpr std::size_t most_bytes = 40;

constexpr std::size_t letters_per_mistake = 3;

bool is_same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Returns the smallest number of letters that must be added, removed, replaced, or swapped with
/// the next letter to turn `a` into `b`.
std::size_t mistakes_between(std::string_view a, std::string_view b) {
  // rows[i][j] is the number for the first i letters of a and the first j letters of b.
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced =
          rows[i - 1][j - 1] + (is_same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
          is_same_letter(a[i - 2], b[j - 1]))
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows.back().back();
}

}  // namespace

std::string quoted_names(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    text += fmt::format("{}{:?}", i == 0 ? "" : ", ", names[i].substr(0, most_bytes));
  return names.size() > most_names ? text + ", …" : text;
}

std::string nearest_name(std::string_view given, std::span<const std::string> names) {
  std::string nearest;
  std::size_t least = given.size() / letters_per_mistake + 1;
  for (const std::string& name : names) {
    // Each byte of difference in length is a mistake, too: most names need no look at their
    // letters.
    const std::size_t longer = std::max(given.size(), name.size());
    if (longer - std::min(given.size(), name.size()) >= least) continue;
    const std::size_t mistakes = mistakes_between(given, name);
    if (mistakes >= least) continue;
    least = mistakes;
    nearest = name;
  }
  return nearest;
}

std::string did_you_mean(std::string_view given, std::span<const std::string> names) {
  const std::string nearest = nearest_name(given, names);
  return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
}

}  // namespace embd
