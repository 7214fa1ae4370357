#include "engine/encoder/packed_linear.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/try.h"
#include "formats/weights/embd/embd_tensors.h"

namespace embd {
namespace {

using kernels::Arithmetic;
using kernels::Products;

/// A matrix in int8: the codes of its rows, one row after the other, and the scales of the blocks
/// of each row.
struct CodedRows {
  std::vector<std::byte> codes;
  std::vector<float> scales;
  std::int64_t block = int8_block;
  std::vector<float> smooth;  // [columns], or empty
};

/// Returns the rows of all parts, their columns multiplied by `smooth` if there are factors, and
/// rounded to int8 in blocks.
Result<CodedRows> round_rows(std::span<const WeightMatrix> parts, std::span<const float> smooth) {
  CodedRows rounded;
  rounded.smooth.assign(smooth.begin(), smooth.end());
  for (const WeightMatrix& part : parts) {
    Matrix rows(part.rows(), part.cols());
    EMBD_TRY(part.to_floats(rows.values()));
    if (!smooth.empty()) multiply_columns(rows, smooth);
    const std::vector<float> scales = int8_scales(rows);
    rounded.scales.insert(rounded.scales.end(), scales.begin(), scales.end());
    const std::vector<std::byte> codes = encode_int8(rows, scales);
    rounded.codes.insert(rounded.codes.end(), codes.begin(), codes.end());
  }
  return rounded;
}

/// Returns true if all parts are stored as int8 and have the same blocks and smoothing factors, so
/// that one x can be multiplied by all of them.
bool are_codes_of_one_input(std::span<const WeightMatrix> parts) {
  const auto smooth = [](const WeightMatrix& part) {
    return part.smooth == nullptr ? Bytes() : part.smooth->data;
  };
  return std::ranges::all_of(parts, [&](const WeightMatrix& part) {
    return part.type() == ElementType::i8 && parts.front().type() == ElementType::i8 &&
           part.block() == parts.front().block() &&
           std::ranges::equal(smooth(part), smooth(parts.front()));
  });
}

/// Returns the codes and scales of parts that are stored as int8.
Result<CodedRows> stored_rows(std::span<const WeightMatrix> parts) {
  CodedRows stored;
  stored.block = parts.front().block();
  for (const WeightMatrix& part : parts) {
    const std::size_t first = stored.scales.size();
    stored.scales.resize(first + std::size_t{part.rows()} * part.blocks());
    EMBD_TRY(to_floats(*part.scale, std::span(stored.scales).subspan(first)));
    stored.codes.insert(stored.codes.end(), part.values->data.begin(), part.values->data.end());
  }
  if (const Tensor* smooth = parts.front().smooth; smooth != nullptr) {
    stored.smooth.resize(parts.front().cols());
    EMBD_TRY(to_floats(*smooth, stored.smooth));
  }
  return stored;
}

}  // namespace

PackedLinear::PackedLinear(Arena& arena, const PackingSource& source, std::vector<Module> modules)
    : modules_(std::move(modules)) {
  for (const Module module : modules_) {
    const TensorShape shape = weight_shape(module, source.file.spec());
    out_ += shape.dims[0];
    in_ = shape.dims[1];
  }
  packed_ = arena.bytes(source.products.packed_bytes(out_, in_));
  bias_ = arena.floats(out_);
  inverse_smooth_ = arena.floats(in_);
}

Result<void> PackedLinear::load(const PackingSource& source, std::uint32_t layer) {
  const auto& [file, products, arithmetic, smoothing] = source;
  if (in_ > products.max_depth) {
    return fail(ErrorCode::unsupported,
                "{}: the matrix has {} columns, expected at most {}, because the kernels {} would "
                "compute longer sums inexactly",
                weight_name(modules_.front(), layer), in_, products.max_depth, products.name);
  }
  Parts parts;
  float* bias = bias_;
  for (const Module module : modules_) {
    parts.push_back(EMBD_TRY(file.matrix(weight_name(module, layer))));
    if (has_bias(module, file.spec())) {
      bias = std::ranges::copy(EMBD_TRY(file.vector(bias_name(module, layer))), bias).out;
    } else {
      bias = std::ranges::fill_n(bias, parts.back().rows(), 0.0F);
    }
  }
  EMBD_TRY(arithmetic == Arithmetic::int8 ? pack_int8(parts, source, layer)
                                          : pack_floats(parts, products));
  for (const WeightMatrix& part : parts) file.release(part.values->data);
  return {};
}

Result<void> PackedLinear::pack_floats(const Parts& parts, const Products& products) {
  const auto pack = [&](const float* values) {
    products.pack({.out = out_, .in = in_, .values = values}, packed_);
  };
  if (const auto in_place = parts.front().view(); in_place && parts.size() == 1) {
    pack(in_place->data());
    return {};
  }
  Matrix rows(static_cast<std::size_t>(out_), static_cast<std::size_t>(in_));
  std::span<float> rest = rows.values();
  for (const WeightMatrix& part : parts) {
    EMBD_TRY(part.to_floats(rest.first(std::size_t{part.rows()} * part.cols())));
    rest = rest.subspan(std::size_t{part.rows()} * part.cols());
  }
  pack(rows.data());
  return {};
}

Result<void> PackedLinear::pack_int8(const Parts& parts, const PackingSource& source,
                                     std::uint32_t layer) {
  const bool stored = are_codes_of_one_input(parts);
  const CodedRows rows =
      EMBD_TRY(stored ? stored_rows(parts)
                      : round_rows(parts, source.smoothing.of(modules_.front(), layer)));
  smoothed_ = !rows.smooth.empty();
  std::ranges::transform(rows.smooth, inverse_smooth_, [](float factor) { return 1.0F / factor; });
  block_ = rows.block < in_ ? rows.block : 0;
  source.products.pack({.out = out_,
                        .in = in_,
                        .codes = reinterpret_cast<const std::int8_t*>(rows.codes.data()),
                        .scale = rows.scales.data(),
                        .block = block_},
                       packed_);
  return {};
}

}  // namespace embd
