#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/index_options.h"
#include "embd/matrix.h"
#include "embd/recipe.h"
#include "embd/vectors.h"

namespace embd {

/// Options for opening an index.
struct OpenOptions {
  /// The rows of an HNSW index whose file was saved without them: row i stands at position (slot) i
  /// of the graph. The rows are copied. The view is empty for a file that holds its rows.
  MatrixView vectors;
  /// The metric of an index whose file does not name one, such as an SVS directory that another
  /// program made. If it is unset, the metric is cos; an index that looks as if it was built for
  /// another metric is then an error. A metric that differs from the one in the file is an error,
  /// too.
  std::optional<Metric> metric = {};
  /// Also open an index whose rows are int8 codes, with their ranges in OUT.ranges.npy. By default
  /// that is an error. Queries must then be codes of the same ranges. Index does not convert
  /// queries to codes; Searcher does.
  bool of_codes = false;
  /// The way in which add() inserts rows into an HNSW index that open() has read, and the size of
  /// the candidate list, by default 128. The file stores neither of them.
  Builder builder = Builder::parallel;
  std::uint32_t expansion_add = 128;
};

/// A row that a search found.
struct Hit {
  std::uint64_t id = 0;  ///< the id of the row
  float distance = 0;    ///< its distance to the query; smaller is nearer
  /// The position of the found row in the index. It distinguishes rows that have the same id.
  std::uint32_t slot = 0;

  /// Compares ids and distances. Slots may differ.
  bool operator==(const Hit& other) const noexcept {
    return id == other.id && distance == other.distance;
  }
};

/// A view of rows of bits that somebody else owns. A byte holds eight values, the first in its
/// highest bit, as numpy.packbits() and usearch pack them. Valid as long as the memory that it
/// points to.
struct PackedBits {
  const std::uint8_t* data = nullptr;  ///< the packed rows, [rows, row_bytes]
  std::size_t rows = 0;
  std::size_t row_bytes = 0;  ///< bytes in a row
};

/// The rows that a search may return. Index::filter() makes a filter for one index. The filter is
/// invalid as soon as this index changes.
class IdFilter {
 public:
  /// Returns the number of rows that pass the filter.
  std::uint64_t size() const noexcept { return slots_.size(); }
  /// Returns true if the row at this position of the index passes the filter.
  bool contains(std::uint64_t slot) const noexcept {
    return bits_.empty() ? std::ranges::binary_search(slots_, slot)
                         : ((bits_[slot / 64] >> (slot % 64)) & 1) != 0;
  }
  /// Returns the positions in the index of the rows that pass the filter, ascending.
  std::span<const std::uint64_t> slots() const noexcept { return slots_; }

  /// Makes a filter of the rows at these positions in an index of `num_slots` positions; `slots`
  /// must be ascending.
  IdFilter(std::vector<std::uint64_t> slots, std::size_t num_slots);

