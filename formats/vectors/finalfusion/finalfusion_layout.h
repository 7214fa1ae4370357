#pragma once

#include <cstdint>
#include <string_view>

/// Constants of the finalfusion format, version 0 (docs/formats/finalfusion.md).
namespace embd::finalfusion {

inline constexpr std::string_view magic = "FiFu";
inline constexpr std::uint32_t version = 0;

/// A file is a header, then [metadata] vocabulary storage [norms]; each chunk is this id (u32), the
/// bytes of its body with the padding (u64), the body.
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
/// Bytes of a chunk's id and length.
inline constexpr std::uint64_t chunk_head_bytes = 12;

/// Type ids; the format's list is longer, these are all that files hold.
inline constexpr std::uint32_t type_u8 = 1;
inline constexpr std::uint32_t type_f32 = 10;

/// Codes are bytes.
inline constexpr std::uint32_t max_centroids = 256;

/// Bytes between a chunk's fixed fields, which end at this absolute offset, and its floats: never
/// 0, an aligned offset is followed by four.
constexpr std::uint64_t padding(std::uint64_t offset) {
  return 4 - offset % 4;
}

}  // namespace embd::finalfusion
