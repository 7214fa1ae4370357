#include "formats/weights/embd/embd_tensor.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/elements.h"
#include "base/try.h"

namespace embd {
namespace {

bool is_aligned_for_floats(Bytes data) noexcept {
  return reinterpret_cast<std::uintptr_t>(data.data()) % alignof(float) == 0;
}

bool is_float(ElementType type) noexcept {
  return type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16;
}

float load_float(const Tensor& tensor, std::size_t i) noexcept {
  return load<float>(tensor.data.subspan(i * sizeof(float)));
}

std::unexpected<Error> wrong_length(const Tensor& tensor, std::uint64_t expected,
                                    std::size_t given) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("{}: the output has room for {} values, expected room for {}",
                          tensor.name, given, expected));
}

}  // namespace

std::size_t tensor_type_number(ElementType type) noexcept {
  return static_cast<std::size_t>(std::ranges::find(tensor_types, type) - tensor_types.begin());
}

std::optional<std::span<const float>> view_floats(const Tensor& tensor) noexcept {
  if (tensor.type != ElementType::f32 || !is_aligned_for_floats(tensor.data)) return std::nullopt;
  return std::span(reinterpret_cast<const float*>(tensor.data.data()), tensor.num_values());
}

Result<void> to_floats(const Tensor& tensor, std::span<float> out) {
  if (!is_float(tensor.type)) {
    return fail(ErrorCode::tensor_wrong_type,
                fmt::format("{}: elements of type {} cannot be read as floats one by one",
                            tensor.name, element_name(tensor.type)));
  }
  if (out.size() != tensor.num_values()) {
    return wrong_length(tensor, tensor.num_values(), out.size());
  }
  floats_from_elements(tensor.type, tensor.data, out);
  return {};
}

std::optional<MatrixView> WeightMatrix::view() const noexcept {
  if (smooth != nullptr) return std::nullopt;
  const auto floats = view_floats(*values);
  if (!floats) return std::nullopt;
  return MatrixView(floats->data(), rows(), cols());
}

Result<void> WeightMatrix::row_to_floats(std::uint32_t first, std::uint32_t count,
                                         std::span<float> out) const {
  if (first > rows() || count > rows() - first) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{}: rows {} to {} were asked for, but there are {} rows, counted from 0",
                    values->name, first, std::uint64_t{first} + count, rows()));
  }
  const std::size_t width = cols();
  if (out.size() != count * width) return wrong_length(*values, count * width, out.size());

  const std::size_t row_bytes = width * (element_bits(type()) / 8);
  const Bytes data = values->data.subspan(first * row_bytes, count * row_bytes);
  if (type() == ElementType::i8) {
    for (std::size_t r = 0; r < count; ++r) {
      const auto* row = reinterpret_cast<const std::int8_t*>(data.data() + r * row_bytes);
      for (std::size_t b = 0; b < blocks(); ++b) {
        const float step = load_float(*scale, (first + r) * blocks() + b);
        const std::size_t end = std::min(width, (b + 1) * block());
        for (std::size_t c = b * block(); c < end; ++c)
          out[r * width + c] = static_cast<float>(row[c]) * step;
      }
    }
  } else {
    floats_from_elements(type(), data, out);
  }
  if (smooth != nullptr) {
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t c = 0; c < width; ++c) out[r * width + c] /= load_float(*smooth, c);
    }
  }
  return {};
}

}  // namespace embd
