#pragma once

#include "formats/vectors/svs/vamana_directory.h"

// The layout of the specification document: STEM.config beside STEM.svs-vec1…, STEM.svs-id and
// STEM.svs-idx. No release of the library reads or writes it; docs/formats/svs.md says how its gaps
// are filled.

namespace embd::svs {

struct SpecificationVectors {
  std::unique_ptr<Dataset> data;
  std::vector<std::uint64_t> external_ids;  ///< empty: row numbers
  Uuid origin;                              ///< the UUID that all subsets carry
  std::uint64_t num_levels = 1;
  std::uint64_t num_subsets = 1;
  std::optional<Recipe> recipe;
};

enum class SpecificationDistance : std::uint8_t { squared_l2, cosine, inner_product };

struct SpecificationIndex {
  SpecificationVectors vectors;
  Graph graph;
  SpecificationDistance distance;
  std::uint64_t entry_point = 0;
  BuildParameters build;
  SearchParameters search;
};

/// "vector" or "vamana": the [format].type of a `.config`. Errors: bad_toml, missing,
/// unsupported_version, bad_value.
Result<std::string> specification_type(const std::filesystem::path& config);
Result<SpecificationVectors> open_specification_vectors(const std::filesystem::path& config);
Result<SpecificationIndex> open_specification_index(const std::filesystem::path& config);

}  // namespace embd::svs
