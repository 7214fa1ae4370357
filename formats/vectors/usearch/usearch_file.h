#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "embd/element_type.h"
#include "embd/index_options.h"
#include "formats/vectors/format.h"

namespace embd::usearch {

// The layout of a dense index of USearch, version 2 (docs/formats/usearch.md): a matrix of rows, a
// head of 64 bytes, a core header of 40 bytes, the levels of all nodes, and the nodes. Numbers are
// little-endian and not aligned.

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

/// A list of neighbours in a file: `count` slots, then unused places up to `capacity`.
class LinkList {
 public:
  LinkList(const std::byte* data, SlotKind kind, std::uint32_t capacity)
      : data_(data), kind_(kind), capacity_(capacity) {}

  std::uint32_t count() const noexcept;
  std::uint32_t capacity() const noexcept { return capacity_; }
  /// Returns the slot in place i < capacity(). An unused place may hold a number of 2^32 or more.
  std::uint64_t operator[](std::uint32_t i) const noexcept;

 private:
  const std::byte* data_;
  SlotKind kind_;
  std::uint32_t capacity_;
};

/// An open dense index file. open() checks all of its structure: extents, counts, levels, links and
/// keys. So the accessors need no checks, and every link leads to a node. Immutable.
class Reader {
 public:
  static Result<Reader> open(const std::filesystem::path& path);
  /// Reads an index from bytes in memory, which must outlive the reader.
  static Result<Reader> parse(Bytes bytes);

  const Header& header() const noexcept { return header_; }
  /// Returns false if the file was saved without its rows.
  bool has_rows() const noexcept { return header_.matrix != MatrixHead::absent; }
  std::uint64_t row_bytes() const noexcept { return row_bytes_; }
  /// Returns the stored row of a slot. Requires has_rows().
  const std::byte* row(std::uint64_t slot) const noexcept {
    return matrix_.data() + slot * row_bytes_;
  }
  /// Returns the key of a slot; removed_key if it was removed.
  std::uint64_t key(std::uint64_t slot) const noexcept;
  std::int16_t level(std::uint64_t slot) const noexcept;
  /// Returns the links of a slot on `level`, which is at most level(slot).
  LinkList links(std::uint64_t slot, std::int16_t level) const noexcept;

 private:
  Reader() = default;
  Result<void> read(Bytes bytes);
  Result<std::uint64_t> find_head(Bytes bytes);
  Result<void> read_head(Bytes bytes, std::uint64_t offset);
  Result<void> check_counts(std::uint64_t head_offset, std::uint64_t core_offset);
  Result<void> read_nodes(Bytes bytes, std::uint64_t offset);
  Result<void> check_node(std::uint64_t slot) const;
  Result<void> check_keys() const;

  std::unique_ptr<MappedFile> file_;
  Bytes bytes_;
  Header header_;
  std::uint64_t rows_ = 0;
  std::uint64_t row_bytes_ = 0;
  Bytes matrix_;
  Bytes levels_;
  std::vector<std::uint64_t> nodes_;  // The offset of each node.
};

/// Writes a dense index in the order of the file: rows, then the graph's levels, then nodes. The
/// bytes are those that USearch writes for the same content. The header is not checked.
class Writer {
 public:
  /// Creates the file and begins the matrix of header.size rows.
  static Result<Writer> create(const std::filesystem::path& path, const Header& header);
  /// Appends bytes of the rows, in order, in pieces of any size.
  Result<void> rows(Bytes bytes);
  /// Writes the head, the core header and the level of each node. Called after the last row.
  Result<void> graph(std::span<const std::int16_t> levels);
  /// Writes the next node. `base` is its list of level 0, [1 + connectivity_base], and `upper` has
  /// its `level` further lists, [level, 1 + connectivity]. Each list is a count and all places,
  /// used or not.
  Result<void> node(std::uint64_t key, std::int16_t level, std::span<const std::uint32_t> base,
                    std::span<const std::uint32_t> upper);
  Result<void> finish();

 private:
  Writer(OutputFile file, const Header& header) : file_(std::move(file)), header_(header) {}

  OutputFile file_;
  Header header_;
};

/// Returns true if the file is a USearch index. The magic stands after the matrix of rows, so the
/// file itself is read, not only its first bytes.
bool has_magic(const std::filesystem::path& path, Bytes head);

/// Opens an index as a vector set: its rows without the removed ones, in the order of their slots.
/// The ids are the keys. Fails if the file was saved without its rows.
Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path,
                                           const ReadOptions& options);

}  // namespace embd::usearch
