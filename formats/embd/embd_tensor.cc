#include "formats/embd/embd_tensor.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/byte_reader.h"
#include "base/half.h"
#include "base/try.h"

namespace embd {
namespace {

bool is_aligned_for_floats(Bytes data) noexcept {
  return reinterpret_cast<std::uintptr_t>(data.data()) % alignof(float) == 0;
}

/// Halves may lie at odd addresses: widened by way of a small aligned buffer.
void floats_from_half_bytes(Bytes data, std::span<float> out) noexcept {
  std::array<std::uint16_t, 1024> halves;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t count = std::min(halves.size(), out.size() - done);
    std::memcpy(halves.data(), data.data() + done * 2, count * 2);
    floats_from_halves(std::span(halves).first(count), out.subspan(done, count));
    done += count;
  }
}

void floats_from_bfloat16_bytes(Bytes data, std::span<float> out) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = float_from_bfloat16(load<std::uint16_t>(data.subspan(i * 2)));
  }
}

/// `data` holds the values of `out`; the type is a float one.
void floats_from_bytes(TensorType type, Bytes data, std::span<float> out) noexcept {
  switch (type) {
    case TensorType::f16:
      return floats_from_half_bytes(data, out);
    case TensorType::bf16:
      return floats_from_bfloat16_bytes(data, out);
    default:
      std::memcpy(out.data(), data.data(), data.size());
  }
}

bool is_float(TensorType type) noexcept {
  return type == TensorType::f32 || type == TensorType::f16 || type == TensorType::bf16;
}

float load_float(const Tensor& tensor, std::size_t i) noexcept {
  return load<float>(tensor.data.subspan(i * sizeof(float)));
}

std::unexpected<Error> wrong_length(const Tensor& tensor, std::uint64_t expected,
                                    std::size_t given) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("{}: room for {} values, {} needed", tensor.name, given, expected));
}

}  // namespace

std::size_t tensor_type_bytes(TensorType type) noexcept {
  switch (type) {
    case TensorType::f32:
    case TensorType::i32:
    case TensorType::u32:
      return 4;
    case TensorType::f16:
    case TensorType::bf16:
    case TensorType::i16:
    case TensorType::u16:
      return 2;
    case TensorType::i8:
    case TensorType::u8:
      return 1;
  }
  return 1;
}

std::string_view tensor_type_name(TensorType type) noexcept {
  constexpr std::array<std::string_view, num_tensor_types> names = {
      "f32", "f16", "bf16", "i32", "i16", "i8", "u32", "u16", "u8"};
  const auto i = static_cast<std::size_t>(type);
  return i < names.size() ? names[i] : "unknown";
}

TensorShape::TensorShape(std::initializer_list<std::uint32_t> list)
    : rank(static_cast<unsigned>(std::min(list.size(), dims.size()))) {
  std::copy_n(list.begin(), rank, dims.begin());
}

std::string TensorShape::text() const {
  return fmt::format("[{}]", fmt::join(view(), ", "));
}

std::optional<std::span<const float>> view_floats(const Tensor& tensor) noexcept {
  if (tensor.type != TensorType::f32 || !is_aligned_for_floats(tensor.data)) return std::nullopt;
  return std::span(reinterpret_cast<const float*>(tensor.data.data()), tensor.num_values());
}

Result<void> to_floats(const Tensor& tensor, std::span<float> out) {
  if (!is_float(tensor.type)) {
    return fail(ErrorCode::tensor_wrong_type,
                fmt::format("{}: {} has no float values of its own", tensor.name,
                            tensor_type_name(tensor.type)));
  }
  if (out.size() != tensor.num_values()) {
    return wrong_length(tensor, tensor.num_values(), out.size());
  }
  floats_from_bytes(tensor.type, tensor.data, out);
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
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: rows {} to {} of {}", values->name, first,
                            std::uint64_t{first} + count, rows()));
  }
  const std::size_t width = cols();
  if (out.size() != count * width) return wrong_length(*values, count * width, out.size());

  const std::size_t row_bytes = width * tensor_type_bytes(type());
  const Bytes data = values->data.subspan(first * row_bytes, count * row_bytes);
  if (type() == TensorType::i8) {
    for (std::size_t r = 0; r < count; ++r) {
      const float step = load_float(*scale, first + r);
      const auto* row = reinterpret_cast<const std::int8_t*>(data.data() + r * row_bytes);
      for (std::size_t c = 0; c < width; ++c) {
        out[r * width + c] = static_cast<float>(row[c]) * step;
      }
    }
  } else {
    floats_from_bytes(type(), data, out);
  }
  if (smooth != nullptr) {
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t c = 0; c < width; ++c) out[r * width + c] /= load_float(*smooth, c);
    }
  }
  return {};
}

}  // namespace embd
