#pragma once

#include "base/elements.h"
#include "base/try.h"
#include "embd/matrix.h"
#include "formats/vectors/svs/binary_writer.h"
#include "formats/vectors/svs/dataset.h"

namespace embd::svs {

/// Writes rows of one element type to a binary file.
class RowFile {
 public:
  static Result<RowFile> create(const std::filesystem::path& path, ElementType type,
                                std::uint64_t dim) {
    return RowFile(EMBD_TRY(BinaryWriter::create(path)), type, dim);
  }

  Result<void> append(MatrixView rows) {
    elements_.clear();
    EMBD_TRY(elements_from_floats(type_, rows.values(), elements_));
    num_rows_ += rows.rows();
    return binary_.append(elements_);
  }
  /// Appends `count` rows that are elements of the type already.
  Result<void> append_stored(Bytes rows, std::uint64_t count) {
    num_rows_ += count;
    return binary_.append(rows);
  }
  Result<Uuid> finish() { return binary_.finish(library_name(type_), num_rows_, dim_); }

  std::uint64_t num_rows() const noexcept { return num_rows_; }
  std::uint64_t dim() const noexcept { return dim_; }
  ElementType type() const noexcept { return type_; }

 private:
  RowFile(BinaryWriter binary, ElementType type, std::uint64_t dim)
      : binary_(std::move(binary)), type_(type), dim_(dim) {}

  BinaryWriter binary_;
  ElementType type_;
  std::uint64_t dim_;
  std::uint64_t num_rows_ = 0;
  std::vector<std::byte> elements_;
};

}  // namespace embd::svs
