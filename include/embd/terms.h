#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/enum_names.h"
#include "embd/error.h"
#include "embd/model.h"
#include "embd/tokens.h"

// Search by words: the terms of texts, and an index that finds texts by their terms.
namespace embd {

/// The things that count as terms.
enum class TermKind : std::uint8_t {
  stems,   ///< the stems of words, as a Stemmer makes them
  words,   ///< words as they are, but for case and Unicode form
  tokens,  ///< the tokens of a model, without the special ones
};
/// The words for the kinds of terms in files and options.
inline constexpr EnumNames<TermKind, 3> term_kind_names = {
    {{"stems", TermKind::stems}, {"words", TermKind::words}, {"tokens", TermKind::tokens}}};

/// The rules by which words become stems.
enum class Stemmer : std::uint8_t {
  /// Snowball's stemmer for English. Accents and other marks are removed before, and 33 frequent
  /// words such as "the" are no terms.
  english,
  none,  ///< a word is its own stem: stems are then the same as words
};
/// The words for stemmers in files and options.
inline constexpr EnumNames<Stemmer, 2> stemmer_names = {
    {{"english", Stemmer::english}, {"none", Stemmer::none}}};

/// Options for finding the terms of texts.
struct TermOptions {
  TermKind kind = TermKind::stems;
  Stemmer stemmer = Stemmer::english;  ///< used by TermKind::stems only
  /// The model whose tokens are the terms of TermKind::tokens; not used by the other kinds. It must
  /// outlive whatever is made with these options.
  const Model* model = nullptr;
};

/// The terms of a text, in their order.
struct Terms {
  std::vector<std::string> texts;  ///< the terms, in UTF-8
  /// The place in the text that each term comes from, as many as texts. Terms of an identifier and
  /// of its parts have places that overlap.
  std::vector<ByteRange> ranges;
};

/// Returns the terms of a text, as an index of these options counts them.
///
/// Words are runs of letters, marks and digits, in the form NFKC and in lower case (Unicode's case
/// folding). An apostrophe, a dot between two digits and a dot between two single letters are part
/// of a word (don't, 3.14, U.S). Words joined by '_' or '.', words joined by '-' or '/' of which
/// one has a digit, and words with capitals inside give the whole and each part: EMBD_KERNELS gives
/// embd_kernels, embd and kernels; TermIndex gives termindex, term and index. Han, Kana, Hangul,
/// Thai, Lao and Khmer are not written with spaces between words, or change at the ends of words; a
/// run of them gives each pair of neighbouring characters, or its only character. A word of more
/// than 255 bytes is no term. Bytes that are not UTF-8 are as U+FFFD, which separates words.
/// docs/formats/terms.md has every rule.
///
/// Fails with invalid_argument for TermKind::tokens without a model; with unsupported for a stemmer
/// that this build lacks; with the errors of Model::tokenize(). Thread-safe.
Result<Terms> terms(std::string_view text, const TermOptions& options = {});

/// A record of how a term index was made. Queries must be made in the same way.
struct TermRecipe {
  TermKind kind = TermKind::stems;
  Stemmer stemmer = Stemmer::english;  ///< none unless `kind` is stems
  std::string stemmer_release;         ///< the release of Snowball, such as "2.2.0"; empty without
  std::string unicode;                 ///< the version of Unicode that folded the texts: "15.0.0"
  std::string tokenizer_sha256;        ///< of the model whose tokens are the terms; else empty
  double k1 = 1.2;                     ///< BM25: how soon more occurrences of a term count less
  double b = 0.75;                     ///< BM25: how much terms of long texts count less

  bool operator==(const TermRecipe&) const = default;
};

/// A description of a term index.
struct TermIndexInfo {
  std::uint64_t num_rows = 0;      ///< texts, empty ones included
  std::uint64_t num_terms = 0;     ///< different terms
  std::uint64_t num_postings = 0;  ///< pairs of a term and a row that has it
  double average_length = 0;       ///< terms in a row, on average
  TermRecipe recipe = {};
};

/// A row that a search for terms found.
struct TermHit {
  std::uint64_t row = 0;  ///< its number, from 0, in the order in which texts were added
  float score = 0;        ///< its BM25 score, above 0; larger is better

