#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd::finalfusion {

/// Constants of the finalfusion format, version 0 (docs/formats/finalfusion.md).

inline constexpr std::string_view magic = "FiFu";
inline constexpr std::uint32_t version = 0;

/// The ids of chunks. A file is a header, then [metadata] vocabulary storage [norms]. Each chunk is
/// its id (u32), the size of its body in bytes with padding (u64), and the body.
enum class ChunkId : std::uint32_t {
  simple_vocabulary = 1,
  array = 2,
  bucket_vocabulary = 3,
  quantized_array = 4,
  metadata = 5,
  norms = 6,
  fasttext_vocabulary = 7,
  explicit_vocabulary = 8,
  floret_vocabulary = 9,
};
inline constexpr std::uint32_t last_chunk_id = 9;
/// The number of bytes of a chunk's id and size.
inline constexpr std::uint64_t chunk_head_bytes = 12;

/// The type ids that occur in files. The format defines more.
inline constexpr std::uint32_t type_u8 = 1;
inline constexpr std::uint32_t type_f32 = 10;

/// The greatest number of centroids, because codes are bytes.
inline constexpr std::uint32_t max_centroids = 256;

/// Returns the number of padding bytes between a chunk's fixed fields and its floats. `offset` is
/// where the fields end in the file. The result is never 0: an aligned offset is followed by four
/// bytes.
constexpr std::uint64_t padding(std::uint64_t offset) {
  return 4 - offset % 4;
}

/// Scales `values` to length 1 and returns the length before. Zeros stay zeros.
inline float normalize(std::span<float> values) noexcept {
  double squares = 0;
  for (const float value : values) squares += double{value} * value;
  const double length = std::sqrt(squares);
  if (length > 0)
    for (float& value : values) value = static_cast<float>(value / length);
  return static_cast<float>(length);
}

/// The metadata chunk is TOML of any content. The recipe is its table `embd`.

/// Checks the text of the metadata chunk. Fails with invalid_utf8, or with bad_toml and the line
/// within the metadata.
Result<void> check_metadata(std::string_view toml);

/// Returns the metadata as a JSON object, with dates as strings. `toml` must have passed
/// check_metadata().
Result<std::string> metadata_as_json(std::string_view toml);

/// Reads the recipe from the table `embd` of the metadata. Returns nullopt if there is no such
/// table. Fails with bad_value if a field has the wrong type.
Result<std::optional<Recipe>> recipe_in(std::string_view toml);

/// Returns `toml` with the recipe as its table `embd`, which replaces an older one; keys are
/// sorted. Without a recipe, returns the text unchanged. Fails with unsupported if a key cannot be
/// written by toml++.
Result<std::string> compose_metadata(std::string_view toml, const std::optional<Recipe>& recipe);

}  // namespace embd::finalfusion
