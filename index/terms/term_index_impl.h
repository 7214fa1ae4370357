#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "embd/terms.h"
#include "index/terms/bm25.h"
#include "index/terms/vocabulary.h"

namespace embd {

/// The numbers of a term index, in memory that somebody else owns. The postings of a term stand
/// together, in ascending order of rows. Those of column c are [starts[c], starts[c + 1]).
struct TermPostings {
  std::span<const std::int64_t> starts;    ///< [terms + 1]
  std::span<const std::uint32_t> rows;     ///< [postings]
  std::span<const float> scores;           ///< [postings]
  std::span<const std::uint16_t> counts;   ///< [postings] how often the row has the term
  std::span<const std::uint32_t> lengths;  ///< [rows] terms in a row
};

/// The index behind TermIndex, of files or of memory.
class TermIndex::Impl {
 public:
  /// `memory` owns everything that the postings and the vocabulary refer to.
  Impl(TermRecipe recipe, const TermPostings& postings, TermVocabulary vocabulary,
       std::shared_ptr<const void> memory)
      : recipe_(std::move(recipe)),
        postings_(postings),
        vocabulary_(std::move(vocabulary)),
        memory_(std::move(memory)),
        bm25_(recipe_.k1, recipe_.b, postings.lengths) {}

  static TermIndex make(std::unique_ptr<Impl> impl) { return TermIndex(std::move(impl)); }

  const TermRecipe& recipe() const noexcept { return recipe_; }
  const TermPostings& postings() const noexcept { return postings_; }
  const TermVocabulary& vocabulary() const noexcept { return vocabulary_; }
  const Bm25& bm25() const noexcept { return bm25_; }
  /// Returns the number of rows that have a term.
  std::uint64_t num_rows_with(std::size_t column) const noexcept {
    return static_cast<std::uint64_t>(postings_.starts[column + 1] - postings_.starts[column]);
  }

  Result<void> check() const;
  Result<std::vector<TermHit>> search(std::span<const std::string> query_terms, std::size_t k,
                                      const TermSearchOptions& options) const;
  Result<std::vector<float>> scores(std::span<const std::string> query_terms,
                                    std::span<const std::uint64_t> rows) const;

 private:
  /// A position in the postings of a term, for each term of a query that the index has.
  struct Cursor {
    std::size_t at = 0;
    std::size_t end = 0;
  };
  std::vector<Cursor> cursors_of(std::span<const std::string> query_terms) const;
  void add_window(std::vector<Cursor>& cursors, std::uint64_t first,
                  std::span<float> sums) const noexcept;

  TermRecipe recipe_;
  TermPostings postings_;
  TermVocabulary vocabulary_;
  std::shared_ptr<const void> memory_;
  Bm25 bm25_;
};

}  // namespace embd
