#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace embd {

/// A view of float32 rows that somebody else owns: [rows, cols], row-major, without gaps between
/// rows. Valid as long as the memory that it points to.
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(const float* data, std::size_t rows, std::size_t cols)
      : data_(data), rows_(rows), cols_(cols) {}

  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  const float* data() const noexcept { return data_; }
  std::span<const float> row(std::size_t i) const noexcept { return {data_ + i * cols_, cols_}; }
  /// Returns all values, one row after the other.
  std::span<const float> values() const noexcept { return {data_, rows_ * cols_}; }
  /// Returns a view of rows [first, first + count), which must exist.
  MatrixView slice(std::size_t first, std::size_t count) const noexcept {
    return {data_ + first * cols_, count, cols_};
  }

 private:
  const float* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

/// A matrix of float32 that owns its values: [rows, cols], row-major. It converts to a MatrixView,
/// which is valid as long as the matrix.
class Matrix {
 public:
  Matrix() = default;
  /// Makes a matrix of zeros.
  Matrix(std::size_t rows, std::size_t cols) : values_(rows * cols), rows_(rows), cols_(cols) {}

  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  const float* data() const noexcept { return values_.data(); }
  float* data() noexcept { return values_.data(); }
  std::span<const float> row(std::size_t i) const noexcept { return {data() + i * cols_, cols_}; }
  std::span<float> row(std::size_t i) noexcept { return {data() + i * cols_, cols_}; }
  /// Returns all values, one row after the other.
  std::span<const float> values() const noexcept { return values_; }
  std::span<float> values() noexcept { return values_; }
  MatrixView view() const noexcept { return {data(), rows_, cols_}; }
  operator MatrixView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<float> values_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace embd
