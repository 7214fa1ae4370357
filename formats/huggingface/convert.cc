#include "formats/huggingface/convert.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/checksum.h"
#include "base/try.h"
#include "formats/embd/embd_encode.h"
#include "formats/embd/embd_reader.h"
#include "formats/embd/embd_writer.h"
#include "formats/huggingface/model_folder.h"
#include "formats/huggingface/safetensors.h"
#include "formats/recipe_names.h"

namespace embd::huggingface {
namespace {

constexpr std::int64_t last_second = 253'402'300'799;  // of the year 9999

Result<std::string> creation_date() {
  std::int64_t seconds = 0;
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view text = epoch;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || seconds < 0 ||
        seconds > last_second) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("SOURCE_DATE_EPOCH is \"{}\", expected seconds since 1970", text));
    }
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

Result<std::vector<std::pair<std::string, std::string>>> metadata_of(
    const ModelFolder& model, const std::filesystem::path& folder, Bytes weights,
    const ConvertOptions& options) {
  const ModelConfig& config = model.config;
  const auto yes_no = [](bool value) { return value ? "true" : "false"; };
  const std::filesystem::path name =
      folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  const std::string date = EMBD_TRY(creation_date());
  std::vector<std::pair<std::string, std::string>> metadata = {
      {"model_name", options.model_name.empty() ? name.native() : options.model_name},
      {"model_version", "1.0.0"},
      {"embedding_dim", std::to_string(config.hidden)},
      {"vocab_size", std::to_string(config.vocab_size)},
      {"num_layers", std::to_string(config.num_layers)},
      {"num_attention_heads", std::to_string(config.num_heads)},
      {"hidden_size", std::to_string(config.hidden)},
      {"intermediate_size", std::to_string(config.intermediate)},
      {"max_position_emb", std::to_string(config.max_positions)},
      {"created_at", date},
      {"max_seq_length", std::to_string(config.max_seq_length)},
      {"pooling", std::string(name_of(pooling_names, config.pooling))},
      {"normalize", yes_no(config.normalize)},
      {"do_lower_case", yes_no(config.do_lower_case)},
      {"layer_norm_eps", fmt::format("{}", config.layer_norm_eps)},
      {"hidden_act", "gelu"},
      {"source_sha256", sha256_hex(weights)},
  };
  if (!options.license.empty()) metadata.emplace_back("license", options.license);
  return metadata;
}

/// The weights under the name EMBD gives them, with or without the prefix of the task model they
/// were saved in.
Result<const SourceTensor*> find_tensor(const SafetensorsFile& file, const RequiredTensor& wanted) {
  const SourceTensor* tensor = file.find(wanted.name);
  if (tensor == nullptr) tensor = file.find("bert." + wanted.name);
  if (tensor == nullptr) return fail(ErrorCode::tensor_missing, wanted.name);
  if (!tensor->is_float())
    return fail(ErrorCode::tensor_wrong_type,
                fmt::format("{} is {}, expected floats", wanted.name, tensor->dtype));
  if (!std::ranges::equal(tensor->shape, wanted.shape.view())) {
    return fail(ErrorCode::tensor_wrong_shape,
                fmt::format("{} is [{}], expected {}", wanted.name, fmt::join(tensor->shape, ", "),
                            wanted.shape.text()));
  }
  return tensor;
}

/// Magnitudes from here on round to infinity: halfway past the largest number of the type.
float overflows_from(TensorType type) {
  if (type == TensorType::f16) return 65520;
  if (type == TensorType::bf16) return 0x1.ffp127F;
  return HUGE_VALF;
}

/// The values, all of them finite once they are stored as `type`.
Result<Matrix> matrix_of(const SourceTensor& tensor, TensorType type) {
  const bool is_matrix = tensor.shape.size() == 2;
  Matrix values(is_matrix ? tensor.shape[0] : 1, is_matrix ? tensor.shape[1] : tensor.num_values());
  tensor.to_floats(values.values());
  const float limit = overflows_from(type);
  const auto bad = std::ranges::find_if_not(
      values.values(), [limit](float value) { return std::abs(value) < limit; });
  if (bad != values.values().end()) {
    return fail(
        ErrorCode::bad_value,
        fmt::format("{}: value {} is {}, which {} cannot hold as a finite number", tensor.name,
                    bad - values.values().begin(), *bad, tensor_type_name(type)));
  }
  return values;
}

TensorType type_for(TensorRole role, TensorType wanted) {
  if (is_allowed(role, wanted)) return wanted;
  return TensorType::f32;
}

void add_tensor(const SourceTensor& source, const RequiredTensor& wanted, TensorType type,
                std::vector<TensorSource>& tensors) {
  const auto add = [&](std::string name, TensorType stored, TensorShape shape, auto encode) {
    tensors.push_back({std::move(name), stored, shape,
                       [&source, type, encode](std::vector<std::byte>& bytes) -> Result<void> {
                         bytes = encode(EMBD_TRY(matrix_of(source, type)));
                         return {};
                       }});
  };
  if (type != TensorType::i8) {
    add(wanted.name, type, wanted.shape,
        [type](const Matrix& values) { return encode_floats(type, values.values()); });
    return;
  }
  add(wanted.name, type, wanted.shape,
      [](const Matrix& values) { return encode_int8(values, int8_scales(values)); });
  add(wanted.name + "_scale", TensorType::f32, {wanted.shape.dims[0]},
      [](const Matrix& values) { return encode_floats(TensorType::f32, int8_scales(values)); });
}

}  // namespace

Result<void> convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                           const ConvertOptions& options) {
  ModelFolder model = EMBD_TRY(read_model_folder(folder));
  const std::filesystem::path weights_path = folder / "model.safetensors";
  const SafetensorsFile weights = EMBD_TRY(SafetensorsFile::open(weights_path));

  WeightFileContent content;
  content.metadata = EMBD_TRY(metadata_of(model, folder, weights.bytes(), options));
  content.special = model.special;
  content.checksums = options.checksums;
  const auto gathered =
      for_each_required_tensor(model.config, [&](const RequiredTensor& wanted) -> Result<void> {
        const SourceTensor* source = EMBD_TRY(find_tensor(weights, wanted));
        add_tensor(*source, wanted, type_for(wanted.role, options.type), content.tensors);
        return {};
      });
  if (!gathered) return std::unexpected(Error(gathered.error()).in_file(weights_path.native()));
  content.vocab = std::move(model.vocab);
  EMBD_TRY(write_weight_file(out, content));
  EMBD_TRY(WeightFile::open(out, {.vocab = {}, .verify = true}));
  return {};
}

}  // namespace embd::huggingface
