#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace embd::testing {

/// Grapheme clusters a second time, by the book: the ranges of graphemes_unicode17.tsv.gz and the
/// rules of Unicode's annex 29, each looking back as far as it has to. Slow; for comparison.
class SlowGraphemes {
 public:
  explicit SlowGraphemes(const std::string& path);

  /// Grapheme_Cluster_Break, Extended_Pictographic or InCB_Consonant; "Other" for the rest.
  const std::string& property(char32_t code_point) const;
  bool is_linker(char32_t code_point) const { return linkers_.contains(code_point); }
  bool is_conjunct_extend(char32_t code_point) const { return extends_.contains(code_point); }
  /// Whether a cluster ends between text[i - 1] and text[i].
  bool breaks(std::u32string_view text, std::size_t i) const;
  std::vector<std::u32string_view> split(std::u32string_view text) const;

 private:
  struct Range {
    char32_t last;
    std::string property;
  };
  std::map<char32_t, Range> ranges_;  ///< by the first code point
  std::unordered_set<char32_t> linkers_;
  std::unordered_set<char32_t> extends_;
};

}  // namespace embd::testing
