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

/// An embedding table that stays in the file and is read row by row. Of a large one, such as the
/// 384 MB of a multilingual model's words, no more than 8 MiB of a mapped file are in memory,
/// whatever number of threads reads it and for however long.
class MappedTable {
 public:
  /// Makes the table of a model without words: no row may be read.
  MappedTable() = default;
  /// Finds the weights of `module`. The file must outlive the table. Errors: tensor_missing.
  static Result<MappedTable> load(const WeightFile& file, Module module);

  /// Copies a row as float32 to out[columns]. Any number of threads may at once.
  void copy_row(std::uint32_t row, std::span<float> out) const noexcept;

 private:
  WeightMatrix stored_;
  std::optional<MatrixView> in_place_;
  Bytes large_;  ///< what is let go of in between; empty for a table that may stay in memory
  std::unique_ptr<std::atomic<std::uint32_t>> rows_read_;
};

}  // namespace embd
