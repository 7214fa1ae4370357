#include "formats/weights/embd/embd_tensors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/checksum.h"
#include "base/elements.h"
#include "base/half.h"
#include "base/try.h"
#include "base/utf8.h"

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
              "{}: the output has room for {} values, expected room for {}", tensor.name, given,
              expected);
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
                "{}: elements of type {} cannot be read as floats one by one", tensor.name,
                element_name(tensor.type));
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
    return fail(ErrorCode::invalid_argument,
                "{}: rows {} to {} were asked for, but there are {} rows, counted from 0",
                values->name, first, std::uint64_t{first} + count, rows());
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

namespace layout = embd_layout;

namespace {

class IndexParser : private EmbdParser {
 public:
  IndexParser(Bytes file, const EmbdSections& sections, std::span<const Bytes> elsewhere)
      : EmbdParser(file), sections_(sections), elsewhere_(elsewhere) {}

  Result<TensorIndex> parse() {
    EMBD_TRY(read_descriptors());
    EMBD_TRY(check_names());
    EMBD_TRY(check_data_overlap());
    return std::move(found_);
  }

 private:
  Result<void> read_descriptors();
  Result<Tensor> read_descriptor(std::uint64_t at, std::uint64_t name_at) const;
  Bytes data_of(std::uint64_t file_offset, std::uint64_t size) const;
  Result<TensorShape> read_shape(std::uint64_t at, std::string_view name) const;
  Result<void> check_names();
  Result<void> check_data_overlap() const;

  const EmbdSections& sections_;
  const std::span<const Bytes> elsewhere_;
  TensorIndex found_;
};

Result<void> IndexParser::read_descriptors() {
  const std::uint64_t count =
      (sections_.names_start - sections_.index.start) / layout::descriptor_bytes;
  found_.tensors.reserve(count);
  std::uint64_t name_at = sections_.names_start;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Tensor tensor =
        EMBD_TRY(read_descriptor(sections_.index.start + i * layout::descriptor_bytes, name_at));
    name_at += tensor.name.size();
    found_.tensors.push_back(tensor);
  }
  return {};
}

/// Returns the data of the next tensor.
Bytes IndexParser::data_of(std::uint64_t file_offset, std::uint64_t size) const {
  return elsewhere_.empty() ? bytes_.subspan(file_offset, size) : elsewhere_[found_.tensors.size()];
}

Result<Tensor> IndexParser::read_descriptor(std::uint64_t at, std::uint64_t name_at) const {
  namespace d = layout::descriptor;
  Tensor tensor;
  tensor.descriptor_at = at;
  tensor.name = text(name_at, field<std::uint16_t>(at, d::name_length));
  const std::string name = printable(tensor.name);

  const auto type = field<std::uint8_t>(at, d::dtype);
  if (type >= tensor_types.size()) {
    return fail_at(ErrorCode::tensor_type, at, d::dtype,
                   "the number of the type is {} for tensor {}, expected at most {}", type, name,
                   tensor_types.size() - 1);
  }
  tensor.type = tensor_types[type];
  tensor.shape = EMBD_TRY(read_shape(at, name));

  std::uint64_t size = element_bits(tensor.type) / 8;
  for (const std::uint32_t dim : tensor.shape.view()) {
    if (size > ~std::uint64_t{0} / dim) {
      return fail_at(ErrorCode::tensor_shape_overflow, at, d::shape[0],
                     "the shape {} of tensor {} takes more than 2^64 bytes", tensor.shape.text(),
                     name);
    }
    size *= dim;
  }
  const auto offset = field<std::uint64_t>(at, d::data_offset);
  if (offset > sections_.data.size || size > sections_.data.size - offset) {
    return fail_at(ErrorCode::tensor_out_of_bounds, at, d::data_offset,
                   "{} bytes from {} of {} run past the tensor data, {}", size, offset, name,
                   sections_.data.size);
  }
  tensor.file_offset = sections_.data.start + offset;
  tensor.data = data_of(tensor.file_offset, size);
  if (sections_.is_aligned() && tensor.file_offset % layout::tensor_alignment != 0) {
    return fail_at(ErrorCode::tensor_misaligned, at, d::data_offset,
                   "tensor {} begins at byte {}, expected a multiple of {}, as the flags promise",
                   name, tensor.file_offset, layout::tensor_alignment);
  }
  const auto stored_hash = field<std::uint32_t>(at, d::name_hash);
  if (stored_hash != fnv1a32(tensor.name)) {
    return fail_at(ErrorCode::tensor_name_hash, at, d::name_hash, "{:#010x}, but {} has {:#010x}",
                   stored_hash, name, fnv1a32(tensor.name));
  }
  if (const auto bad = find_invalid_utf8(tensor.name)) {
    return fail_at(ErrorCode::invalid_utf8, name_at, {"name", 0}, "{} from its byte {} on", name,
                   *bad);
  }
  return tensor;
}

