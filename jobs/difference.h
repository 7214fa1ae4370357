#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace embd {

/// How far two sequences of rows are apart, gathered row by row.
class Difference {
 public:
  /// `row`: its number, for the text.
  void add_row(std::uint64_t row, std::span<const float> a, std::span<const float> b);

  std::uint64_t rows() const noexcept { return rows_; }
  /// Rows whose values are equal, all of them.
  std::uint64_t equal_rows() const noexcept { return equal_rows_; }
  /// Infinite where one value is no number and the other is.
  double largest() const noexcept { return largest_; }
  /// "2000 rows, 1999 equal, largest difference 1.2e-07 (row 17, value 3)".
  std::string text() const;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t equal_rows_ = 0;
  double largest_ = 0;
  std::uint64_t largest_row_ = 0;
  std::size_t largest_value_ = 0;
};

}  // namespace embd
