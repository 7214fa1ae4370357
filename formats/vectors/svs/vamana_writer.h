#pragma once

#include <functional>

#include "formats/vectors/svs/specification_layout.h"

namespace embd::svs {

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
