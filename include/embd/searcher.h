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

#include "embd/enum_names.h"
#include "embd/error.h"
#include "embd/hybrid.h"
#include "embd/index.h"
#include "embd/model.h"
#include "embd/terms.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

/// Options for opening a searcher.
struct SearcherOptions {
  ReadOptions read = {};  ///< how to read vector sets
  /// The metric of a search. A vector set without an index can be searched by any metric that suits
  /// its values; the default is cos, or hamming for binary codes. An index is searched by the
  /// metric that its file names, and any other value is an error. For an index whose file names no
  /// metric, see OpenOptions::metric.
  std::optional<Metric> metric = {};
  /// Read indexes into memory instead of mapping their files. Opening takes longer, and each search
  /// is faster. By default files are mapped.
  bool in_memory = false;
  /// Read everything that filters and columns_json() need when the searcher is opened. By default
  /// it is read when a call first needs it. It takes up to 24 bytes for each row, up to 12 bytes
  /// for each row and column, and the values of the columns.
  bool filters = false;
  /// Accept shards whose recipes differ. By default that is an error, because their vectors are not
  /// comparable.
  bool force = false;
  /// The term index (OUT.terms) of the texts of the rows. It is needed for searches by terms. It
  /// covers the rows of all shards. If it is empty, there is none.
  std::filesystem::path terms = {};
};

/// A row that a search found.
struct RowHit {
  std::uint64_t row = 0;  ///< its number in the vector set
  float distance = 0;     ///< its distance to the query; smaller is nearer
  bool operator==(const RowHit&) const = default;
};
/// The hits of each query, nearest first.
using RowHits = std::vector<std::vector<RowHit>>;

/// A relation of the value of a row to the value of a condition.
enum class Relation : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

/// The names of relations in Python and in requests to the server.
inline constexpr EnumNames<Relation, 6> relation_names = {{{"eq", Relation::equal},
                                                           {"ne", Relation::not_equal},
                                                           {"lt", Relation::less},
                                                           {"lte", Relation::less_equal},
                                                           {"gt", Relation::greater},
                                                           {"gte", Relation::greater_equal}}};
/// The symbols of relations on the command line.
inline constexpr EnumNames<Relation, 6> relation_symbols = {{{"=", Relation::equal},
                                                             {"!=", Relation::not_equal},
                                                             {"<", Relation::less},
                                                             {"<=", Relation::less_equal},
                                                             {">", Relation::greater},
                                                             {">=", Relation::greater_equal}}};

/// A condition on the value that a row has in a column.
///
/// The value of the row decides how it is compared. A text is compared with the text in `values`
/// byte by byte, so dates such as 2024-05-31 are compared as dates. A number is compared with the
/// number that the text in `values` spells in JSON (1, 1.0, 1e0), after rounding to the type of the
/// column. Other values (true, false, null) equal their spelling in JSON, and have no order.
struct ColumnCondition {
  std::string column = {};
  /// For `equal`, the row's value must be one of these; an empty list matches no row. `not_equal`
  /// matches the rows that `equal` does not. The other relations take one value. If the column
  /// holds only numbers, it must be a number.
  std::vector<std::string> values = {};
  Relation relation = Relation::equal;
};

/// Reads a condition: the name of a column, one of relation_symbols, and a value, such as
/// "year>=2020". The value is everything after the relation. Fails with invalid_argument.
Result<ColumnCondition> parse_condition(std::string_view text);

/// The conditions on the rows that a search may return. A row must meet all of them.
struct RowConditions {
  /// The ids that are allowed; ids that are numbers are written in decimal digits. If the list is
  /// unset, every id is allowed.
  std::optional<std::vector<std::string>> ids = {};
  std::vector<ColumnCondition> columns = {};

  /// Adds a condition. If there already is one on the same column and both have the relation
  /// `equal`, their values become alternatives in one condition.
  void add(ColumnCondition condition);
};

/// The rows that a search may return. Searcher::filter() makes a filter, and only the searcher that
/// made it accepts it.
class RowFilter {
 public:
  /// Returns the number of rows that pass the filter.
  std::uint64_t size() const noexcept { return rows_.size(); }
  /// Returns true if the row with this number in the vector set passes the filter.
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

/// Queries in the form in which a searcher compares them with its rows: vectors as int8 codes, as
/// binary codes or as plain values, and the terms of texts. A searcher makes them from texts,
/// vectors, bits or a file, and only this searcher accepts them.
class Queries {
 public:
  /// Returns the number of queries.
  std::size_t size() const noexcept { return vectors_ ? vectors_->rows() : terms_->size(); }
  /// Returns true if each query has a vector, for Searcher::search() and search_both().
  bool have_vectors() const noexcept { return vectors_.has_value(); }
  /// Returns true if the terms of each query are known, for Searcher::search_terms() and
  /// search_both().
  bool have_terms() const noexcept { return terms_.has_value(); }

