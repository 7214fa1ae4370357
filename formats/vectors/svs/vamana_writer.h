#pragma once

#include <functional>

#include "formats/vectors/svs/specification_layout.h"

namespace embd::svs {

/// A built graph and its rows, as the writers take them. Nothing here is owned.
struct VamanaContent {
  ElementType type = ElementType::f32;  ///< f32, f16, u8 or i8
  std::uint64_t rows = 0;
  std::uint64_t dim = 0;
  std::function<Bytes(std::uint64_t row)> row;  ///< its dim elements
  std::uint64_t max_degree = 0;
  std::function<std::span<const std::uint32_t>(std::uint64_t vertex)>
      neighbours;  ///< at most max_degree
  std::uint64_t entry_point = 0;
  BuildParameters build;
  SearchParameters search;
  /// One a row, or empty for row numbers. With ids the library's layout is a dynamic index.
  std::span<const std::uint64_t> external_ids;
  std::optional<Recipe> recipe;  ///< kept with the rows
  std::optional<Metric> metric;  ///< kept in config/, in a table of our own
};

/// `path` becomes a directory with config/, graph/ and data/, whole or not at all.
Result<void> write_vamana(const std::filesystem::path& path, const VamanaContent& content);

/// The graph alone: a row of degree, neighbours and zeros a vertex.
Result<Uuid> write_graph(const std::filesystem::path& path, const VamanaContent& content);

/// A number as TOML tells it from an integer: always with a point or an exponent.
std::string toml_float(float value);

}  // namespace embd::svs
