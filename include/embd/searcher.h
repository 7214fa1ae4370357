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
#include <utility>
#include <vector>

#include "embd/error.h"
#include "embd/index.h"
#include "embd/model.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

struct SearcherOptions {
  ReadOptions read = {};
  /// The metric of a set of vectors (cos if it is not set, hamming for binary codes) and of an
  /// index that does not say (OpenOptions.metric). An index that does say must have been built for
  /// it.
  std::optional<Metric> metric = {};
  /// Read an index into memory instead of mapping it: takes a while once, each search is faster.
  bool in_memory = false;
  /// Prepare for filters and columns_json() at open(), which takes up to 24 bytes a row, and up to
  /// 12 a row and column beside the values; otherwise the first call that needs it does.
  bool filters = false;
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

/// A condition on the rows that a search may return: their value in a column is one of `values`. A
/// value is meant by the text that it is, byte for byte, or by its JSON where it is no text: a
/// number by every spelling of it (1, 1.0, 1e0), rounded as the column's numbers are; true, false,
/// null. No values: no rows.
struct ColumnCondition {
  std::string column = {};
  std::vector<std::string> values = {};
};

/// Conditions of which a row that a search may return meets all.
struct RowConditions {
  /// Its id is one of these, numbers in decimal digits; nothing: any.
  std::optional<std::vector<std::string>> ids = {};
  std::vector<ColumnCondition> columns = {};
};

/// Rows that a search may return. Made by Searcher::filter(), for that searcher alone.
class RowFilter {
 public:
  std::uint64_t size() const noexcept { return rows_.size(); }
  bool contains(std::uint64_t row) const noexcept {
    return std::binary_search(rows_.begin(), rows_.end(), row);
  }

 private:
  friend class Searcher;
  RowFilter() = default;
  std::vector<std::uint64_t> rows_;  // ascending
  std::vector<std::shared_ptr<const IdFilter>> of_shards_;
  std::weak_ptr<const void> maker_;
};

/// Queries as the rows of one Searcher are stored: int8 codes of the rows' ranges, binary codes, or
/// the values themselves. Only that Searcher makes them, from texts, from vectors or from a file,
/// and no other takes them.
class Queries {
 public:
  std::size_t size() const noexcept { return rows_.rows(); }

 private:
  friend class Searcher;
  Queries(Matrix rows, std::weak_ptr<const void> maker)
      : rows_(std::move(rows)), maker_(std::move(maker)) {}
  Matrix rows_;
  std::weak_ptr<const void> maker_;
};

/// How texts become queries.
struct QueryOptions {
  /// Put before each query; nothing: the model's own, of the name "query". As in EncodeOptions.
  std::optional<std::string> prompt = {};
  std::string prompt_name = {};
  int threads = 0;
  /// Go on where the rows were made with another model or other options.
  bool force = false;
};

/// Files of the texts that rows were made of.
struct RowTextFiles {
  /// One for the rows of all shards, or one for each shard, in their order; none for the texts that
  /// the sets hold themselves.
  std::vector<std::filesystem::path> paths = {};
  /// How they are read. Without an id_field text i is that of row i, and there are as many texts as
  /// rows; with one, the text of a row is the one that has its id.
  InputOptions input = {};
};

/// Texts of rows, in memory. Immutable: any number of threads may read at once.
class RowTexts {
 public:
  /// True if there are no texts.
  bool empty() const noexcept { return places_.empty(); }
  /// The text of a row whose text was asked for.
  std::string_view operator[](std::uint64_t row) const noexcept;