 private:
  friend class Searcher;
  using TermsOfEach = std::vector<std::vector<std::string>>;
  Queries(Matrix vectors, std::weak_ptr<const void> maker)
      : vectors_(std::move(vectors)), maker_(std::move(maker)) {}
  Queries(TermsOfEach terms, std::weak_ptr<const void> maker)
      : terms_(std::move(terms)), maker_(std::move(maker)) {}
  std::optional<Matrix> vectors_;     // one of the two is set
  std::optional<TermsOfEach> terms_;  // the terms of each query, in order
  std::weak_ptr<const void> maker_;
};

/// Options for encoding texts as queries.
struct QueryOptions {
  /// The text to put before each query. If it is unset, the model's prompt named "query" is used.
  /// This member and `prompt_name` work as in EncodeOptions.
  std::optional<std::string> prompt = {};
  std::string prompt_name = {};
  /// The number of threads; it changes no result. 0 means as many as the process's CPU affinity and
  /// cgroup allow.
  int threads = 0;
  /// Encode queries even if the rows were made with another model or other options. By default that
  /// is an error.
  bool force = false;
};

/// Files with the texts that the rows were made of.
struct RowTextFiles {
  /// Paths of the files: one file for the rows of all shards, or one for each shard, in the order
  /// of the shards. If there are no paths, the texts that the vector sets store themselves are
  /// used.
  std::vector<std::filesystem::path> paths = {};
  /// How to read the files. Without ids (InputOptions::id_field), text i belongs to row i, and
  /// there must be a text for each row. With ids, a text belongs to the row with the same id.
  InputOptions input = {};
};

/// The texts of rows, held in memory. Any number of threads may read them at the same time.
class RowTexts {
 public:
  /// Returns true if the texts are not known: no file was given, and the sets store none. If a
  /// search found no row, its texts are known, and there are none.
  bool empty() const noexcept { return !are_known_; }
  /// Returns the text of a row, which is valid as long as this object. The text of the row must
  /// have been read: if Searcher::texts() was given hits, the row must be one of them.
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
  bool are_known_ = false;
};

/// A set of vectors that is open for searching, with vectors or with texts. It consists of one or
/// several indexes or vector files of any format. Files without an index are searched by comparing
/// every row. Replacing a file on disk does not affect an open searcher. Any number of threads may
/// search at the same time.
///
/// Several files are shards of one set. Its rows and ids are the rows and ids of the shards, one
/// after the other, as convert_vectors() would join them; ids that only number the rows of each
/// shard are renumbered. A search looks in each shard and returns the nearest rows of all; at equal
/// distances, rows with smaller numbers come first. An exact search, and a search without indexes,
/// finds the same rows as in one joined set, provided that all shards store their rows in the same
/// way.
class Searcher {
 public:
  /// Opens a single index or vector set, or a collection with its term index (see embd/collect.h).
  /// Fails with the errors of opening it and with invalid_argument for a metric that it cannot be
  /// searched by.
  static Result<Searcher> open(const std::filesystem::path& path,
                               const SearcherOptions& options = {});
  /// Opens one or several shards. If the options set no metric, the metric of the first shard is
  /// used for all. Fails with the errors of opening each shard; with bad_count if dimensions
  /// differ; with invalid_argument if metrics differ or only some shards hold codes; with
  /// recipe_mismatch if recipes differ (unless SearcherOptions::force is set). Fails with the
  /// errors of TermIndex::open(), and with bad_count if the term index has another number of rows.
  static Result<Searcher> open(std::span<const std::filesystem::path> shards,
                               const SearcherOptions& options = {});

  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;
  ~Searcher();

