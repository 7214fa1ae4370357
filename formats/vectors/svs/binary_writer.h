#pragma once

#include "base/checksum.h"
#include "base/output_file.h"
#include "formats/vectors/svs/uuid.h"

namespace embd::svs {

/// Writes a binary file of version 1. Rows are written as they come, and the header at the end,
/// when their number and hash are known. The UUID is made from the element type, the shape and the
/// rows, so equal rows give equal files.
class BinaryWriter {
 public:
  static Result<BinaryWriter> create(const std::filesystem::path& path);

  Result<void> append(Bytes rows);
  /// Completes the file and returns its UUID. `kind`, such as "float32", makes the UUIDs of arrays
  /// differ that have the same bytes.
  Result<Uuid> finish(std::string_view kind, std::uint64_t rows, std::uint64_t columns);

 private:
  explicit BinaryWriter(OutputFile file) : file_(std::move(file)) {}

  OutputFile file_;
  Sha256 hash_;
};

}  // namespace embd::svs