 private:
  friend class RowTextsBuilder;
  struct Place {
    std::uint64_t begin;
    std::uint64_t size;
  };
  std::optional<std::vector<std::uint64_t>> rows_;  // that were asked for, ascending; nullopt: all
  std::vector<Place> places_;                       // in bytes_, of each of them
  std::string bytes_;
};

/// Indexes or vector sets of any format, open to be searched with vectors or with texts. A set
/// without an index is compared row by row. Files are opened once, so that a file that is replaced
/// meanwhile changes nothing. Immutable: any number of threads may search at once.
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
  /// Returns true if any shard has an index.
  bool has_index() const noexcept;
  Metric metric() const noexcept;
  /// The ids of the rows, in order; none if row numbers stand for them.
  const Ids& ids() const noexcept;
  /// The recipe of the first shard that has one.
  const std::optional<Recipe>& recipe() const noexcept;
  /// A sentence that says so where the rows were made in another arithmetic (EncodeOptions.compute)
  /// than the model's, which makes distances a little less exact; empty where they were not.
  std::string compute_note(const Model& model) const;
  /// Rows [first, first + count) as they are stored, decoded to float32, into `out` [count, dim].
  /// Error: invalid_argument for rows that are not there or other room.
  Result<void> read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// The texts of the rows in `hits`, or of all rows, from files or from the sets. Nothing where no
  /// files are named and not all sets have texts. Where the recipe says that rows are windows, a
  /// row's text is found by the number of its line, or by its id, before the "#"; with the model
  /// that made the rows it is the window's part of it, else the whole text. Errors: those of
  /// open_records(); bad_count for another number of texts than rows; missing for a row whose id no
  /// text has; duplicate for two texts of one id; invalid_argument for as many files as neither
  /// shards nor one.
  Result<RowTexts> texts(const RowTextFiles& files = {}, const RowHits* hits = nullptr,
                         const Model* model = nullptr) const;
  /// How many values of rows a search compares with each query for certain: all of what has no
  /// index, and all of everything where the search is exact. What walks over graphs cost comes on
  /// top.
  std::uint64_t num_compared(bool exact) const noexcept;

  /// The rows whose id is one of `ids`, numbers in decimal digits; ids that no row has are left
  /// out.
  Result<RowFilter> filter(std::span<const std::string> ids) const;
  /// The rows that meet all conditions. Errors: invalid_argument for a column that is none of
  /// columns(); those of reading it.
  Result<RowFilter> filter(const RowConditions& conditions) const;
  /// The names of the columns that rows have in every shard with rows: numbers and texts of Parquet
  /// files and JSON Lines; numbers of CVC files, and what is said of their sections.
  const std::vector<std::string>& columns() const;
  /// The values of a row in columns(), as JSON: {"NAME":VALUE,…}; empty if there are no columns.
  /// Errors: invalid_argument for a row that is not there; those of reading columns.
  Result<std::string> columns_json(std::uint64_t row) const;

  /// Values of a query before it is coded. That is info().dim but for binary codes, which are a
  /// byte for eight values.
  std::uint64_t query_dim() const noexcept;
  /// Returns the options that a model encodes queries with: the ones that the rows' recipe names,
  /// but for windows and the prompt, which is the query's. Errors: recipe_mismatch where the rows
  /// are another model's; invalid_argument where the model's vectors have another dimension.
  Result<EncodeOptions> encode_options(const Model& model, const QueryOptions& options = {}) const;
  /// Queries of texts, encoded with encode_options(). Errors: its; those of code_queries().
  Result<Queries> encode_queries(const Model& model, std::span<const std::string_view> texts,
                                 const QueryOptions& options = {}, std::stop_token stop = {}) const;
  /// Queries of vectors [n, query_dim()], as a model gives them and not coded yet. Errors:
  /// invalid_argument for another dimension; bad_value for what has no distance to anything;
  /// missing where int8 codes have lost their ranges.
  Result<Queries> code_queries(MatrixView vectors) const;
  /// Queries of packed bits, where the rows are bits or binary codes. Error: invalid_argument where
  /// they are not, or are more or fewer.
  Result<Queries> code_queries(PackedBits bits) const;
  /// Queries of all rows of a file: vectors, codes like those of the rows, or bytes of packed bits
  /// where the rows are bits. Errors: those of opening it and of code_queries(); recipe_mismatch
  /// unless `force`; invalid_argument for codes where the rows are none, or codes of another kind
  /// or other ranges.
  Result<Queries> read_queries(const std::filesystem::path& path, bool force = false) const;

  /// The k rows nearest to each query. SearchOptions.filter is not used. Error: invalid_argument
  /// for a k of 0, and for queries or a filter of another Searcher.
  Result<RowHits> search(const Queries& queries, std::size_t k, const SearchOptions& options = {},
                         const RowFilter* filter = nullptr, std::stop_token stop = {}) const;
  /// encode_queries() without options and search() in one.
  Result<RowHits> search(const Model& model, std::span<const std::string_view> texts, std::size_t k,
                         const SearchOptions& options = {}, const RowFilter* filter = nullptr,
                         std::stop_token stop = {}) const;

 private:
  struct Impl;
  explicit Searcher(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

/// The id of a row as text: its string, its number, or the row's number where the set has no ids.
std::string id_text(const Ids& ids, std::uint64_t row);

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
