#include "formats/weights/huggingface/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/bytes.h"
#include "base/elements.h"
#include "base/try.h"
#include "formats/weights/huggingface/json_file.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;

constexpr std::uint64_t max_header_bytes = 100'000'000;

struct Dtype {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array dtypes = {
    Dtype{"BOOL", 1}, Dtype{"U8", 1},  Dtype{"I8", 1},  Dtype{"F8_E5M2", 1}, Dtype{"F8_E4M3", 1},
    Dtype{"I16", 2},  Dtype{"U16", 2}, Dtype{"F16", 2}, Dtype{"BF16", 2},    Dtype{"I32", 4},
    Dtype{"U32", 4},  Dtype{"F32", 4}, Dtype{"F64", 8}, Dtype{"I64", 8},     Dtype{"U64", 8}};

struct Extent {
  std::uint64_t begin;
  std::uint64_t end;
};

/// Reads a JSON array of integers.
Result<std::vector<std::uint64_t>> numbers(const json& entry, const char* key,
                                           std::string_view name) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array())
    return fail(ErrorCode::missing, "tensor {} has no array \"{}\"", name, key);
  std::vector<std::uint64_t> values;
  for (const json& value : *found) {
    if (!value.is_number_unsigned())
      return fail(ErrorCode::bad_value,
                  "tensor {}: \"{}\" contains {}, expected whole numbers of at least 0", name, key,
                  value.dump());
    values.push_back(value.get<std::uint64_t>());
  }
  return values;
}

/// Returns the number of bytes of a shape; nothing if it overflows.
std::optional<std::uint64_t> extent_bytes(std::span<const std::uint64_t> shape,
                                          std::uint64_t element_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const std::uint64_t dim : shape) {
    if (dim != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / dim) return std::nullopt;
    bytes *= dim;
  }
  return bytes;
}

Result<SourceTensor> read_entry(const std::string& name, const json& entry, Bytes data) {
  if (!entry.is_object())
    return fail(ErrorCode::bad_type, "the entry of tensor {} in the header is not a JSON object",
                name);
  const auto type_name = entry.find("dtype");
  if (type_name == entry.end() || !type_name->is_string())
    return fail(ErrorCode::missing, "tensor {} has no string \"dtype\"", name);
  const auto dtype = std::ranges::find(dtypes, type_name->get<std::string>(), &Dtype::name);
  if (dtype == dtypes.end())
    return fail(ErrorCode::tensor_type, "tensor {} has the dtype {}, which embd does not know",
                name, type_name->dump());

  auto shape = EMBD_TRY(numbers(entry, "shape", name));
  SourceTensor tensor{
      .name = name, .dtype = std::string(dtype->name), .shape = std::move(shape), .data = {}};
  const auto offsets = EMBD_TRY(numbers(entry, "data_offsets", name));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size()) {
    return fail(ErrorCode::tensor_out_of_bounds,
                "tensor {}: data_offsets is [{}], expected the first byte and the end of the "
                "tensor within {} bytes of data",
                name, fmt::join(offsets, ", "), data.size());
  }
  const auto bytes = extent_bytes(tensor.shape, dtype->bytes);
  if (bytes != offsets[1] - offsets[0]) {
    return fail(ErrorCode::tensor_shape,
                "tensor {}: elements of type {} in the shape [{}] do not take {} bytes, as "
                "data_offsets says",
                name, tensor.dtype, fmt::join(tensor.shape, ", "), offsets[1] - offsets[0]);
  }
  tensor.data = data.subspan(offsets[0], offsets[1] - offsets[0]);
  return tensor;
}

/// Checks that the tensors follow one another and fill the data.
Result<void> check_extents(const std::vector<SourceTensor>& tensors, Bytes data) {
  const std::byte* end = data.data();
  for (const SourceTensor& tensor : tensors) {
    if (tensor.data.data() != end) {
      return fail(ErrorCode::tensors_overlap,
                  "tensor {} begins at byte {} of the data, expected byte {}, where the tensor "
                  "before it ends",
                  tensor.name, tensor.data.data() - data.data(), end - data.data());
    }
    end += tensor.data.size();
  }
  const auto covered = static_cast<std::uint64_t>(end - data.data());
  if (covered != data.size())
    return fail(ErrorCode::trailing_bytes, "{} bytes at the end of the data belong to no tensor",
                data.size() - covered);
  return {};
}

