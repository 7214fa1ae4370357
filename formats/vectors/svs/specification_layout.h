#pragma once

#include "formats/vectors/svs/vamana_directory.h"

// The layout of the design document "Intel Similarity Search file format", which no release of the
// SVS library reads or writes: STEM.config beside STEM.svs-vec1…, STEM.svs-id and STEM.svs-idx.
// docs/formats/svs.md says how embd fills the gaps of that document.

namespace embd::svs {

struct SpecificationVectors {
  std::unique_ptr<Dataset> data;
  std::vector<std::uint64_t> external_ids;  ///< Empty if the ids are the row numbers.
  Uuid origin;                              ///< The UUID that all subsets have.
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

/// Returns the [format].type of a `.config` file: "vector" or "vamana". Fails with bad_toml,
/// missing, unsupported_version or bad_value.
Result<std::string> specification_type(const std::filesystem::path& config);
Result<SpecificationVectors> open_specification_vectors(const std::filesystem::path& config);
Result<SpecificationIndex> open_specification_index(const std::filesystem::path& config);

}  // namespace embd::svs
