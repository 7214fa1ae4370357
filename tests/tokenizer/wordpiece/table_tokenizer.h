#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace embd::testing {

/// A second, independent implementation of the WordPiece tokenizer, with which the fast one is
/// compared. It works from tables alone, without utf8proc and without code of tokenizer/. It
/// handles whole texts as code points and includes canonical reordering. Slow.
class TableTokenizer {
 public:
  /// Reads the tables; both paths are .gz files of tests/data/tokenizer.
  TableTokenizer(const std::string& class_table, const std::string& vocabulary);

  /// A row of codepoints_class: the code points from `first` to `last` have one class.
  struct Row {
    char32_t first;
    char32_t last;
    char character_class;
    int combining_class;
    std::string output;
  };
  const std::vector<Row>& rows() const noexcept { return rows_; }
  const Row& row(char32_t code_point) const;
  /// Returns the replacement of a code point whose class is C, P, K or H.
  static std::u32string output(const Row& row, char32_t code_point);

  /// Tokenizes a text to [CLS] … [SEP] without truncation.
  std::vector<std::int32_t> encode(std::string_view utf8) const;

 private:
  std::vector<std::u32string> words(std::u32string_view text) const;
  void append_pieces(std::u32string_view word, std::vector<std::int32_t>& ids) const;

  std::vector<Row> rows_;
  std::unordered_map<std::u32string, std::int32_t> vocabulary_;
};

/// Decodes as bytes.decode("utf-8", "replace") of Python does: U+FFFD for each maximal malformed
/// part.
std::u32string decode_with_replacement(std::string_view utf8);

}  // namespace embd::testing
