#include "formats/weights/embd/embd_encode.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/half.h"

namespace embd {
namespace {

constexpr double largest_code = 127;

std::vector<std::byte> copy_bytes(const auto& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::byte> encode_floats(ElementType type, std::span<const float> values) {
  if (type == ElementType::f32) return copy_bytes(values);
  std::vector<std::uint16_t> halves(values.size());
  if (type == ElementType::f16) {
    halves_from_floats(values, halves);
  } else {
    std::ranges::transform(values, halves.begin(), bfloat16_from_float);
  }
  return copy_bytes(halves);
}

void multiply_columns(Matrix& matrix, std::span<const float> factors) {
  for (std::size_t r = 0; r < matrix.rows(); ++r)
    std::ranges::transform(matrix.row(r), factors, matrix.row(r).begin(), std::multiplies<>());
}

std::vector<float> int8_scales(MatrixView rows, std::size_t block) {
  std::vector<float> scales;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::span<const float> row = rows.row(r);
    for (std::size_t begin = 0; begin < row.size(); begin += block) {
      float largest = 0;
      for (const float value : row.subspan(begin, std::min(block, row.size() - begin)))
        largest = std::max(largest, std::abs(value));
      scales.push_back(static_cast<float>(largest / largest_code));
    }
  }
  return scales;
}

std::vector<std::byte> encode_int8(MatrixView rows, std::span<const float> scales,
                                   std::size_t block) {
  const std::size_t blocks = (rows.cols() + block - 1) / block;
  std::vector<std::byte> codes(rows.values().size());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    for (std::size_t c = 0; c < rows.cols(); ++c) {
      const double scale = scales[r * blocks + c / block];
      // In double precision, so that a quotient near a half is not rounded to the half first.
      const double steps = scale > 0 ? std::nearbyint(rows.row(r)[c] / scale) : 0;
      codes[r * rows.cols() + c] = static_cast<std::byte>(
          static_cast<std::int8_t>(std::clamp(steps, -largest_code, largest_code)));
    }
  }
  return codes;
}

}  // namespace embd
