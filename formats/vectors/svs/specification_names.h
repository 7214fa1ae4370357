#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "embd/vectors.h"
#include "formats/vectors/svs/specification_layout.h"

// The words of the specification's layout, for its reader and its writer.

namespace embd::svs {

template <class T>
struct Named {
  std::string_view name;
  T value;
};

inline constexpr std::array<Named<ElementType>, 6> element_types = {{{"FP32", ElementType::f32},
                                                                     {"FP16", ElementType::f16},
                                                                     {"uint8", ElementType::u8},
                                                                     {"int8", ElementType::i8},
                                                                     {"uint32", ElementType::u32},
                                                                     {"int32", ElementType::i32}}};
inline constexpr std::array<Named<std::uint64_t>, 2> id_types = {
    {{"uint64", 8}, {"uint32", 4}}};  // bytes
inline constexpr std::array<Named<SpecificationDistance>, 3> distances = {
    {{"squared L2", SpecificationDistance::squared_l2},
     {"cosine similarity", SpecificationDistance::cosine},
     {"inner product", SpecificationDistance::inner_product}}};

inline constexpr std::string_view config_extension = ".config";
// Followed by the level, counted from 1.
inline constexpr std::string_view vectors_extension = ".svs-vec";
inline constexpr std::string_view ids_extension = ".svs-id";
inline constexpr std::string_view index_extension = ".svs-idx";

/// Returns STEM of a path STEM.config. STEM may contain dots.
std::string specification_stem(const std::filesystem::path& config);
/// Returns the file name of a subset of the vectors: STEM.svs-vecL for level L, and
/// STEM-blockB.svs-vecL for a further block B of the level.
std::string subset_name(std::string_view stem, std::uint64_t level, std::uint64_t block);
/// Returns the paths of all files that embd may write together with STEM.config, for vectors and
/// for an index.
std::vector<std::filesystem::path> specification_files(const std::filesystem::path& config);

}  // namespace embd::svs