  /// Returns a description with the number of rows of all shards together. The other members
  /// describe the first shard with an index or, if there is none, the first shard with rows.
  const VectorSetInfo& info() const noexcept;
  /// Returns the number of rows of each shard.
  std::vector<std::uint64_t> shard_rows() const;
  /// Returns true if at least one shard has an index.
  bool has_index() const noexcept;
  /// Returns the kind of the first index; unset if no shard has one.
  std::optional<IndexKind> index_kind() const;
  /// Returns the metric of the distances that a search returns.
  Metric metric() const noexcept;
  /// Returns the ids of all rows, in order. Without ids, row numbers stand for them.
  const Ids& ids() const noexcept;
  /// Returns the term index of the rows; null if the options name none.
  const TermIndex* terms() const noexcept;
  /// Returns the recipe of the first shard that has one; unset if none has.
  const std::optional<Recipe>& recipe() const noexcept;
  /// Returns a warning, in words, if the rows were made in another arithmetic than the model
  /// computes in, which makes distances slightly less exact. The string is empty if there is
  /// nothing to warn about.
  std::string compute_note(const Model& model) const;
  /// Returns a warning, in words, if a shard is an HNSW index of integers (i8, u8) under l2sq or ip
  /// without a recipe, as another program may have written it. Such an index keeps only the
  /// directions of rows, and a search compares them with the directions of the queries, as USearch
  /// does. The string is empty if there is nothing to warn about.
  std::string length_note() const;
  /// Reads rows [first, first + count) as they are stored, converted to float32, into `out` [count,
  /// info().dim]. Fails with invalid_argument for rows that do not exist or an `out` of another
  /// size.
  Result<void> read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// Reads the texts of the rows in `hits`, or of all rows if `hits` is null. They come from
  /// `files` or, if no files are named, from the vector sets; if not all sets store texts, the
  /// result is empty.
  ///
  /// If the rows are windows of texts, a row's text is found by its id, which is the id or line
  /// number of the text, "#" and the number of the window. With the model that made the rows, the
  /// result is then the part of the text that the window covers; without a model, it is the whole
  /// text.
  ///
  /// Fails with bad_count if a file has another number of texts than there are rows, with missing
  /// for a row whose id no text has, with duplicate for two texts with the same id, with
  /// invalid_argument if the number of files is neither one nor the number of shards, and with the
  /// errors of open_records().
  Result<RowTexts> texts(const RowTextFiles& files = {}, const RowHits* hits = nullptr,
                         const Model* model = nullptr) const;
  /// Returns the number of stored values that a search compares with each query one by one. It
  /// counts the values of all shards without an index or, if `exact` is true, of all shards.
  /// Walking through the graph of an index is not counted. The number allows an estimate of the
  /// time that a search takes.
  std::uint64_t num_compared(bool exact) const noexcept;

  /// Makes a filter of the rows whose id is one of `ids`. Ids that are numbers are written in
  /// decimal digits. Ids that no row has are ignored.
  Result<RowFilter> filter(std::span<const std::string> ids) const;
  /// Makes a filter of the rows that meet all conditions. Fails with invalid_argument for a column
  /// that columns() does not list and for values that ColumnCondition does not allow, and with the
  /// errors of reading the column.
  Result<RowFilter> filter(const RowConditions& conditions) const;
  /// Returns the names of the columns that all shards have; shards without rows do not count. A
  /// Parquet or JSON Lines file has columns of numbers and of texts. A CVC file has columns of
  /// numbers, and the metadata of its sections counts as columns, too.
  const std::vector<std::string>& columns() const;
  /// Returns the values of a row in all columns as a JSON object, {"NAME":VALUE,…}; empty if there
  /// are no columns. Fails with invalid_argument for a row that does not exist, and with the errors
  /// of reading columns.
  Result<std::string> columns_json(std::uint64_t row) const;

