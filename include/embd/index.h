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

struct OpenOptions {
  /// The rows of a HNSW file that was saved without them, slot by slot; copied.
  MatrixView vectors;
  /// The metric of an index that does not say (an SVS directory of another maker). Nothing: cos,
  /// unless the index looks as if it was built for another, which is an error. A metric other than
  /// the one that an index says is an error, too.
  std::optional<Metric> metric = {};
  /// Open an index whose rows are int8 codes (OUT.ranges.npy lies beside it), too. Its queries must
  /// be codes of the same ranges: Searcher codes them, Index does not.
  bool of_codes = false;
  /// Says how rows are added to an HNSW index that was opened, because its file does not.
  Builder builder = Builder::parallel;
  std::uint32_t expansion_add = 128;
};

struct Hit {
  std::uint64_t id = 0;
  float distance = 0;
  /// Where the row lies in the index: which one it is, where several rows share an id.
  std::uint32_t slot = 0;

  bool operator==(const Hit& other) const noexcept {
    return id == other.id && distance == other.distance;
  }
};

/// Rows of bits that somebody else owns, eight values a byte, the first in the highest bit, as
/// numpy.packbits() and usearch pack them. Valid as long as the memory that it was made over.
struct PackedBits {
  const std::uint8_t* data = nullptr;  ///< [rows, row_bytes]
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
};

/// A set of ids that a search may return, made by Index::filter for one index in its present state.
class IdFilter {
 public:
  /// Rows of the index that pass.
  std::uint64_t size() const noexcept { return slots_.size(); }
  bool contains(std::uint64_t slot) const noexcept {
    return bits_.empty() ? std::ranges::binary_search(slots_, slot)
                         : ((bits_[slot / 64] >> (slot % 64)) & 1) != 0;
  }
  std::span<const std::uint64_t> slots() const noexcept { return slots_; }

  /// `slots` ascending, each below `num_slots`.
  IdFilter(std::vector<std::uint64_t> slots, std::size_t num_slots);

 private:
  std::vector<std::uint64_t> slots_;
  std::vector<std::uint64_t> bits_;  // a bit a slot; empty for a filter of few slots
};

struct SearchOptions {
  /// HNSW: candidates kept during the walk, at least k. More finds more and takes longer.
  std::uint32_t expansion = 64;
  /// Vamana: the same, and how many of them are kept for the final choice (0: the window).
  std::uint32_t window = 64;
  std::uint32_t capacity = 0;
  /// Compare with every row instead of walking the graph.
  bool exact = false;
  /// Only these rows are returned. A small set is compared row by row, so none of it is missed.
  const IdFilter* filter = nullptr;
  /// Threads for a batch of queries; 0: what affinity and the cgroup allow. Changes no result.
  int threads = 0;
};

struct IndexInfo {
  std::string format;  ///< "usearch", "svs"
  IndexKind kind = IndexKind::hnsw;
  Metric metric = Metric::cos;
  ElementType scalar = ElementType::f32;
  std::uint64_t dim = 0;
  std::uint64_t num_rows = 0;     ///< without removed ones
  std::uint64_t num_removed = 0;  ///< whose places are still in the graph
  std::uint32_t connectivity = 0;
  std::uint32_t connectivity_base = 0;
  bool multi = false;
  bool immutable = false;             ///< made by view()
  std::optional<Recipe> recipe = {};  ///< of an SVS directory that holds one
};

