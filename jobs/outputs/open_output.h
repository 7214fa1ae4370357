#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "embd/vectors.h"
#include "formats/vectors/format.h"
#include "jobs/outputs/output_target.h"
#include "jobs/outputs/spool.h"
#include "jobs/sets/set_writer.h"

namespace embd {

/// An output that rows are written to: a set of files that appears when it is complete, or a
/// stream.
struct OpenOutput {
  std::filesystem::path path;
  std::unique_ptr<VectorWriter> writer;
  /// The set that `writer` writes to; null for a stream, which has no files beside it.
  VectorSetWriter* set = nullptr;
  Room room = {};
  bool needs_ids = false;
  /// The number of the job's columns of numbers that it has, from the first on.
  std::size_t num_columns = 0;
  std::size_t num_text_columns = 0;  ///< the number of columns of texts: all or none
  /// The file that is copied into a stream at the end; unset if the output is a file.
  std::optional<Spool> spool;

  /// Returns true if the output is written in place, not renamed.
  bool is_in_place() const;
  /// Does all that can fail before finish(), such as writing the rows that wait in memory.
  Result<void> prepare();
  /// Puts the output in place. Call prepare() before.
  Result<void> finish();
};

/// The shape of the rows that an output gets.
struct RowShape {
  std::uint64_t dim = 0;
  bool are_codes = false;  ///< true if the rows are already codes of OutputOptions::type
};

/// Opens an output. Binary data is never written to a terminal. Fails with invalid_argument for a
/// type that the format does not store, and for a format of several files in a stream; and with the
/// errors of the format.
Result<OpenOutput> open_output(const OutputTarget& target, RowShape rows);

}  // namespace embd