Result<std::vector<SourceTensor>> parse(Bytes bytes) {
  ByteReader reader(bytes);
  const std::uint64_t header_bytes = EMBD_TRY(reader.u64("header length"));
  if (header_bytes > max_header_bytes) {
    return fail_at(0, ErrorCode::bad_value, "the length of the header is {}, expected at most {}",
                   header_bytes, max_header_bytes);
  }
  const std::uint64_t header_at = reader.offset();
  const json header =
      EMBD_TRY(parse_object(EMBD_TRY(reader.bytes(header_bytes, "header")), header_at));
  const Bytes data = bytes.subspan(reader.offset());
  std::vector<SourceTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    auto tensor = read_entry(name, entry, data);
    if (!tensor) return std::unexpected(std::move(tensor).error().at_offset(header_at));
    tensors.push_back(std::move(*tensor));
  }
  // An empty tensor comes before another one with the same beginning.
  std::ranges::sort(tensors, {},
                    [](const SourceTensor& t) { return std::pair(t.data.data(), t.data.size()); });
  if (auto checked = check_extents(tensors, data); !checked)
    return std::unexpected(std::move(checked).error().at_offset(header_at));
  return tensors;
}

}  // namespace

std::uint64_t SourceTensor::num_values() const noexcept {
  if (recipe) return shape[0] * shape[1];
  return data.size() / (dtype == "F32" ? 4 : 2);
}

void SourceTensor::to_floats(std::span<float> out) const noexcept {
  const auto decode = [this](Bytes from, std::span<float> to) {
    if (dtype == "I8") {
      std::ranges::transform(from, to.begin(),
                             [](std::byte value) { return static_cast<std::int8_t>(value); });
      return;
    }
    floats_from_elements(dtype == "F32"   ? ElementType::f32
                         : dtype == "F16" ? ElementType::f16
                                          : ElementType::bf16,
                         from, to);
  };
  if (!recipe) return decode(data, out);
  const std::size_t width = shape[1];
  const std::size_t row_bytes = width * (dtype == "F32" ? 4 : dtype == "I8" ? 1 : 2);
  for (std::size_t i = 0; i < shape[0]; ++i) {
    const std::size_t from = recipe->rows.empty() ? i : recipe->rows[i];
    const std::span<float> row = out.subspan(i * width, width);
    decode(data.subspan(from * row_bytes, row_bytes), row);
    if (recipe->weights.empty()) continue;
    for (float& value : row) value *= recipe->weights[i];
  }
}

Result<SourceTensor> SourceTensor::part(std::uint32_t number, std::uint32_t count) const {
  SourceTensor found = *this;
  if (count == 1) return found;
  if (shape.empty() || shape[0] % count != 0) {
    return fail(ErrorCode::tensor_wrong_shape,
                "tensor {} has the shape [{}], expected rows for {} parts of equal size", name,
                fmt::join(shape, ", "), count);
  }
  found.shape[0] /= count;
  found.data = data.subspan(number * (data.size() / count), data.size() / count);
  return found;
}

Result<SafetensorsFile> SafetensorsFile::from_bytes(Bytes bytes) {
  SafetensorsFile file;
  file.bytes_ = bytes;
  file.tensors_ = EMBD_TRY(parse(bytes));
  return file;
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  return from_map(EMBD_TRY(MappedFile::open(path)));
}

Result<SafetensorsFile> SafetensorsFile::from_map(MappedFile map) {
  SafetensorsFile file = EMBD_TRY(in_file(map.path(), from_bytes(map.bytes())));
  file.map_ = std::move(map);
  return file;
}

const SourceTensor* SafetensorsFile::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(tensors_, name, &SourceTensor::name);
  return found == tensors_.end() ? nullptr : &*found;
}

}  // namespace embd::huggingface