 private:
  std::vector<std::uint64_t> slots_;
  std::vector<std::uint64_t> bits_;  // a bit a slot; empty for a filter of few slots
};

/// Options for searching an index.
struct SearchOptions {
  /// The size of the candidate list of an HNSW search: at least k, by default 64. A larger list
  /// finds more of the true nearest neighbours and takes longer.
  std::uint32_t expansion = 64;
  /// `window` is the size of the candidate list of a Vamana search, by default 64. `capacity` is
  /// the number of these candidates that are kept for the final ranking; 0, the default, keeps all.
  std::uint32_t window = 64;
  std::uint32_t capacity = 0;
  /// Compare each query with every row instead of searching the graph. By default the graph is
  /// searched.
  bool exact = false;
  /// The rows that may be returned; null for all. If they are few, they are compared one by one, so
  /// that none is missed. The filter must outlive the search.
  const IdFilter* filter = nullptr;
  /// The number of threads for a batch of queries; it changes no result. 0 means as many as the
  /// process's CPU affinity and cgroup allow.
  int threads = 0;
};

/// A description of an index.
struct IndexInfo {
  std::string format;  ///< "usearch" or "svs"
  IndexKind kind = IndexKind::hnsw;
  Metric metric = Metric::cos;
  ElementType scalar = ElementType::f32;  ///< the type in which rows are stored
  std::uint64_t dim = 0;                  ///< values in a row; for b1, the number of bits
  std::uint64_t num_rows = 0;             ///< rows that a search can find
  std::uint64_t num_removed = 0;          ///< removed rows whose places are still in the graph
  /// The largest number of links of a row. In an HNSW graph, it holds for all levels but the
  /// lowest.
  std::uint32_t connectivity = 0;
  /// The largest number of links of a row on the lowest level of an HNSW graph. A Vamana graph has
  /// one level.
  std::uint32_t connectivity_base = 0;
  bool multi = false;      ///< true if several rows may share an id
  bool immutable = false;  ///< true if view() opened the index
  /// The recipe of the rows; unset if the file holds none. Only an SVS directory can hold one.
  std::optional<Recipe> recipe = {};
};

/// A search index: rows, their ids, and a graph that leads from row to row to the nearest
/// neighbours of a query.
///
/// Any number of threads may search at the same time. add(), remove(), compact() and set_recipe()
/// must not run at the same time as any other function. The result of a search depends neither on
/// the number of threads nor on the other queries of its batch. An index can be moved, but not
/// copied.
///
/// Functions fail with invalid_argument for a wrong dimension or a k of 0; with duplicate for an id
/// that is used twice (unless IndexOptions::multi is set); with bad_value for a number that cannot
/// be an id, for a value that is not finite, for a value that the stored type cannot hold, and,
/// under l2sq and ip, for rows or queries so long that distances would overflow float32; with
/// unsupported for changes to an index that view() opened; with out_of_memory; and with the errors
/// of reading and writing files. An HNSW index that stores rows as i8 or u8 keeps only their
/// directions, so under l2sq and ip it also fails with bad_value for rows that are not of length 1.
class Index {
 public:
  /// Builds an index over `rows` [n, dim], which are copied. `ids` has one id for each row; if it
  /// is empty, the ids are 0, 1, 2 and so on. 2^64 − 1 cannot be an id.
  static Result<Index> build(MatrixView rows, std::span<const std::uint64_t> ids,
                             const IndexOptions& options = {}, std::stop_token stop = {});
  /// Reads a whole index into memory, after checking its structure.
  static Result<Index> open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// Opens an index as open() does, but leaves the rows of an HNSW index in the mapped file, which
  /// takes less memory. The index cannot be changed then. The file must not be overwritten in place
  /// while the index lives.
  static Result<Index> view(const std::filesystem::path& path, const OpenOptions& options = {});

  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  IndexInfo info() const;
  /// Counts the rows that a search cannot reach by following links, so that only an exact search
  /// finds them. Looks at every link. An index that embd built has none.
  std::uint64_t num_unreached() const;
  /// Finds the k nearest rows of a query [dim], nearest first. Returns fewer if the index, or the
  /// filter, has fewer rows.
  Result<std::vector<Hit>> search(std::span<const float> query, std::size_t k,
                                  const SearchOptions& options = {}) const;
  /// Finds the k nearest rows of each row of `queries` [n, dim]. Returns one list for each query.
  Result<std::vector<std::vector<Hit>>> search(MatrixView queries, std::size_t k,
                                               const SearchOptions& options = {},
                                               std::stop_token stop = {}) const;
  /// Finds the k nearest rows for queries of packed bits. Fails with invalid_argument unless the
  /// rows of the index are bits, too, and take as many bytes as a query.
  Result<std::vector<std::vector<Hit>>> search(PackedBits queries, std::size_t k,
                                               const SearchOptions& options = {},
                                               std::stop_token stop = {}) const;
  /// Makes a filter of the rows that have one of these ids. Ids that are not in the index are
  /// ignored.
  Result<IdFilter> filter(std::span<const std::uint64_t> ids) const;

