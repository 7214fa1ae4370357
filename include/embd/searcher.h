#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "embd/error.h"
#include "embd/index.h"
#include "embd/model.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

struct SearcherOptions {
  ReadOptions read = {};
  /// Of a set of vectors and of an SVS directory, which do not say: cos if it is not set. An index
  /// that does say must have been built for it.
  std::optional<Metric> metric = {};
  /// Read an index into memory instead of mapping it: takes a while once, each search is faster.
  bool in_memory = false;
  /// Go on where shards were made with other recipes.
  bool force = false;
};

/// A row that was found.
struct RowHit {
  std::uint64_t row = 0;  ///< its number in the set
  float distance = 0;     ///< smaller is nearer
  bool operator==(const RowHit&) const = default;
};
/// A list of hits for each query, nearest first.
using RowHits = std::vector<std::vector<RowHit>>;

/// Rows that a search may return, made by Searcher::filter for one searcher.
class RowFilter {
 public:
  std::uint64_t size() const noexcept { return rows_.size(); }
  bool contains(std::uint64_t row) const noexcept {
    return std::binary_search(rows_.begin(), rows_.end(), row);
  }

 private:
  friend class Searcher;
  std::vector<std::uint64_t> rows_;  // ascending
  std::vector<std::shared_ptr<const IdFilter>> of_shards_;
};

struct QueryOptions {
  /// Put before each query; nothing: the model's own, of the name "query". As in EncodeOptions.
  std::optional<std::string> prompt = {};
  std::string prompt_name = {};
  int threads = 0;
  /// Go on where the rows were made with another model or other options.
  bool force = false;
};

/// Indexes or vector sets of any format, open to be searched with vectors or with texts. A set
/// without an index is compared row by row. Immutable: any number of threads may search at once.
///
/// Several are shards of one set, whose rows and ids are those of the shards one after the other,
/// as convert_vectors() joins them: ids that are just each shard's row numbers are counted on. Each
/// shard is searched, and the nearest of all are kept; equal distances in the order of the rows.
/// Row by row, and with SearchOptions.exact, the hits are those of one set, where rows are stored
/// alike.
class Searcher {
 public:
  static Result<Searcher> open(const std::filesystem::path& path,
                               const SearcherOptions& options = {});
  /// Shards, at least one. The first one's metric is that of all, if none is set. Errors besides
  /// those of opening each: bad_count for another dimension; invalid_argument for another metric
  /// and for codes beside others; recipe_mismatch unless SearcherOptions.force.
  static Result<Searcher> open(std::span<const std::filesystem::path> shards,
                               const SearcherOptions& options = {});

  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;
  ~Searcher();

  /// The rows and values of all; what else it says is of the first shard with an index, or the
  /// first.
  const VectorSetInfo& info() const noexcept;
  /// Rows of each shard, in order.
  std::vector<std::uint64_t> shard_rows() const;
  /// True if any shard has one.
  bool has_index() const noexcept;
  Metric metric() const noexcept;
  /// Of the rows, in order; none if row numbers stand for them.
  const Ids& ids() const noexcept;
  /// Of the first shard that has one.
  const std::optional<Recipe>& recipe() const noexcept;

  /// The rows whose id is one of `ids`, numbers in decimal digits; others are left out.
  Result<RowFilter> filter(std::span<const std::string> ids) const;

  /// Vectors for queries, [texts, info().dim], as the rows' recipe says but for the prompt: codes,
  /// where the rows are int8 or binary codes. Errors: recipe_mismatch where the rows are another
  /// model's; missing where int8 codes have lost their ranges.
  Result<Matrix> encode(const Model& model, std::span<const std::string_view> texts,
                        const QueryOptions& options = {}, std::stop_token stop = {}) const;
  /// Rows of a file of vectors as queries, coded likewise. Errors: recipe_mismatch unless `force`;
  /// invalid_argument for codes where the rows are none, or codes of another kind or other ranges.
  Result<Matrix> read_queries(const std::filesystem::path& path, bool force = false) const;

  /// The k rows nearest to each of `queries` [n, dim]. SearchOptions.filter is not used.
  Result<RowHits> search(MatrixView queries, std::size_t k, const SearchOptions& options = {},
                         const RowFilter* filter = nullptr, std::stop_token stop = {}) const;
  /// encode() and search() in one.
  Result<RowHits> search(const Model& model, std::span<const std::string_view> texts, std::size_t k,
                         const SearchOptions& options = {}, const QueryOptions& query = {},
                         const RowFilter* filter = nullptr, std::stop_token stop = {}) const;

 private:
  struct Impl;
  explicit Searcher(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

/// The id of a row as text: its string, its number, or the row's number where the set has no ids.
std::string id_text(const Ids& ids, std::uint64_t row);

/// Texts of rows, by the row's number.
using RowTexts = std::unordered_map<std::uint64_t, std::string>;
/// Of the rows that were found: text i of the file is that of row i. The file is read once and must
/// have as many texts as there are rows. Errors: those of open_records(); bad_count.
Result<RowTexts> read_row_texts(const std::filesystem::path& path, const RowHits& hits,
                                std::uint64_t num_rows, const InputOptions& options = {});

/// Questions to the words of a finalfusion file.
struct WordQueries {
  std::vector<std::string> words = {};
  /// A is to B as C is to what?
  std::vector<std::array<std::string, 3>> analogies = {};
};

/// The words most similar to each of `queries.words`, then to each analogy: at most `k`, without
/// the query's own. As finalfusion has it, similarity is the dot product with the rows as stored,
/// and the distance 1 minus that. `allowed`: rows that may be returned; or null. Errors: those of
/// opening the file; missing for a word that has no vector.
Result<RowHits> search_words(const std::filesystem::path& path, const WordQueries& queries,
                             std::size_t k, const RowFilter* allowed = nullptr);

}  // namespace embd
