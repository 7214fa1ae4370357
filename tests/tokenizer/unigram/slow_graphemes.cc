#include "tests/tokenizer/unigram/slow_graphemes.h"

#include "tests/support/gzip.h"
#include "tests/support/split.h"

namespace embd::testing {

SlowGraphemes::SlowGraphemes(const std::string& path) {
  const std::string table = read_gzip(path);
  for (const std::string_view line : testing::split(table, '\n')) {
    if (line.starts_with('#')) continue;
    const auto fields = testing::split(line, '\t');
    const auto first = static_cast<char32_t>(std::stoul(std::string(fields[0]), nullptr, 16));
    const auto last = static_cast<char32_t>(std::stoul(std::string(fields[1]), nullptr, 16));
    if (fields[2] == "InCB_Linker" || fields[2] == "InCB_Extend") {
      auto& set = fields[2] == "InCB_Linker" ? linkers_ : extends_;
      for (char32_t c = first; c <= last; ++c) set.insert(c);
    } else {
      ranges_[first] = {last, std::string(fields[2])};
    }
  }
}

const std::string& SlowGraphemes::property(char32_t code_point) const {
  static const std::string other = "Other";
  const auto after = ranges_.upper_bound(code_point);
  if (after == ranges_.begin()) return other;
  const Range& range = std::prev(after)->second;
  return code_point <= range.last ? range.property : other;
}

bool SlowGraphemes::breaks(std::u32string_view text, std::size_t i) const {
  const std::string& a = property(text[i - 1]);
  const std::string& b = property(text[i]);
  const auto is_control = [](const std::string& p) {
    return p == "Control" || p == "CR" || p == "LF";
  };
  if (a == "CR" && b == "LF") return false;                                         // GB3
  if (is_control(a) || is_control(b)) return true;                                  // GB4, GB5
  if (a == "L" && (b == "L" || b == "V" || b == "LV" || b == "LVT")) return false;  // GB6
  if ((a == "LV" || a == "V") && (b == "V" || b == "T")) return false;              // GB7
  if ((a == "LVT" || a == "T") && b == "T") return false;                           // GB8
  if (b == "Extend" || b == "ZWJ" || b == "SpacingMark" || a == "Prepend") return false;
  if (b == "InCB_Consonant") {  // GB9c
    bool linked = false;
    for (std::size_t j = i; j-- > 0;) {
      if (is_linker(text[j])) {
        linked = true;
      } else if (!is_conjunct_extend(text[j])) {
        return !(linked && property(text[j]) == "InCB_Consonant");
      }
    }
    return true;
  }
  if (a == "ZWJ" && b == "Extended_Pictographic") {  // GB11
    std::size_t j = i - 1;
    while (j > 0 && property(text[j - 1]) == "Extend") --j;
    return j == 0 || property(text[j - 1]) != "Extended_Pictographic";
  }
  if (a == "Regional_Indicator" && b == "Regional_Indicator") {  // GB12, GB13
    std::size_t before = 0;
    while (before < i && property(text[i - 1 - before]) == "Regional_Indicator") ++before;
    return before % 2 == 0;
  }
  return true;
}

std::vector<std::u32string_view> SlowGraphemes::split(std::u32string_view text) const {
  std::vector<std::u32string_view> clusters;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    if (i < text.size() && !breaks(text, i)) continue;
    clusters.push_back(text.substr(start, i - start));
    start = i;
  }
  return clusters;
}

}  // namespace embd::testing