  /// Sets the recipe that the rows were made with. save() stores it in an SVS directory; a USearch
  /// file has no place for it.
  void set_recipe(const std::optional<Recipe>& recipe);
  /// Adds rows [n, dim]. `ids` has one id for each row, or is empty for 0, 1, 2 and so on.
  /// `threads` of 0 means as many as the process may use. A stop request only ends adding to an
  /// HNSW index without rows, which stays empty then; otherwise the call runs to its end, so that
  /// the index stays whole.
  Result<void> add(MatrixView rows, std::span<const std::uint64_t> ids, int threads = 0,
                   std::stop_token stop = {});
  /// Removes the rows with these ids, so that no search returns them any more, and returns their
  /// number. Their places stay in the graph. An HNSW index gives the places to new rows in add(),
  /// once there are so many of them that repairing the links around them is worth the time. A
  /// Vamana index drops the places in compact().
  Result<std::uint64_t> remove(std::span<const std::uint64_t> ids);
  /// Removes the links that lead to removed rows. A Vamana index also drops the places of these
  /// rows, so that slots change. It fails with unsupported if all rows are removed.
  Result<void> compact();
  /// Writes the index to a file, or for Vamana to a directory or a .config file. It appears when it
  /// is complete. Files that belong to an older index of the same name (OUT.ids.jsonl,
  /// OUT.recipe.json, OUT.ranges.npy) are deleted.
  Result<void> save(const std::filesystem::path& path) const;

  /// Returns the ids of all rows that are not removed, in the order of their slots.
  std::vector<std::uint64_t> ids() const;
  /// Returns the slots of all rows that are not removed, ascending. Entry i belongs to entry i of
  /// ids().
  std::vector<std::uint32_t> slots() const;
  /// Reads the rows that entries [first, first + count) of ids() belong to, decoded to float32,
  /// into `out` [count, dim]. Fails with invalid_argument for entries that do not exist and for an
  /// `out` of another size.
  Result<void> read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// Returns a bool for each of `ids`: true if the index has a row with this id.
  Result<std::vector<bool>> contains(std::span<const std::uint64_t> ids) const;
  /// Reads the row of each of `ids`, as float32, into `out` [ids, dim]. If several rows share an
  /// id, the row added last is read. Fails with invalid_argument, naming the id, if an id is not in
  /// the index.
  Result<void> read_rows_of(std::span<const std::uint64_t> ids, std::span<float> out) const;

  class Impl;

 private:
  explicit Index(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// One of several indexes that are searched together. Both pointers must outlive the search.
struct IndexShard {
  const Index* index = nullptr;
  /// The rows of this index that may be returned, made by index->filter(); null for all rows.
  const IdFilter* filter = nullptr;
};

/// Finds the k nearest rows of all shards for each query, nearest first; at equal distances, rows
/// of earlier shards come first. All shards must have the same metric. An exact search gives the
/// same result as an exact search in one index of all rows in the order of the shards.
/// `options.filter` is not used; `options.threads` is the number for all shards together. Fails
/// with invalid_argument if there is no shard or if metrics differ, and with the errors of
/// Index::search().
Result<std::vector<std::vector<Hit>>> search_shards(std::span<const IndexShard> shards,
                                                    MatrixView queries, std::size_t k,
                                                    const SearchOptions& options = {},
                                                    std::stop_token stop = {});
/// Finds the k nearest rows of all shards for queries of packed bits, as search_shards() does for
/// vectors. Also fails with invalid_argument unless the rows of all shards are bits and take as
/// many bytes as a query.
Result<std::vector<std::vector<Hit>>> search_shards(std::span<const IndexShard> shards,
                                                    PackedBits queries, std::size_t k,
                                                    const SearchOptions& options = {},
                                                    std::stop_token stop = {});

}  // namespace embd
