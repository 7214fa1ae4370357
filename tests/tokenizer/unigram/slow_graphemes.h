#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace embd::testing {

/// A second, independent implementation of grapheme clusters, with which the fast one is compared.
/// It uses the ranges of graphemes_unicode17.tsv.gz and the rules of Unicode's annex 29, each of
/// which looks back as far as it needs. Slow.
class SlowGraphemes {
 public:
  explicit SlowGraphemes(const std::string& path);

  /// Returns the Grapheme_Cluster_Break of a code point, Extended_Pictographic or InCB_Consonant;
  /// "Other" if it has none of these.
  const std::string& property(char32_t code_point) const;
  bool is_linker(char32_t code_point) const { return linkers_.contains(code_point); }
  bool is_conjunct_extend(char32_t code_point) const { return extends_.contains(code_point); }
  /// Returns true if a cluster ends between text[i - 1] and text[i].
  bool breaks(std::u32string_view text, std::size_t i) const;
  std::vector<std::u32string_view> split(std::u32string_view text) const;

 private:
  struct Range {
    char32_t last;
    std::string property;
  };
  std::map<char32_t, Range> ranges_;  ///< The ranges, by their first code point.
  std::unordered_set<char32_t> linkers_;
  std::unordered_set<char32_t> extends_;
};

}  // namespace embd::testing
