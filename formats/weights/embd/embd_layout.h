#pragma once

#include <cstdint>
#include <string_view>

/// The place of every field of an EMBD file, under the names of docs/formats/embd.md. The reader
/// and the writer use only these places.
namespace embd::embd_layout {

/// A field: its name, for messages, and its place from the start of its structure in bytes.
struct Field {
  std::string_view name;
  std::uint64_t at;
};

inline constexpr std::string_view magic_bytes = "EMBD";
inline constexpr std::string_view magic_end_bytes = "DBME";
inline constexpr std::uint16_t supported_major = 1;
/// The minor version whose keys are all known. A file has the least version that knows all of its
/// keys.
inline constexpr std::uint16_t supported_minor = 2;

// Bits of `flags`.
inline constexpr std::uint32_t vocab_embedded = 1U << 0;
inline constexpr std::uint32_t tensors_aligned = 1U << 1;
inline constexpr std::uint32_t checksum_enabled = 1U << 2;
inline constexpr std::uint32_t compressed = 1U << 3;
inline constexpr std::uint32_t known_flags = (1U << 4) - 1;

inline constexpr std::uint64_t header_bytes = 64;
inline constexpr std::uint64_t footer_bytes = 16;
/// The number of bytes that `header_checksum` covers: all bytes before it.
inline constexpr std::uint64_t checked_header_bytes = 56;
inline constexpr std::uint64_t tensor_alignment = 64;

namespace header {
inline constexpr Field magic{"magic", 0};
inline constexpr Field version_major{"version_major", 4};
inline constexpr Field version_minor{"version_minor", 6};
inline constexpr Field flags{"flags", 8};
inline constexpr Field metadata_offset{"metadata_offset", 12};
inline constexpr Field metadata_size{"metadata_size", 16};
inline constexpr Field vocab_offset{"vocab_offset", 20};
inline constexpr Field vocab_size{"vocab_size", 24};
inline constexpr Field tensor_index_offset{"tensor_index_offset", 28};
inline constexpr Field tensor_index_count{"tensor_index_count", 32};
inline constexpr Field tensor_data_offset{"tensor_data_offset", 36};
inline constexpr Field tensor_data_size{"tensor_data_size", 40};
inline constexpr Field total_file_size{"total_file_size", 48};
inline constexpr Field header_checksum{"header_checksum", 56};
inline constexpr Field reserved{"reserved", 60};
}  // namespace header

inline constexpr std::uint64_t metadata_header_bytes = 8;
inline constexpr std::uint64_t metadata_entry_header_bytes = 4;

namespace metadata {
inline constexpr Field entry_count{"entry_count", 0};
inline constexpr Field total_size{"total_size", 4};
}  // namespace metadata

namespace metadata_entry {
inline constexpr Field key_length{"key_length", 0};
inline constexpr Field value_length{"value_length", 2};
}  // namespace metadata_entry

inline constexpr std::uint64_t vocab_header_bytes = 12;
inline constexpr std::uint64_t special_ids_bytes = 20;
inline constexpr std::uint64_t token_header_bytes = 2;

namespace vocab {
inline constexpr Field token_count{"token_count", 0};
inline constexpr Field total_size{"total_size", 4};
inline constexpr Field special_tokens{"special_tokens", 8};
}  // namespace vocab

namespace special {
inline constexpr Field pad_id{"pad_id", 0};
inline constexpr Field unk_id{"unk_id", 4};
inline constexpr Field cls_id{"cls_id", 8};
inline constexpr Field sep_id{"sep_id", 12};
inline constexpr Field mask_id{"mask_id", 16};
}  // namespace special

inline constexpr std::uint64_t descriptor_bytes = 32;
inline constexpr unsigned max_rank = 4;

namespace descriptor {
inline constexpr Field name_hash{"name_hash", 0};
inline constexpr Field dtype{"dtype", 4};
inline constexpr Field ndim{"ndim", 5};
inline constexpr Field name_length{"name_length", 6};
inline constexpr Field shape[max_rank] = {
    {"shape[0]", 8}, {"shape[1]", 12}, {"shape[2]", 16}, {"shape[3]", 20}};
inline constexpr Field data_offset{"data_offset", 24};
}  // namespace descriptor

namespace footer {
inline constexpr Field data_checksum{"data_checksum", 0};
inline constexpr Field file_checksum{"file_checksum", 4};
inline constexpr Field magic_end{"magic_end", 8};
inline constexpr Field reserved{"reserved", 12};
}  // namespace footer

}  // namespace embd::embd_layout
