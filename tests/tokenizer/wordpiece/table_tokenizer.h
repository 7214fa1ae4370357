#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace embd::testing {

/// The tokenizer a second time, by the book and from tables alone: no utf8proc, nothing shared with
/// tokenizer/, whole texts as code points, canonical reordering included. Slow; for comparison.
class TableTokenizer {
 public:
  /// Both paths are .gz files of tests/data/tokenizer.
  TableTokenizer(const std::string& class_table, const std::string& vocabulary);

  /// A row of codepoints_class: the code points first … last behave alike.
  struct Row {
    char32_t first;
    char32_t last;
    char character_class;
    int combining_class;
    std::string output;
  };
  const std::vector<Row>& rows() const noexcept { return rows_; }
  const Row& row(char32_t code_point) const;
  /// Returns the replacement of a code point of class C, P, K or H.
  static std::u32string output(const Row& row, char32_t code_point);

  /// [CLS] … [SEP], not cut.
  std::vector<std::int32_t> encode(std::string_view utf8) const;

 private:
  std::vector<std::u32string> words(std::u32string_view text) const;
  void append_pieces(std::u32string_view word, std::vector<std::int32_t>& ids) const;

  std::vector<Row> rows_;
  std::unordered_map<std::u32string, std::int32_t> vocabulary_;
};

/// Python's bytes.decode("utf-8", "replace"): U+FFFD for each maximal malformed part.
std::u32string decode_with_replacement(std::string_view utf8);

}  // namespace embd::testing
