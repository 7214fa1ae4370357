#pragma once

#include <string_view>

#include "base/output_file.h"

namespace embd::cli {

/// Writes to standard output. A failure, such as a closed pipe or a full disk, is returned as an
/// error.
class StandardOutput {
 public:
  static Result<StandardOutput> open();

  Result<void> print(std::string_view text) { return file_.write(as_bytes(text)); }
  /// Writes all that waits in memory. Call it at the end, because it can fail.
  Result<void> finish() { return file_.finish(); }

 private:
  explicit StandardOutput(OutputFile file) : file_(std::move(file)) {}

  OutputFile file_;
};

/// Prints `text` on standard output.
Result<void> print_to_standard_output(std::string_view text);

}  // namespace embd::cli
