#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "embd/matrix.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"

namespace embd {

/// An embedding table that stays in the file and is read row by row. Of a large table in a mapped
/// file, such as the 384 MB of words of a multilingual model, at most 8 MiB are in memory, however
/// many threads read it and however long, unless the whole table may be in memory.
class MappedTable {
 public:
  /// Makes an empty table, of which no row may be read.
  MappedTable() = default;
  /// Whether all of a large table may be in memory.
  enum class Memory : std::uint8_t { limited, whole };
  /// Finds the weights of `module` in the file, which must outlive the table. Fails with
  /// tensor_missing.
  static Result<MappedTable> load(const WeightFile& file, Module module,
                                  Memory memory = Memory::limited);

  /// Returns a row as float32 [columns]: in place where the file has float32, and else decoded into
  /// `decoded` [columns]. Any number of threads may call it at the same time.
  std::span<const float> row(std::uint32_t row, std::span<float> decoded) const noexcept;

 private:
  WeightMatrix stored_;
  std::optional<MatrixView> in_place_;
  /// The table's bytes if their memory is released now and then; empty for a small table.
  Bytes large_;
  std::unique_ptr<std::atomic<std::uint32_t>> rows_read_;
};

}  // namespace embd
