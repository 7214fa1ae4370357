#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/matrix.h"
#include "engine/kernels/kernels.h"
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

/// Gives the row numbers in the position table for the tokens of a text, one after the other,
/// beginning at the model's offset. If the offset is not 0, as in the XLM-R family, a padding token
/// (which a text can contain literally) gets the row before the first and is not counted.
class PositionCounter {
 public:
  PositionCounter(std::uint32_t offset, std::int32_t padding) noexcept
      : padding_row_(std::int64_t{offset} - 1),
        next_(offset),
        padding_(offset == 0 ? -1 : padding) {}

  std::int64_t next(std::int32_t id) noexcept { return id == padding_ ? padding_row_ : next_++; }

 private:
  std::int64_t padding_row_;
  std::int64_t next_;
  std::int32_t padding_;  ///< -1: no id is special
};

/// The embedding tables, and the LayerNorm over their sum. The word table, which is half of
/// the model or more, and a float32 position table stay in the mapped file and are read row by row.
class Embeddings {
 public:
  /// Loads the tables. The file must outlive the embeddings.
  static Result<Embeddings> load(const WeightFile& file);

  /// Computes out[hidden] = word[id] + position[position] + token_type[type], in this order. A
  /// model without a table of positions has only the other two. With scaled_embeddings, word[id] is
  /// multiplied by √hidden first.
  void sum(std::int32_t id, std::int64_t position, std::uint8_t type,
           std::span<float> out) const noexcept;
  /// Returns the LayerNorm; without gamma if the model has none here.
  kernels::LayerNorm norm() const noexcept {
    return gamma_.empty() ? kernels::LayerNorm{}
                          : kernels::LayerNorm{gamma_.data(), beta_.data(), epsilon_};
  }
  /// Returns a counter for the tokens of a new text.
  PositionCounter positions() const noexcept { return {position_offset_, padding_}; }

 private:
  MappedTable words_;
  bool has_positions_ = true;
  std::optional<MatrixView> positions_in_place_;  // [max_positions, hidden]
  Matrix positions_;                              // the same, where it is not float32 in the file
  Matrix token_types_;  // [token_types, hidden]; a row of zeros if the model has no such table
  std::vector<float> gamma_;
  std::vector<float> beta_;
  float epsilon_ = 0;
  float scale_ = 1;  ///< of the rows of words
  std::uint32_t position_offset_ = 0;
  std::int32_t padding_ = 0;
};

}  // namespace embd
