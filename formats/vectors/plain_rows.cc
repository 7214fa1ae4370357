#include "formats/vectors/plain_rows.h"

#include "base/elements.h"
#include "base/try.h"
#include "formats/vectors/format.h"

namespace embd {

void PlainRows::read(std::uint64_t first, std::uint64_t count, std::span<float> out) const {
  if (stride == row_bytes())
    return floats_from_elements(type, bytes.subspan(first * stride, count * stride), out);
  for (std::uint64_t i = 0; i < count; ++i)
    floats_from_elements(type, row(first + i), out.subspan(i * dim, dim));
}

Result<void> PlainRows::read_stored(std::uint64_t first, std::uint64_t count,
                                    std::vector<std::byte>& out) const {
  EMBD_TRY(check_rows(first, count, num_rows));
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

}  // namespace embd
