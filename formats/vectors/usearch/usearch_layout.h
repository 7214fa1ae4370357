#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "embd/element_type.h"
#include "embd/index_options.h"

// The layout of a dense index of USearch, version 2 (docs/formats/usearch.md): a matrix of rows, a
// head of 64 bytes, a core header of 40 bytes, the levels of all nodes, and the nodes. Numbers are
// little-endian and not aligned.

namespace embd::usearch {

inline constexpr std::string_view magic = "usearch";
inline constexpr std::uint16_t major_version = 2;
inline constexpr std::uint16_t written_minor = 26;
inline constexpr std::uint16_t written_patch = 6;
/// The first minor version with the current numbers of scalar kinds. Older versions used other
/// numbers.
inline constexpr std::uint16_t first_minor_of_present_codes = 10;

inline constexpr std::uint64_t head_bytes = 64;
inline constexpr std::uint64_t core_bytes = 40;
inline constexpr std::uint64_t level_bytes = 2;
/// The key of a removed entry and the max_level of an empty index, in this order.
inline constexpr std::uint64_t removed_key = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t no_level = std::numeric_limits<std::uint64_t>::max();

/// The kind of head that stands before the matrix of rows.
enum class MatrixHead : std::uint8_t { absent, u32, u64 };
enum class KeyKind : std::uint8_t { u64 = 14, u32 = 15 };
enum class SlotKind : std::uint8_t { u40 = 2, u32 = 15 };

constexpr std::uint64_t bytes_of(MatrixHead head) noexcept {
  return head == MatrixHead::absent ? 0 : head == MatrixHead::u32 ? 8 : 16;
}
constexpr std::uint64_t bytes_of(KeyKind kind) noexcept {
  return kind == KeyKind::u64 ? 8 : 4;
}
constexpr std::uint64_t bytes_of(SlotKind kind) noexcept {
  return kind == SlotKind::u40 ? 5 : 4;
}

/// All fields before the levels.
struct Header {
  MatrixHead matrix = MatrixHead::u32;
  std::uint16_t minor = written_minor;
  std::uint16_t patch = written_patch;
  Metric metric = Metric::cos;
  ElementType scalar = ElementType::f32;
  KeyKind key = KeyKind::u64;
  SlotKind slot = SlotKind::u32;
  std::uint64_t present = 0;
  std::uint64_t deleted = 0;
  std::uint64_t dimensions = 0;
  bool multi = false;

  std::uint64_t size = 0;
  std::uint64_t connectivity = 16;
  std::uint64_t connectivity_base = 32;
  std::uint64_t max_level = no_level;
  std::uint64_t entry_slot = 0;

  /// Returns the size of a list: its count (u32) and all its places, used or not.
  std::uint64_t list_bytes(bool base) const noexcept {
    return 4 + bytes_of(slot) * (base ? connectivity_base : connectivity);
  }
  /// Returns the size of a node: its key, its level, and one list for each level.
  std::uint64_t node_bytes(std::uint64_t level) const noexcept {
    return bytes_of(key) + level_bytes + list_bytes(true) + level * list_bytes(false);
  }
};

/// Returns the letter that stands for a metric.
char metric_code(Metric metric) noexcept;
/// Returns the metric of a letter; nullopt for other letters.
std::optional<Metric> metric_from_code(char code) noexcept;

/// Returns the number that stands for an element type.
std::uint8_t scalar_code(ElementType type) noexcept;
/// Returns the element type of a number; nullopt if rows cannot have it.
std::optional<ElementType> scalar_from_code(std::uint8_t code) noexcept;
/// Returns the current number for a scalar kind of a version before first_minor_of_present_codes; 0
/// if there is none.
std::uint8_t present_code(std::uint8_t old_code) noexcept;

}  // namespace embd::usearch
