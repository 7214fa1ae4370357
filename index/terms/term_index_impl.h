#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "embd/error.h"
#include "embd/terms.h"
#include "index/terms/vocabulary.h"

namespace embd {

/// The formula of BM25 as Lucene has it (docs/formats/terms.md). Numbers are computed in double and
/// rounded once, to float32.
class Bm25 {
 public:
  /// Takes the parameters k1 and b, and the number of terms in each row. Without terms, the average
  /// length is 0.
  Bm25(double k1, double b, std::span<const std::uint32_t> lengths) noexcept;

  double average_length() const noexcept { return average_length_; }
  /// Returns how much a term distinguishes rows if `df` of them have it, above 0.
  double idf(std::uint64_t df) const noexcept;
  /// Returns the score of a row of `length` terms for a term that it has `tf` times.
  float score(double idf, std::uint32_t tf, std::uint32_t length) const noexcept {
    const double count = tf;
    return static_cast<float>(idf * (count / (count + short_ + long_ * length)));
  }

 private:
  double num_rows_;
  double average_length_ = 0;
  double short_;     // what is added to tf for a row without terms
  double long_ = 0;  // and for each term of the row
};

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

namespace embd::term_files {

// The files of a term index: docs/formats/terms.md.

/// Fails if `folder` must not be replaced by a term index, because it has other files.
Result<void> check_replaceable(const std::filesystem::path& folder);

/// Maps the files of an index and checks their structure.
Result<std::unique_ptr<TermIndex::Impl>> open(const std::filesystem::path& folder);

/// Writes the files of an index into a folder, which appears when it is complete.
Result<void> write(const TermIndex::Impl& index, const std::filesystem::path& folder);

}  // namespace embd::term_files