Result<TensorShape> IndexParser::read_shape(std::uint64_t at, std::string_view name) const {
  namespace d = layout::descriptor;
  TensorShape shape;
  shape.rank = field<std::uint8_t>(at, d::ndim);
  if (shape.rank < 1 || shape.rank > layout::max_rank) {
    return fail_at(ErrorCode::tensor_rank, at, d::ndim,
                   "the number is {} for tensor {}, expected 1 to {}", shape.rank, name,
                   layout::max_rank);
  }
  for (unsigned i = 0; i < layout::max_rank; ++i) {
    const auto dim = field<std::uint32_t>(at, d::shape[i]);
    if (i < shape.rank && dim == 0) {
      return fail_at(ErrorCode::tensor_shape, at, d::shape[i],
                     "a dimension of tensor {} is 0, expected at least 1", name);
    }
    if (i >= shape.rank && dim != 0) {
      return fail_at(ErrorCode::tensor_shape, at, d::shape[i], "{} of {}, expected 0 as ndim is {}",
                     dim, name, shape.rank);
    }
    shape.dims[i] = dim;
  }
  return shape;
}

Result<void> IndexParser::check_names() {
  const auto name = [this](std::uint32_t i) { return found_.tensors[i].name; };
  found_.by_name = sorted_by_name(found_.tensors.size(), name);
  if (const auto repeated = find_repeated(found_.by_name, name)) {
    const Tensor& tensor = found_.tensors[repeated->first];
    return fail_at(ErrorCode::tensor_name_duplicate, place_of(tensor.name), {"name", 0},
                   "{} is the name of two tensors, {} and {}, expected a different name for each",
                   printable(tensor.name), repeated->second, repeated->first);
  }
  return {};
}

Result<void> IndexParser::check_data_overlap() const {
  std::vector<const Tensor*> order;
  order.reserve(found_.tensors.size());
  for (const Tensor& tensor : found_.tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const Tensor* tensor) {
    return std::pair(tensor->file_offset, tensor->descriptor_at);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Tensor& before = *order[i - 1];
    const Tensor& tensor = *order[i];
    if (before.file_offset + before.data.size() > tensor.file_offset) {
      return fail_at(ErrorCode::tensors_overlap, tensor.descriptor_at,
                     layout::descriptor::data_offset, "tensor {} begins inside tensor {}",
                     printable(tensor.name), printable(before.name));
    }
  }
  return {};
}

}  // namespace

const Tensor* TensorIndex::find(std::string_view name) const noexcept {
  const auto name_of = [this](std::uint32_t i) { return tensors[i].name; };
  const auto it = std::ranges::lower_bound(by_name, name, {}, name_of);
  if (it == by_name.end() || tensors[*it].name != name) return nullptr;
  return &tensors[*it];
}

bool TensorIndex::has_prefix(std::string_view prefix) const noexcept {
  const auto name_of = [this](std::uint32_t i) { return tensors[i].name; };
  const auto first = std::ranges::lower_bound(by_name, prefix, {}, name_of);
  return first != by_name.end() && tensors[*first].name.starts_with(prefix);
}

Result<TensorIndex> read_index(Bytes file, const EmbdSections& sections,
                               std::span<const Bytes> elsewhere) {
  return IndexParser(file, sections, elsewhere).parse();
}

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
