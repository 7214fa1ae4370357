// The layout of the design document "Intel Similarity Search file format", which no release of the
// SVS library ever read or wrote: STEM.config beside STEM.svs-vec1…, STEM.svs-id and STEM.svs-idx.
// docs/formats/svs.md says how embd fills the gaps of that document.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "embd/enum_names.h"
#include "embd/vectors.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/svs/vamana_directory.h"

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

// The words of the specification's layout, for its reader and its writer.

inline constexpr EnumNames<ElementType, 6> element_types = {{{"FP32", ElementType::f32},
                                                             {"FP16", ElementType::f16},
                                                             {"uint8", ElementType::u8},
                                                             {"int8", ElementType::i8},
                                                             {"uint32", ElementType::u32},
                                                             {"int32", ElementType::i32}}};
inline constexpr EnumNames<std::uint64_t, 2> id_types = {{{"uint64", 8}, {"uint32", 4}}};  // bytes
inline constexpr EnumNames<SpecificationDistance, 3> distances = {
    {{"squared L2", SpecificationDistance::squared_l2},
     {"cosine similarity", SpecificationDistance::cosine},
     {"inner product", SpecificationDistance::inner_product}}};

// Followed by the level, counted from 1.
inline constexpr std::string_view vectors_extension = ".svs-vec";
inline constexpr std::string_view ids_extension = ".svs-id";
inline constexpr std::string_view index_extension = ".svs-idx";

/// Returns STEM of a path STEM.config. STEM may contain dots.
std::string specification_stem(const std::filesystem::path& config);
/// Returns the file name of a subset of the vectors: STEM.svs-vecL for level L, and
/// STEM-blockB.svs-vecL for a further block B of the level.
std::string subset_name(std::string_view stem, std::uint64_t level, std::uint64_t block);
// Writers of the specification's layout. Its files are beside each other, not in a directory of
// their own. So each file appears by itself, and the configuration last.

/// Makes a writer of vectors: `config`, which is STEM.config, STEM.svs-vec1 and, if there are ids,
/// STEM.svs-id. Ids must be numbers.
Result<std::unique_ptr<VectorWriter>> create_specification_vectors(
    const std::filesystem::path& config, std::uint64_t dim, ElementType type,
    const std::optional<Recipe>& recipe);

/// Writes an index: `config`, which is STEM.config, STEM.svs-idx, and its vectors as
/// STEM-vectors.config.
Result<void> write_specification_index(const std::filesystem::path& config,
                                       const VamanaContent& content,
                                       SpecificationDistance distance);

}  // namespace embd::svs
