#include "formats/weights/embd/embd_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {

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
                   fmt::format("the number of the type is {} for tensor {}, expected at most {}",
                               type, name, tensor_types.size() - 1));
  }
  tensor.type = tensor_types[type];
  tensor.shape = EMBD_TRY(read_shape(at, name));

  std::uint64_t size = element_bits(tensor.type) / 8;
  for (const std::uint32_t dim : tensor.shape.view()) {
    if (size > ~std::uint64_t{0} / dim) {
      return fail_at(ErrorCode::tensor_shape_overflow, at, d::shape[0],
                     fmt::format("the shape {} of tensor {} takes more than 2^64 bytes",
                                 tensor.shape.text(), name));
    }
    size *= dim;
  }
  const auto offset = field<std::uint64_t>(at, d::data_offset);
  if (offset > sections_.data.size || size > sections_.data.size - offset) {
    return fail_at(ErrorCode::tensor_out_of_bounds, at, d::data_offset,
                   fmt::format("{} bytes from {} of {} run past the tensor data, {}", size, offset,
                               name, sections_.data.size));
  }
  tensor.file_offset = sections_.data.start + offset;
  tensor.data = data_of(tensor.file_offset, size);
  if (sections_.is_aligned() && tensor.file_offset % layout::tensor_alignment != 0) {
    return fail_at(
        ErrorCode::tensor_misaligned, at, d::data_offset,
        fmt::format("tensor {} begins at byte {}, expected a multiple of {}, as the flags promise",
                    name, tensor.file_offset, layout::tensor_alignment));
  }
  const auto stored_hash = field<std::uint32_t>(at, d::name_hash);
  if (stored_hash != fnv1a32(tensor.name)) {
    return fail_at(
        ErrorCode::tensor_name_hash, at, d::name_hash,
        fmt::format("{:#010x}, but {} has {:#010x}", stored_hash, name, fnv1a32(tensor.name)));
  }
  if (const auto bad = find_invalid_utf8(tensor.name)) {
    return fail_at(ErrorCode::invalid_utf8, name_at, {"name", 0},
                   fmt::format("{} from its byte {} on", name, *bad));
  }
  return tensor;
}

Result<TensorShape> IndexParser::read_shape(std::uint64_t at, std::string_view name) const {
  namespace d = layout::descriptor;
  TensorShape shape;
  shape.rank = field<std::uint8_t>(at, d::ndim);
  if (shape.rank < 1 || shape.rank > layout::max_rank) {
    return fail_at(ErrorCode::tensor_rank, at, d::ndim,
                   fmt::format("the number is {} for tensor {}, expected 1 to {}", shape.rank, name,
                               layout::max_rank));
  }
  for (unsigned i = 0; i < layout::max_rank; ++i) {
    const auto dim = field<std::uint32_t>(at, d::shape[i]);
    if (i < shape.rank && dim == 0) {
      return fail_at(ErrorCode::tensor_shape, at, d::shape[i],
                     fmt::format("a dimension of tensor {} is 0, expected at least 1", name));
    }
    if (i >= shape.rank && dim != 0) {
      return fail_at(ErrorCode::tensor_shape, at, d::shape[i],
                     fmt::format("{} of {}, expected 0 as ndim is {}", dim, name, shape.rank));
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
    return fail_at(
        ErrorCode::tensor_name_duplicate, place_of(tensor.name), {"name", 0},
        fmt::format("{} is the name of two tensors, {} and {}, expected a different name for each",
                    printable(tensor.name), repeated->second, repeated->first));
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
                     layout::descriptor::data_offset,
                     fmt::format("tensor {} begins inside tensor {}", printable(tensor.name),
                                 printable(before.name)));
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

}  // namespace embd
