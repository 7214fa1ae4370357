#include "formats/weights/embd/embd_model_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/byte_reader.h"
#include "base/try.h"
#include "formats/weights/embd/embd_parser.h"

namespace embd {

namespace layout = embd_layout;

namespace {

/// Number of the layer a name such as "encoder.layer.3.output.dense.bias" belongs to; one too large
/// to count is as large as can be.
std::optional<std::uint32_t> layer_of(std::string_view name) {
  constexpr std::string_view prefix = "encoder.layer.";
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint32_t layer = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
  if (end == name.data() || end == name.data() + name.size() || *end != '.') return std::nullopt;
  return error == std::errc() ? layer : ~std::uint32_t{0};
}

class ModelTensors {
 public:
  explicit ModelTensors(const ModelContents& file) : file_(file) {}

  Result<void> check_against_config() const;
  Result<std::vector<WeightMatrix>> matrices() const;

 private:
  Result<void> check_layers() const;
  Result<void> check_type_and_shape(const Tensor& tensor, const TensorShape& shape,
                                    bool is_type_allowed) const;
  Result<const Tensor*> find_scale(const Tensor& matrix) const;
  Result<const Tensor*> find_smooth(const Tensor& matrix) const;
  std::unexpected<Error> contradiction(std::string_view key, std::string_view found) const;
  std::unexpected<Error> missing(std::string_view name) const;

  const ModelContents& file_;
};

std::unexpected<Error> ModelTensors::contradiction(std::string_view key,
                                                   std::string_view found) const {
  const auto entry = std::ranges::find(file_.metadata, key, &MetadataEntry::key);
  return std::unexpected(Error(ErrorCode::metadata_contradiction,
                               fmt::format("{}: {}, but {}", key, entry->value, found))
                             .at_offset(entry->value_at));
}

/// A number that is wrong shows in many tensors: it is named itself, before any of them.
Result<void> ModelTensors::check_against_config() const {
  const ModelConfig& config = file_.config;
  struct Witness {
    std::string_view tensor;
    unsigned dim;
    std::string_view key;
    std::uint32_t stated;
  };
  for (const Witness& witness : {
           Witness{"embeddings.word_embeddings.weight", 0, "vocab_size", config.vocab_size},
           Witness{"embeddings.word_embeddings.weight", 1, "hidden_size", config.hidden},
           Witness{"embeddings.position_embeddings.weight", 0, "max_position_emb",
                   config.max_positions},
           Witness{"encoder.layer.0.intermediate.dense.bias", 0, "intermediate_size",
                   config.intermediate},
       }) {
    const Tensor* tensor = file_.index.find(witness.tensor);
    if (tensor == nullptr || witness.dim >= tensor->shape.rank) continue;
    if (tensor->shape.dims[witness.dim] != witness.stated) {
      return contradiction(witness.key,
                           fmt::format("{} is {}", witness.tensor, tensor->shape.text()));
    }
  }
  return check_layers();
}

Result<void> ModelTensors::check_layers() const {
  std::optional<std::uint32_t> last;
  for (const Tensor& tensor : file_.index.tensors) {
    if (const auto layer = layer_of(tensor.name)) last = std::max(last.value_or(0), *layer);
  }
  if (last && std::uint64_t{*last} + 1 != file_.config.num_layers) {
    return contradiction("num_layers", fmt::format("the last layer with tensors is {}", *last));
  }
  return {};
}

std::unexpected<Error> ModelTensors::missing(std::string_view name) const {
  return std::unexpected(
      Error(ErrorCode::tensor_missing, std::string(name)).at_offset(file_.index_at));
}

Result<std::vector<WeightMatrix>> ModelTensors::matrices() const {
  std::vector<WeightMatrix> matrices;
  EMBD_TRY(
      for_each_required_tensor(file_.config, [&](const RequiredTensor& required) -> Result<void> {
        const Tensor* tensor = file_.index.find(required.name);
        if (tensor == nullptr) {
          if (file_.index.has_prefix(fmt::format("{}.packed", required.name))) return {};
          return missing(required.name);
        }
        EMBD_TRY(
            check_type_and_shape(*tensor, required.shape, is_allowed(required.role, tensor->type)));
        if (required.role == TensorRole::vector) return {};
        WeightMatrix matrix{.values = tensor};
        if (tensor->type == ElementType::i8) matrix.scale = EMBD_TRY(find_scale(*tensor));
        if (required.role == TensorRole::matrix) matrix.smooth = EMBD_TRY(find_smooth(*tensor));
        matrices.push_back(matrix);
        return {};
      }));
  std::ranges::sort(matrices, {}, &WeightMatrix::name);
  return matrices;
}

Result<void> ModelTensors::check_type_and_shape(const Tensor& tensor, const TensorShape& shape,
                                                bool is_type_allowed) const {
  namespace d = layout::descriptor;
  const std::uint64_t at = tensor.descriptor_at;
  const auto expected = [&] {
    return fmt::format("{} is {}, expected {}", tensor.name, tensor.shape.text(), shape.text());
  };
  for (unsigned i = 0; i < std::min(tensor.shape.rank, shape.rank); ++i) {
    if (tensor.shape.dims[i] != shape.dims[i]) {
      return fail_at(ErrorCode::tensor_wrong_shape, at, d::shape[i], expected());
    }
  }
  if (tensor.shape.rank != shape.rank) {
    return fail_at(ErrorCode::tensor_wrong_shape, at, d::ndim, expected());
  }
  if (!is_type_allowed) {
    return fail_at(ErrorCode::tensor_wrong_type, at, d::dtype,
                   fmt::format("{} cannot be {}", tensor.name, element_name(tensor.type)));
  }
  return {};
}

/// Values of a side tensor (scale, smooth) must pass `is_good`.
template <class Predicate>
Result<void> check_values(const Tensor& tensor, const Predicate& is_good,
                          std::string_view expected) {
  for (std::uint64_t i = 0; i < tensor.num_values(); ++i) {
    const auto value = load<float>(tensor.data.subspan(i * sizeof(float)));
    if (!std::isfinite(value) || !is_good(value)) {
      return std::unexpected(
          Error(ErrorCode::bad_value, fmt::format("{}[{}]: {}, expected a finite number {}",
                                                  tensor.name, i, value, expected))
              .at_offset(tensor.file_offset + i * sizeof(float)));
    }
  }
  return {};
}

Result<const Tensor*> ModelTensors::find_scale(const Tensor& matrix) const {
  const std::string name = fmt::format("{}_scale", matrix.name);
  const Tensor* scale = file_.index.find(name);
  if (scale == nullptr) return missing(name);
  EMBD_TRY(check_type_and_shape(*scale, {matrix.shape.dims[0]}, scale->type == ElementType::f32));
  EMBD_TRY(check_values(*scale, [](float value) { return value >= 0; }, "not below 0"));
  return scale;
}

/// nullptr if the matrix is not smoothed.
Result<const Tensor*> ModelTensors::find_smooth(const Tensor& matrix) const {
  const Tensor* smooth = file_.index.find(fmt::format("{}_smooth", matrix.name));
  if (smooth == nullptr) return nullptr;
  EMBD_TRY(check_type_and_shape(*smooth, {matrix.shape.dims[1]}, smooth->type == ElementType::f32));
  EMBD_TRY(check_values(*smooth, [](float value) { return value > 0; }, "above 0"));
  return smooth;
}

}  // namespace

Result<std::vector<WeightMatrix>> model_matrices(const ModelContents& contents) {
  const ModelTensors tensors(contents);
  EMBD_TRY(tensors.check_against_config());
  return tensors.matrices();
}

}  // namespace embd
