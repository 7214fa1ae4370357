#pragma once

#include <string_view>

#include "base/output_file.h"

namespace embd::cli {

/// Lines for standard output, whose failures are errors (a closed pipe, a full disk).
class StandardOutput {
 public:
  static Result<StandardOutput> open();

  Result<void> print(std::string_view text) { return file_.write(as_bytes(text)); }
  Result<void> finish() { return file_.finish(); }

 private:
  explicit StandardOutput(OutputFile file) : file_(std::move(file)) {}

  OutputFile file_;
};

/// Prints all of `text`.
Result<void> print_to_standard_output(std::string_view text);

}  // namespace embd::cli
