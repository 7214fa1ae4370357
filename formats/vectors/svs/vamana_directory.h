#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "formats/vectors/svs/dataset.h"

namespace embd::svs {

/// A directed graph over the rows of a data set, as its file stores it. Every vertex has at most
/// max_degree neighbours, all of which exist. The numbers stay in the mapped file, unless it stores
/// them as uint64.
class Graph {
 public:
  /// Checks the numbers in `binary`: for each vertex its degree, then its neighbours, as uint32 or
  /// uint64 (`id_bytes` is 4 or 8). Fails with bad_count or bad_value and the offset, and with the
  /// errors of BinaryFile.
  static Result<Graph> create(BinaryFile binary, std::uint64_t id_bytes);

  std::uint64_t num_vertices() const noexcept { return binary_.rows; }
  std::uint64_t max_degree() const noexcept { return binary_.columns - 1; }
  /// Returns the numbers of all vertices. Each vertex has max_degree + 1 of them: the degree, the
  /// neighbours, and unused places.
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
  std::vector<std::uint32_t> narrowed_;  // The numbers of a uint64 file as uint32; otherwise empty.
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
  std::uint64_t window_size = 0;  ///< The search window; 0 leaves the choice to the caller.
  std::uint64_t capacity = 0;
  bool visited_set = false;
  std::uint64_t prefetch_lookahead = 4;
  std::uint64_t prefetch_step = 1;
};

/// A Vamana index in the layout of the SVS library: config/, graph/ and data/ in one directory.
struct VamanaDirectory {
  std::unique_ptr<Dataset> data;
  Graph graph;
  std::uint64_t entry_point = 0;
  BuildParameters build;
  SearchParameters search;
  /// The id of each row of a dynamic index. Empty for a static index, whose ids are the row
  /// numbers.
  std::vector<std::uint64_t> external_ids;
  bool dynamic = false;
  std::optional<Recipe> recipe;  ///< The recipe of the data set.
  /// The metric for which the index was built. The SVS library does not store it; embd stores it in
  /// a table of its own.
  std::optional<Metric> metric;
};

/// Returns the metric to assume for an index that does not state one: cos. Fails with
/// invalid_argument if the build parameters are typical of another metric, because the results
/// would be wrong.
Result<Metric> metric_unless_said(const VamanaDirectory& index, const std::filesystem::path& path);

/// Returns true if `path` looks like a Vamana index: a directory that contains
/// config/svs_config.toml.
bool is_vamana_directory(const std::filesystem::path& path);
/// Returns true if `path` looks like an SVS directory, of vectors or of an index.
bool is_svs_directory(const std::filesystem::path& path);

/// Opens an index and checks all of it. An IVF index is refused; the message names it.
Result<VamanaDirectory> open_vamana(const std::filesystem::path& path);

/// A built graph and its rows, for the writers. Nothing here is owned.
struct VamanaContent {
  ElementType type = ElementType::f32;  ///< The type of the elements: f32, f16, u8 or i8.
  std::uint64_t rows = 0;
  std::uint64_t dim = 0;
  std::function<Bytes(std::uint64_t row)> row;  ///< The elements of a row.
  std::uint64_t max_degree = 0;
  /// The neighbours of a vertex, at most max_degree.
  std::function<std::span<const std::uint32_t>(std::uint64_t vertex)> neighbours;
  std::uint64_t entry_point = 0;
  BuildParameters build;
  SearchParameters search;
  /// The ids of the rows; empty for row numbers. With ids, the layout of the SVS library is a
  /// dynamic index.
  std::span<const std::uint64_t> external_ids;
  std::optional<Recipe> recipe;  ///< Stored with the rows.
  std::optional<Metric> metric;  ///< Stored in config/, in a table of embd's own.
};

/// Writes an index as the directory `path` with config/, graph/ and data/. It appears whole or not
/// at all.
Result<void> write_vamana(const std::filesystem::path& path, const VamanaContent& content);

/// Writes the graph alone: for each vertex its degree, its neighbours, and zeros.
Result<Uuid> write_graph(const std::filesystem::path& path, const VamanaContent& content);

/// Returns a number as a TOML float, always with a point or an exponent, because TOML would read it
/// as an integer otherwise.
std::string toml_float(float value);

}  // namespace embd::svs
