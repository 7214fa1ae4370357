#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/vectors/svs/dataset.h"

namespace embd::svs {

/// A directed graph over the rows of a data set: every vertex's degree is at most max_degree and
/// every neighbour is a vertex. Its rows stay in the mapped file, unless they are stored as uint64.
class Graph {
 public:
  /// `binary` holds one row a vertex: its degree, then its neighbours, as uint32 or uint64
  /// (`id_bytes`). Errors: bad_count, bad_value with the offset; those of BinaryFile.
  static Result<Graph> create(BinaryFile binary, std::uint64_t id_bytes);

  std::uint64_t num_vertices() const noexcept { return binary_.rows; }
  std::uint64_t max_degree() const noexcept { return binary_.columns - 1; }
  /// All rows, each max_degree + 1 values: the degree, the neighbours, and what the file holds
  /// after them.
  const std::uint32_t* rows() const noexcept { return values(); }
  std::span<const std::uint32_t> neighbours(std::uint64_t vertex) const noexcept {
    const std::uint32_t* row = values() + vertex * binary_.columns;
    return {row + 1, row[0]};
  }

 private:
  explicit Graph(BinaryFile binary) : binary_(std::move(binary)) {}
  const std::uint32_t* values() const noexcept {
    return narrowed_.empty() ? reinterpret_cast<const std::uint32_t*>(binary_.data().data())
                             : narrowed_.data();
  }

  BinaryFile binary_;
  std::vector<std::uint32_t> narrowed_;  // of a uint64 file; empty otherwise
};

struct BuildParameters {
  float alpha = 1.2F;
  std::uint64_t graph_max_degree = 64;
  std::uint64_t window_size = 128;
  std::uint64_t max_candidate_pool_size = 384;
  std::uint64_t prune_to = 60;
  bool use_full_search_history = true;
};

struct SearchParameters {
  std::uint64_t window_size = 0;  ///< 0: the caller chooses
  std::uint64_t capacity = 0;
  bool visited_set = false;
  std::uint64_t prefetch_lookahead = 4;
  std::uint64_t prefetch_step = 1;
};

/// A Vamana index in the library's layout: config/, graph/ and data/ inside one directory.
struct VamanaDirectory {
  std::unique_ptr<Dataset> data;
  Graph graph;
  std::uint64_t entry_point = 0;
  BuildParameters build;
  SearchParameters search;
  /// The external id of each row of a dynamic index. Empty for a static one, whose ids are the row
  /// numbers.
  std::vector<std::uint64_t> external_ids;
  bool dynamic = false;
  std::optional<Recipe> recipe;  ///< of the data set
  /// The metric that the index was built for. The library does not store it; embd does, in a table
  /// of its own.
  std::optional<Metric> metric;
};

/// The metric of an index that does not say: cos. Error: invalid_argument where the build
/// parameters are those of another metric, so that a guess would give wrong results.
Result<Metric> metric_unless_said(const VamanaDirectory& index, const std::filesystem::path& path);

/// True if `path` looks like one: a directory with config/svs_config.toml inside.
bool is_vamana_directory(const std::filesystem::path& path);
/// The same of any SVS directory: of vectors, or an index.
bool is_svs_directory(const std::filesystem::path& path);

/// Opens and checks all of it. An IVF index is refused by name.
Result<VamanaDirectory> open_vamana(const std::filesystem::path& path);

}  // namespace embd::svs
