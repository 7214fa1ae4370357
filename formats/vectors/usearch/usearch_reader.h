#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/os/mapped_file.h"
#include "formats/vectors/usearch/usearch_layout.h"

namespace embd::usearch {

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

}  // namespace embd::usearch
