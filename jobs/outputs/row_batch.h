#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embd/matrix.h"
#include "embd/tokens.h"
#include "embd/vectors.h"

namespace embd {

/// Facts about a row besides its vector and its id.
struct RowNote {
  std::uint64_t line = 0;  ///< the line where its text begins, from 1
  std::uint32_t tokens = 0;
  std::uint32_t window = 0;  ///< RowReport.window
  std::uint32_t windows = 1;
  bool truncated = false;
  std::optional<TextPlace> place = {};  ///< as in RowReport
  bool is_blank = false;                ///< true if its text is blank (see is_blank())

  bool operator==(const RowNote&) const = default;
};

/// Rows on their way from the model to the outputs.
struct RowBatch {
  MatrixView rows;
  std::vector<RowNote> notes;
  Ids ids;
  /// A text for each row if an output needs texts (see Outputs::needs_texts()); otherwise empty.
  std::vector<std::string> texts;
  /// Record::file of each row if there are several files; otherwise empty.
  std::vector<std::string> files;
  /// Record::fields of each row if further fields were asked for; otherwise empty.
  std::vector<std::string> fields;
};

}  // namespace embd
