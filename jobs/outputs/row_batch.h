#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embd/byte_range.h"
#include "embd/matrix.h"
#include "embd/vectors.h"

namespace embd {

/// Notes on a row besides its vector and its id.
struct RowNote {
  std::uint64_t line = 0;  ///< where its text begins, from 1
  std::uint32_t tokens = 0;
  std::uint32_t window = 0;  ///< as in RowReport
  std::uint32_t windows = 1;
  bool truncated = false;
  std::optional<TextPlace> place = {};  ///< as in RowReport
  bool is_blank = false;                ///< its text is (is_blank() of embd/texts.h)

  bool operator==(const RowNote&) const = default;
};

/// Rows on their way to the outputs.
struct RowBatch {
  MatrixView rows;
  std::vector<RowNote> notes;
  Ids ids;
  /// One a row where an output needs them (Outputs::needs_texts), else none.
  std::vector<std::string> texts;
  /// Record.file of each row where there are several, else none.
  std::vector<std::string> files;
  /// Record.fields of each row where further fields were asked for, else none.
  std::vector<std::string> fields;
};

}  // namespace embd
