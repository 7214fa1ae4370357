#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd {

/// The terms of an index, in ascending order of their bytes. The column of a term is its number in
/// this order. A vocabulary refers to memory of others, which must outlive it.
class TermVocabulary {
 public:
  /// Takes terms that are sorted and differ.
  explicit TermVocabulary(std::vector<std::string_view> terms) : terms_(std::move(terms)) {}
  /// Reads the file `vocab.index.json`, which must consist of append_member() for each term,
  /// in braces. Fails with bad_json for another form; with bad_value for terms that do not ascend
  /// and for other columns; with invalid_utf8. The offset is the place in the file. `num_terms` is
  /// the number of terms for which memory is taken at once; the file may have another.
  static Result<TermVocabulary> parse(Bytes file, std::size_t num_terms = 0);

  std::size_t size() const noexcept { return terms_.size(); }
  std::string_view operator[](std::size_t column) const noexcept { return terms_[column]; }
  /// Returns the column of a term; nullopt if there is no such term.
  std::optional<std::size_t> find(std::string_view term) const noexcept;
  /// Appends the member of a term to the text of the JSON object that the file consists of.
  void append_member(std::size_t column, std::string& json) const;

 private:
  class Parser;

  std::vector<std::string_view> terms_;
  std::deque<std::string> unescaped_;  // those that the file does not have as they are
};

}  // namespace embd
