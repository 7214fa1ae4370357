#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "embd/vectors.h"
#include "formats/vectors/format.h"
#include "jobs/outputs/output_target.h"
#include "jobs/outputs/spool.h"
#include "vectors/set_writer.h"

namespace embd {

/// An output that rows are written to: a set of files that appears whole, or a stream.
struct OpenOutput {
  std::filesystem::path path;
  std::unique_ptr<VectorWriter> writer;
  /// Behind `writer`; null for a stream, which has nothing beside it.
  VectorSetWriter* set = nullptr;
  Room room = {};
  bool needs_ids = false;
  std::size_t num_columns = 0;       ///< of numbers: the first of those that a job has
  std::size_t num_text_columns = 0;  ///< likewise, all of them or none
  /// Where the file waits that is to be copied into a stream at the end; nothing for a file.
  std::optional<Spool> spool;

  /// Returns true if the output is written where it is, not renamed.
  bool is_in_place() const;
  Result<void> prepare();
  Result<void> finish();
};

/// The shape of the rows that an output is given.
struct RowShape {
  std::uint64_t dim = 0;
  bool are_codes = false;  ///< the rows are codes of OutputOptions::type already
};

/// Opens an output. Never writes binary data to a terminal. Errors: invalid_argument for a type
/// that the format does not store, and for several files in a stream; those of the format.
Result<OpenOutput> open_output(const OutputTarget& target, RowShape rows);

}  // namespace embd