  bool operator==(const TermHit&) const = default;
};

/// Options for a search for terms.
struct TermSearchOptions {
  /// The numbers of the rows that may be returned, ascending; unset for all rows. The numbers must
  /// stay valid during the search. An empty list allows no row.
  std::optional<std::span<const std::uint64_t>> rows = {};
};

/// An index of the terms of texts. It gives each text a score by BM25, by the formula of Lucene:
/// the sum, over the terms of the query, of
///
///     idf · tf / (tf + k1 · (1 − b + b · length / average_length))
///     idf = ln(1 + (num_rows − df + 0.5) / (df + 0.5))
///
/// tf is the number of times that the term occurs in the text, df the number of texts that have it,
/// and length the number of terms in the text. A term counts as often as the query has it. Scores
/// are float32 and are added in the order of the query's terms, so that they are the same bytes on
/// every machine.
///
/// Any number of threads may search at the same time. An index can be moved, but not copied.
class TermIndex {
 public:
  /// Builds an index over texts: row i is text i. Fails with the errors of TermIndexBuilder.
  static Result<TermIndex> build(std::span<const std::string_view> texts,
                                 const TermOptions& options = {});
  /// Maps a folder that save() wrote (docs/formats/terms.md), after checking its whole structure.
  /// Its files must not be overwritten in place while the index lives. Fails with the errors of
  /// reading files; with bad_magic for a folder that is no term index; with bad_count, bad_value or
  /// file_size_mismatch for files that contradict each other or themselves; with unsupported for
  /// another release of the stemmer than this build has.
  static Result<TermIndex> open(const std::filesystem::path& folder);

  TermIndex(TermIndex&&) noexcept;
  TermIndex& operator=(TermIndex&&) noexcept;
  ~TermIndex();

  /// Writes the index to a folder, whose name should end in ".terms". The folder appears when it is
  /// complete, and replaces an older term index of the same name. Equal texts and options give
  /// equal files. Fails with io_failed, also for an existing folder that is no term index.
  Result<void> save(const std::filesystem::path& folder) const;
  /// Computes everything again that the stored numbers give: scores, lengths and the averages.
  /// Fails with bad_value for the first number that differs. Reads the whole index.
  Result<void> check() const;

  TermIndexInfo info() const;
  /// Returns the number of rows.
  std::uint64_t num_rows() const noexcept;
  /// Returns the terms of a query, as this index counts them. An index of tokens needs the model
  /// whose tokens they are. Fails with the errors of terms(), and with recipe_mismatch for a model
  /// with another tokenizer.
  Result<Terms> query(std::string_view text, const Model* model = nullptr) const;

  /// Finds the k rows with the best scores for a query of these terms, best first; at equal scores,
  /// rows with smaller numbers come first. Rows that have none of the terms are not found. Fails
  /// with invalid_argument for a k of 0 and for rows that do not ascend or do not exist.
  Result<std::vector<TermHit>> search(std::span<const std::string> query_terms, std::size_t k,
                                      const TermSearchOptions& options = {}) const;
  /// Returns the score of each of `rows`, in any order, for a query of these terms: the score that
  /// search() gives, or 0 for a row that has none of the terms. Fails with invalid_argument for
  /// rows that do not exist.
  Result<std::vector<float>> scores(std::span<const std::string> query_terms,
                                    std::span<const std::uint64_t> rows) const;
  /// Returns the idf of a term: how much it distinguishes texts. 0 for a term that no text has.
  float weight(std::string_view term) const noexcept;

  class Impl;

 private:
  friend class TermIndexBuilder;
  explicit TermIndex(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// Builds a term index from texts that come one by one. It needs up to 12 bytes of memory for each
/// pair of a term and a row that has it, and does not keep the texts. Not thread-safe.
class TermIndexBuilder {
 public:
  /// Makes a builder without texts. Fails with the errors of terms().
  static Result<TermIndexBuilder> create(const TermOptions& options = {});

  TermIndexBuilder(TermIndexBuilder&&) noexcept;
  TermIndexBuilder& operator=(TermIndexBuilder&&) noexcept;
  ~TermIndexBuilder();

  /// Adds a text as the next row. A text without terms is a row that no search finds. A term counts
  /// at most 65,535 times in a text. Fails with the errors of terms(), with out_of_memory, and with
  /// unsupported for more than 2^31 − 1 rows.
  Result<void> add(std::string_view text);
  /// Adds rows [first, first + count) of an index as the next rows, as if their texts were added.
  /// The first call for an index reads all its postings, and keeps 6 bytes for each. The index must
  /// outlive the builder. Fails with recipe_mismatch for an index with another recipe, with
  /// invalid_argument for rows that do not exist, and as add() does.
  Result<void> add_rows(const TermIndex& index, std::uint64_t first, std::uint64_t count);
  /// Returns the number of texts added so far.
  std::uint64_t num_rows() const noexcept;
  /// Returns the index of all texts added. The builder must not be used afterwards.
  Result<TermIndex> finish() &&;

 private:
  class Impl;
  explicit TermIndexBuilder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace embd
