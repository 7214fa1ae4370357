#include "formats/plain_rows.h"

#include <fmt/format.h>

#include "base/elements.h"
#include "base/try.h"

namespace embd {

Result<void> PlainRows::read(std::uint64_t first, std::uint64_t count, std::span<float> out) const {
  if (stride == row_bytes()) {
    floats_from_elements(type, bytes.subspan(first * stride, count * stride), out);
    return {};
  }
  for (std::uint64_t i = 0; i < count; ++i)
    floats_from_elements(type, row(first + i), out.subspan(i * dim, dim));
  return {};
}

Result<void> PlainRows::read_raw(std::uint64_t first, std::uint64_t count,
                                 std::vector<std::byte>& out) const {
  out.clear();
  out.reserve(count * row_bytes());
  for (std::uint64_t i = 0; i < count; ++i) {
    const Bytes stored = row(first + i);
    out.insert(out.end(), stored.begin(), stored.end());
  }
  return {};
}

std::optional<MatrixView> PlainRows::view() const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  if (type != ElementType::f32 || stride != row_bytes() || address % alignof(float) != 0)
    return std::nullopt;
  return MatrixView(reinterpret_cast<const float*>(bytes.data()), num_rows, dim);
}

Result<void> check_range(const VectorSetInfo& info, std::uint64_t first, std::uint64_t count) {
  if (first <= info.num_rows && count <= info.num_rows - first) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} rows from {} of {}", count, first, info.num_rows));
}

Result<void> check_read(const VectorSetInfo& info, std::uint64_t first, std::uint64_t count,
                        std::uint64_t num_values) {
  EMBD_TRY(check_range(info, first, count));
  if (num_values == count * info.dim) return {};
  return fail(ErrorCode::invalid_argument, fmt::format("room for {} values, expected {} rows of {}",
                                                       num_values, count, info.dim));
}

Result<void> check_append(MatrixView rows, std::uint64_t dim) {
  if (rows.rows() == 0 || rows.cols() == dim) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("rows of {} values, expected {}", rows.cols(), dim));
}

}  // namespace embd