/// A search index: rows, their ids and a graph over them.
///
/// Search is const and may run on any number of threads at once; add, remove, compact and reserve
/// need the index to themselves. A search's result depends on neither the threads nor the other
/// queries of its batch. Moved, not copied. Errors: invalid_argument (wrong dimension, k of 0, an
/// id twice, a value that is not finite), bad_value (rows or queries so long that distances
/// overflow float32, under l2sq and ip; rows to be stored as i8 or u8 by HNSW, which keeps their
/// directions only, that are not of length 1, under l2sq and ip), unsupported (changing a view),
/// out_of_memory, and what reading and writing files gives.
class Index {
 public:
  /// Builds over `rows` [n, dim]. `ids`: one a row, or empty for 0, 1, 2 …; 2^64 − 1 is not an id.
  static Result<Index> build(MatrixView rows, std::span<const std::uint64_t> ids,
                             const IndexOptions& options = {}, std::stop_token stop = {});
  /// Reads a whole index into memory, after checking all of it.
  static Result<Index> open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// The same with the rows left in the mapped file: less memory, and it cannot be changed. The
  /// file must not be overwritten in place while the index lives.
  static Result<Index> view(const std::filesystem::path& path, const OpenOptions& options = {});

  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  IndexInfo info() const;
  /// Rows that no way along the links leads to from where searches begin, so that exact search
  /// alone finds them; looks at every link. None in an index that embd built.
  std::uint64_t num_unreached() const;
  /// The nearest k, nearest first; fewer if the index or the filter holds fewer.
  Result<std::vector<Hit>> search(std::span<const float> query, std::size_t k,
                                  const SearchOptions& options = {}) const;
  /// Searches for each row of `queries`.
  Result<std::vector<std::vector<Hit>>> search(MatrixView queries, std::size_t k,
                                               const SearchOptions& options = {},
                                               std::stop_token stop = {}) const;
  /// The nearest k for queries of packed bits. Error: invalid_argument unless the rows are bits,
  /// and as many bytes.
  Result<std::vector<std::vector<Hit>>> search(PackedBits queries, std::size_t k,
                                               const SearchOptions& options = {},
                                               std::stop_token stop = {}) const;
  /// Ids that are not in the index are left out.
  Result<IdFilter> filter(std::span<const std::uint64_t> ids) const;

  /// Sets the recipe that the rows were made with. An SVS directory keeps it; a USearch file has no
  /// place for it.
  void set_recipe(const std::optional<Recipe>& recipe);
  /// `stop` ends an add() to an HNSW index that has no rows, which then still has none; others are
  /// changed to the end.
  Result<void> add(MatrixView rows, std::span<const std::uint64_t> ids, int threads = 0,
                   std::stop_token stop = {});
  /// Takes rows out of all results; their places in the graph stay and are used again by add(),
  /// once it adds so many rows, or so many are removed, that leading around them is worth it.
  /// Returns how many rows went.
  Result<std::uint64_t> remove(std::span<const std::uint64_t> ids);
  /// Drops the links to removed rows.
  Result<void> compact();
  /// Writes the file (or directory) whole or not at all. Files beside an older index of that name
  /// (OUT.ids.jsonl, OUT.recipe.json, OUT.ranges.npy) go.
  Result<void> save(const std::filesystem::path& path) const;

  /// Ids in the order of their places, removed ones left out.
  std::vector<std::uint64_t> ids() const;
  /// The slots of the rows, in the same order, ascending.
  std::vector<std::uint32_t> slots() const;
  /// The rows at the places [first, first + count) of ids(), decoded, into `out` [count, dim].
  Result<void> read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// Whether the index has a row of each of `ids`.
  Result<std::vector<bool>> contains(std::span<const std::uint64_t> ids) const;
  /// Reads the row of each of `ids`, decoded, into `out` [ids, dim]: the one added last, where
  /// several rows share an id. Error: invalid_argument, which names an id that is not there.
  Result<void> read_rows_of(std::span<const std::uint64_t> ids, std::span<float> out) const;

  class Impl;

 private:
  explicit Index(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// One of several indexes that are searched as one.
struct IndexShard {
  const Index* index = nullptr;
  /// Made by this index; null: all its rows.
  const IdFilter* filter = nullptr;
};

/// The k nearest of the rows of all shards, which have one metric, nearest first; equal distances
/// in the order of the shards. An exact search finds what it finds in one index of all rows in that
/// order. `options.filter` is not used; `options.threads` are for all shards together. Errors:
/// invalid_argument (no shard, metrics that differ) and those of Index::search.
Result<std::vector<std::vector<Hit>>> search_shards(std::span<const IndexShard> shards,
                                                    MatrixView queries, std::size_t k,
                                                    const SearchOptions& options = {},
                                                    std::stop_token stop = {});
/// Searches the shards with queries of packed bits.
Result<std::vector<std::vector<Hit>>> search_shards(std::span<const IndexShard> shards,
                                                    PackedBits queries, std::size_t k,
                                                    const SearchOptions& options = {},
                                                    std::stop_token stop = {});

}  // namespace embd
