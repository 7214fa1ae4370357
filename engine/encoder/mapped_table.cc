#include "engine/encoder/mapped_table.h"

#include "base/os/mapped_file.h"
#include "base/try.h"

namespace embd {
namespace {

/// The size of a table up to which all of it may stay in memory.
constexpr std::size_t small_bytes = std::size_t{64} << 20;

/// The number of rows after which the memory of the table is released. For each row that is read,
/// the system maps 64 KiB around it, or 2 MiB of a file that was written just now. After some
/// thousand rows, all of the table would be in memory.
constexpr std::uint32_t rows_between_releases = 4;

}  // namespace

Result<MappedTable> MappedTable::load(const WeightFile& file, Module module, Memory memory) {
  MappedTable table;
  table.stored_ = EMBD_TRY(file.matrix(weight_name(module)));
  table.in_place_ = table.stored_.view();
  if (memory == Memory::whole) return table;
  if (const Bytes bytes = table.stored_.values->data;
      bytes.size() > small_bytes && file.is_mapped(bytes)) {
    table.large_ = bytes;
    table.rows_read_ = std::make_unique<std::atomic<std::uint32_t>>(0);
  }
  return table;
}

std::span<const float> MappedTable::row(std::uint32_t row,
                                        std::span<float> decoded) const noexcept {
  if (rows_read_ && rows_read_->fetch_add(1, std::memory_order_relaxed) % rows_between_releases ==
                        rows_between_releases - 1) {
    MappedFile::release(large_);
  }
  if (in_place_) return in_place_->row(row);
  // Cannot fail: the row is one of the table, whose type was checked when the file was opened.
  (void)stored_.row_to_floats(row, 1, decoded);
  return decoded;
}

}  // namespace embd