  /// Returns the number of values of a query vector before it is converted to codes. It differs
  /// from info().dim only for binary codes, whose bytes hold eight values each.
  std::uint64_t query_dim() const noexcept;
  /// Returns the options for encoding queries. They are the options that the recipe of the rows
  /// names, with two exceptions: a query is not divided into windows, and it has a prompt of its
  /// own. Fails with recipe_mismatch if the rows were made with another model or other options
  /// (unless QueryOptions::force is set), and with invalid_argument if the model's vectors have
  /// another dimension.
  Result<EncodeOptions> encode_options(const Model& model, const QueryOptions& options = {}) const;
  /// Encodes texts as queries, with the options of encode_options(). Fails with the errors of
  /// encode_options(), Model::encode() and code_queries().
  Result<Queries> encode_queries(const Model& model, std::span<const std::string_view> texts,
                                 const QueryOptions& options = {}, std::stop_token stop = {}) const;
  /// Makes queries of vectors [n, query_dim()] as a model returns them; they are converted to codes
  /// if the rows are codes. Fails with invalid_argument for another dimension, with bad_value for a
  /// vector that contains a value that is not finite or that is so long that distances would
  /// overflow float32, and with missing if the rows are int8 codes whose ranges are not stored.
  Result<Queries> code_queries(MatrixView vectors) const;
  /// Makes queries of the terms of texts, without vectors. `model` is only needed for a term index
  /// of tokens. Fails with invalid_argument if there is no term index, and with the errors of
  /// TermIndex::query().
  Result<Queries> term_queries(std::span<const std::string_view> texts,
                               const Model* model = nullptr) const;
  /// Adds the terms of texts to queries of vectors. There must be a text for each query. Fails as
  /// term_queries() does, and with invalid_argument for another number of texts.
  Result<void> add_terms(std::span<const std::string_view> texts, const Model* model,
                         Queries& queries) const;
  /// Makes queries of packed bits, if the rows are bits or binary codes. Fails with
  /// invalid_argument for other rows or another number of bits.
  Result<Queries> code_queries(PackedBits bits) const;
  /// Makes queries of all rows of a file: vectors, codes of the same kind as the rows, or bytes of
  /// packed bits if the rows are bits. Fails with recipe_mismatch if the recipes differ (unless
  /// `force` is true), with invalid_argument for codes of another kind or with other ranges than
  /// the rows have, and with the errors of opening the file and of code_queries().
  Result<Queries> read_queries(const std::filesystem::path& path, bool force = false) const;

  /// Finds the k nearest rows of each query among the rows in `filter`; null stands for all rows.
  /// SearchOptions::filter is not used. Fails with invalid_argument for a k of 0 and for queries or
  /// a filter that another searcher made; with cancelled after a stop request.
  Result<RowHits> search(const Queries& queries, std::size_t k, const SearchOptions& options = {},
                         const RowFilter* filter = nullptr, std::stop_token stop = {}) const;
  /// Encodes texts as queries and finds the k nearest rows of each, as encode_queries() with the
  /// default options and search() do. Fails with the errors of both.
  Result<RowHits> search(const Model& model, std::span<const std::string_view> texts, std::size_t k,
                         const SearchOptions& options = {}, const RowFilter* filter = nullptr,
                         std::stop_token stop = {}) const;

  /// Finds the k rows with the best term scores for each query, best first; at equal scores, rows
  /// with smaller numbers come first. Rows without a term of the query are not found. `filter` is
  /// as for search(). Fails with invalid_argument for queries without terms, for a k of 0, and for
  /// queries or a filter that another searcher made; with cancelled after a stop request.
  Result<TermHits> search_terms(const Queries& queries, std::size_t k,
                                const RowFilter* filter = nullptr, std::stop_token stop = {}) const;
  /// Finds the k best rows of each query by its vector and by its terms. The rows that search() and
  /// search_terms() find, max(k, 100) each, are candidates, and fuse_rows() ranks them. Fails
  /// with the errors of both.
  Result<FusedRows> search_both(const Queries& queries, std::size_t k,
                                const SearchOptions& options = {},
                                const RowFilter* filter = nullptr, std::stop_token stop = {}) const;

 private:
  struct Impl;
  static Result<Searcher> open_collection(const std::filesystem::path& folder,
                                          const SearcherOptions& options);
  Result<void> check_call(const Queries& queries, std::size_t k, const RowFilter* filter) const;
  Result<Queries::TermsOfEach> terms_of(std::span<const std::string_view> texts,
                                        const Model* model) const;
  Result<std::vector<RowHit>> distances(const Queries& queries, std::size_t query,
                                        std::span<const std::uint64_t> rows) const;
  explicit Searcher(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

/// Returns the id of a row as text: the string or number in `ids`, or the number of the row if
/// there are no ids.
std::string id_text(const Ids& ids, std::uint64_t row);

/// Queries for the words of a finalfusion file.
struct WordQueries {
  std::vector<std::string> words = {};
  /// Analogies, each of three words A, B and C. An analogy asks for the word that is to C as B is
  /// to A.
  std::vector<std::array<std::string, 3>> analogies = {};
};

/// Finds at most `k` words that are most similar to each of `queries.words`, and then at most `k`
/// words that answer each analogy. The words of the query itself are left out. As in finalfusion,
/// the similarity is the dot product of the stored rows, and the distance is 1 − similarity.
/// `allowed` restricts the rows that may be returned; null allows all. Fails with missing for a
/// word without a vector, and with the errors of opening the file.
Result<RowHits> search_words(const std::filesystem::path& path, const WordQueries& queries,
                             std::size_t k, const RowFilter* allowed = nullptr);

}  // namespace embd
