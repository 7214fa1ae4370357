#include "engine/encoder/mapped_table.h"

#include "base/os/mapped_file.h"
#include "base/try.h"

namespace embd {
namespace {

/// A smaller table may stay in memory.
constexpr std::size_t small_bytes = std::size_t{64} << 20;

/// The system maps 64 KiB around a row that is read, or 2 MiB of a file that was written just now,
/// so that some thousand words would have all of the table in memory.
constexpr std::uint32_t rows_between_releases = 4;

}  // namespace

Result<MappedTable> MappedTable::load(const WeightFile& file, Module module) {
  MappedTable table;
  table.stored_ = EMBD_TRY(file.matrix(weight_name(module)));
  table.in_place_ = table.stored_.view();
  if (const Bytes bytes = table.stored_.values->data;
      file.is_mapped() && bytes.size() > small_bytes) {
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
