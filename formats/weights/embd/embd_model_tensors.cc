#include "formats/weights/embd/embd_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>

#include "base/bytes.h"
#include "base/try.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/embd/embd_spec.h"
#include "formats/weights/model_tensors.h"

namespace embd {

namespace layout = embd_layout;

namespace {

class ModelTensors {
 public:
  explicit ModelTensors(const ModelContents& file) : file_(file) {}

  Result<void> check_against_spec() const;
  Result<std::vector<WeightMatrix>> matrices() const;

 private:
  Result<void> check_layers() const;
  Result<void> check_tensor(const Tensor& tensor, TensorRole role, const TensorShape& shape,
                            RowRule rows = RowRule::exact) const;
  Result<const Tensor*> find_scale(const Tensor& matrix) const;
  Result<const Tensor*> find_smooth(const Tensor& matrix) const;
  std::unexpected<Error> contradiction(std::string_view key, std::string_view found) const;
  std::unexpected<Error> missing(std::string_view name) const;

  const ModelContents& file_;
};

std::unexpected<Error> ModelTensors::contradiction(std::string_view key,
                                                   std::string_view found) const {
  const auto entry = std::ranges::find(file_.metadata, key, &MetadataEntry::key);
  return fail_at(entry->value_at, ErrorCode::metadata_contradiction, "{}: {}, but {}", key,
                 entry->value, found);
}

/// Compares the numbers of the spec with the tensors. A wrong number makes many tensors look wrong,
/// so it is reported itself, before any of them.
Result<void> ModelTensors::check_against_spec() const {
  for (const Witness& witness : witnesses()) {
    const Tensor* tensor = file_.index.find(witness.tensor);
    if (tensor == nullptr || witness.dim >= tensor->shape.rank) continue;
    if (fits(witness.rule, tensor->shape.dims[witness.dim], file_.spec.*witness.number)) continue;
    // A number that the metadata do not state has its default; then the tensor is wrong.
    const std::string_view key = key_of(witness.number);
    if (std::ranges::find(file_.metadata, key, &MetadataEntry::key) == file_.metadata.end())
      continue;
    return contradiction(key, fmt::format("{} is {}", witness.tensor, tensor->shape.text()));
  }
  return check_layers();
}

Result<void> ModelTensors::check_layers() const {
  std::optional<std::uint32_t> last;
  for (const Tensor& tensor : file_.index.tensors) {
    if (const auto layer = layer_of(tensor.name)) last = std::max(last.value_or(0), *layer);
  }
  if (last && std::uint64_t{*last} + 1 != file_.spec.num_layers) {
    return contradiction(key_of(&ModelSpec::num_layers),
                         fmt::format("the last layer with tensors is {}", *last));
  }
  return {};
}

std::unexpected<Error> ModelTensors::missing(std::string_view name) const {
  return fail_at(file_.index_at, ErrorCode::tensor_missing, std::string(name));
}

Result<std::vector<WeightMatrix>> ModelTensors::matrices() const {
  std::vector<WeightMatrix> matrices;
  EMBD_TRY(for_each_tensor(file_.spec, [&](const ModelTensor& wanted) -> Result<void> {
    const Tensor* tensor = file_.index.find(wanted.name);
    if (tensor == nullptr) {
      // Only of a matrix with a bias: the vectors prove the sizes of the spec.
      const bool is_proven =
          wanted.role != TensorRole::matrix || has_bias(wanted.module, file_.spec);
      if (wanted.role != TensorRole::vector && is_proven &&
          file_.index.has_prefix(packed_prefix(wanted.name)))
        return {};
      return missing(wanted.name);
    }
    EMBD_TRY(check_tensor(*tensor, wanted.role, wanted.shape, wanted.rows));
    if (wanted.role == TensorRole::vector) return {};
    WeightMatrix matrix{.values = tensor};
    if (tensor->type == ElementType::i8) matrix.scale = EMBD_TRY(find_scale(*tensor));
    if (wanted.role == TensorRole::matrix) matrix.smooth = EMBD_TRY(find_smooth(*tensor));
    matrices.push_back(matrix);
    return {};
  }));
  std::ranges::sort(matrices, {}, &WeightMatrix::name);
  return matrices;
}

Result<void> ModelTensors::check_tensor(const Tensor& tensor, TensorRole role,
                                        const TensorShape& shape, RowRule rows) const {
  namespace d = layout::descriptor;
  const std::uint64_t at = tensor.descriptor_at;
  const auto expected = [&] {
    return fmt::format("{} is {}, expected {}", tensor.name, tensor.shape.text(), shape.text());
  };
  for (unsigned i = 0; i < std::min(tensor.shape.rank, shape.rank); ++i) {
    const RowRule rule = i == 0 ? rows : RowRule::exact;
    if (!fits(rule, tensor.shape.dims[i], shape.dims[i]))
      return fail_at(ErrorCode::tensor_wrong_shape, at, d::shape[i], expected());
  }
  if (tensor.shape.rank != shape.rank) {
    return fail_at(ErrorCode::tensor_wrong_shape, at, d::ndim, expected());
  }
  if (!is_allowed(role, tensor.type)) {
    return fail_at(ErrorCode::tensor_wrong_type, at, d::dtype, "{} cannot be {}", tensor.name,
                   element_name(tensor.type));
  }
  return {};
}

/// Checks that all values of a scale or smoothing tensor are finite and pass `is_good`.
Result<void> check_values(const Tensor& tensor, const std::predicate<float> auto& is_good,
                          std::string_view expected) {
  for (std::uint64_t i = 0; i < tensor.num_values(); ++i) {
    const auto value = load<float>(tensor.data.subspan(i * sizeof(float)));
    if (!std::isfinite(value) || !is_good(value)) {
      return fail_at(tensor.file_offset + i * sizeof(float), ErrorCode::bad_value,
                     "{}[{}]: {}, expected a finite number {}", tensor.name, i, value, expected);
    }
  }
  return {};
}

Result<const Tensor*> ModelTensors::find_scale(const Tensor& matrix) const {
  const std::string name = scale_name(matrix.name);
  const Tensor* scale = file_.index.find(name);
  if (scale == nullptr) return missing(name);
  const auto [rows, cols] = std::array{matrix.shape.dims[0], matrix.shape.dims[1]};
  if (scale->shape.rank == 2) {
    const std::uint32_t blocks = scale->shape.dims[1];
    const std::uint32_t block = block_of(cols, blocks);
    if ((cols - 1) / block + 1 != blocks) {
      return fail_at(ErrorCode::tensor_wrong_shape, scale->descriptor_at,
                     layout::descriptor::shape[1],
                     "{} is {}, expected a number of blocks of a multiple of 64 columns "
                     "for rows of {} columns",
                     scale->name, scale->shape.text(), cols);
    }
    EMBD_TRY(check_tensor(*scale, TensorRole::vector, {rows, blocks}));
  } else {
    EMBD_TRY(check_tensor(*scale, TensorRole::vector, {rows}));
  }
  EMBD_TRY(check_values(*scale, [](float value) { return value >= 0; }, "not below 0"));
  return scale;
}

/// Returns the smoothing factors of a matrix; nullptr if it is not smoothed.
Result<const Tensor*> ModelTensors::find_smooth(const Tensor& matrix) const {
  const Tensor* smooth = file_.index.find(smooth_name(matrix.name));
  if (smooth == nullptr) return nullptr;
  EMBD_TRY(check_tensor(*smooth, TensorRole::vector, {matrix.shape.dims[1]}));
  EMBD_TRY(check_values(*smooth, [](float value) { return value > 0; }, "above 0"));
  return smooth;
}

}  // namespace

Result<std::vector<WeightMatrix>> model_matrices(const ModelContents& contents) {
  const ModelTensors tensors(contents);
  EMBD_TRY(tensors.check_against_spec());
  return tensors.matrices();
}

}  // namespace embd
