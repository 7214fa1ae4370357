#include "formats/weights/huggingface/convert.h"

#include <sys/mman.h>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/file_descriptor.h"
#include "base/mapped_file.h"
#include "base/output_set.h"
#include "base/path_names.h"
#include "base/path_roles.h"
#include "base/system_error.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/recipe_names.h"
#include "formats/weights/embd/embd_encode.h"
#include "formats/weights/embd/embd_writer.h"
#include "formats/weights/huggingface/checkpoint.h"
#include "formats/weights/huggingface/model_folder.h"

namespace embd {
namespace huggingface {
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

std::string folder_name(const std::filesystem::path& folder) {
  return without_trailing_slash(folder).filename().native();
}

Result<std::vector<std::pair<std::string, std::string>>> metadata_of(
    const ModelConfig& config, const std::string& name, const std::string& weights_sha256,
    const ConvertModelOptions& options) {
  const auto yes_no = [](bool value) { return value ? "true" : "false"; };
  const std::string date = EMBD_TRY(creation_date());
  std::vector<std::pair<std::string, std::string>> metadata = {
      {"model_name", name},
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
      {"source_sha256", weights_sha256},
  };
  // What most models have not is written only for those that have it.
  const auto add = [&](bool is_there, std::string key, std::string value) {
    if (is_there) metadata.emplace_back(std::move(key), std::move(value));
  };
  add(config.truncation_side == TruncationSide::left, "truncation_side", "left");
  add(config.dim != config.hidden, "truncate_dim", std::to_string(config.dim));
  for (const Prompt& prompt : config.prompts)
    add(!prompt.text.empty(), "prompt." + prompt.name, prompt.text);
  add(!config.default_prompt_name.empty(), "default_prompt_name", config.default_prompt_name);
  add(!config.similarity.empty(), "similarity_fn_name", config.similarity);
  add(!options.license.empty(), "license", options.license);
  return metadata;
}

/// Sentence models use one row of this table, the first; EMBD has room for two.
constexpr std::string_view token_types = "embeddings.token_type_embeddings.weight";

Result<const SourceTensor*> find_tensor(const Checkpoint& weights, const RequiredTensor& wanted) {
  const SourceTensor* tensor = EMBD_TRY(weights.find(wanted.name));
  const auto shape = wanted.shape.view();
  const bool fits =
      wanted.name == token_types
          ? tensor->shape.size() == 2 && tensor->shape[0] > 0 && tensor->shape[1] == shape[1]
          : std::ranges::equal(tensor->shape, shape);
  if (fits) return tensor;
  return fail(ErrorCode::tensor_wrong_shape,
              fmt::format("{} is [{}], expected {}", wanted.name, fmt::join(tensor->shape, ", "),
                          wanted.shape.text()));
}

/// Magnitudes from here on round to infinity: halfway past the largest number of the type.
float overflows_from(ElementType type) {
  if (type == ElementType::f16) return 65520;
  if (type == ElementType::bf16) return 0x1.ffp127F;
  return HUGE_VALF;
}

/// The values in the wanted shape, all of them finite once they are stored as `type`. Rows that
/// the source does not have are zeros.
Result<Matrix> matrix_of(const SourceTensor& tensor, const TensorShape& shape, ElementType type) {
  std::vector<float> source(tensor.num_values());
  tensor.to_floats(source);
  const float limit = overflows_from(type);
  const auto bad =
      std::ranges::find_if_not(source, [limit](float value) { return std::abs(value) < limit; });
  if (bad != source.end()) {
    return fail(ErrorCode::bad_value,
                fmt::format("{}: value {} is {}, which {} cannot hold as a finite number",
                            tensor.name, bad - source.begin(), *bad, element_name(type)));
  }
  const bool is_matrix = shape.rank == 2;
  Matrix values(is_matrix ? shape.dims[0] : 1, is_matrix ? shape.dims[1] : shape.dims[0]);
  source.resize(values.values().size());
  std::ranges::copy(source, values.data());
  return values;
}

ElementType type_for(TensorRole role, ElementType wanted) {
  if (is_allowed(role, wanted)) return wanted;
  return ElementType::f32;
}

void add_tensor(const SourceTensor& source, const RequiredTensor& wanted, ElementType type,
                std::vector<TensorSource>& tensors) {
  const auto add = [&](std::string name, ElementType stored, TensorShape shape, auto encode) {
    tensors.push_back(
        {std::move(name), stored, shape,
         [&source, type, encode, in = wanted.shape](std::vector<std::byte>& bytes) -> Result<void> {
           bytes = encode(EMBD_TRY(matrix_of(source, in, type)));
           return {};
         }});
  };
  if (type != ElementType::i8) {
    add(wanted.name, type, wanted.shape,
        [type](const Matrix& values) { return encode_floats(type, values.values()); });
    return;
  }
  add(wanted.name, type, wanted.shape,
      [](const Matrix& values) { return encode_int8(values, int8_scales(values)); });
  add(wanted.name + "_scale", ElementType::f32, {wanted.shape.dims[0]},
      [](const Matrix& values) { return encode_floats(ElementType::f32, int8_scales(values)); });
}

Result<void> check_type(ElementType type) {
  for (const ElementType known :
       {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8})
    if (type == known) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("weights as {}, expected f32, f16, bf16 or i8", element_name(type)));
}

Result<void> check_text(std::string_view option, std::string_view text) {
  if (!find_invalid_utf8(text)) return {};
  return fail(ErrorCode::invalid_argument, fmt::format("the {} is not UTF-8", option));
}

/// What the EMBD file of a folder holds, and the files that its tensors are read from.
struct FolderContent {
  Checkpoint weights;
  WeightFileContent content;
};

Result<FolderContent> read_folder(const std::filesystem::path& folder,
                                  const ConvertModelOptions& options) {
  EMBD_TRY(check_type(options.type));
  ModelFolder model = EMBD_TRY(read_model_folder(folder));
  FolderContent read = {.weights = EMBD_TRY(Checkpoint::open(model.weights)), .content = {}};
  WeightFileContent& content = read.content;
  content.metadata = EMBD_TRY(metadata_of(
      model.config, options.model_name.empty() ? folder_name(folder) : options.model_name,
      read.weights.sha256(), options));
  content.special = model.special;
  content.checksums = options.checksums;
  const auto gather = [&](const RequiredTensor& wanted) -> Result<void> {
    const SourceTensor* source = EMBD_TRY(find_tensor(read.weights, wanted));
    add_tensor(*source, wanted, type_for(wanted.role, options.type), content.tensors);
    return {};
  };
  EMBD_TRY(in_file(model.weights, for_each_required_tensor(model.config, gather)));
  content.vocab = std::move(model.vocab);
  return read;
}

}  // namespace

Result<WeightFile> open_model_folder(const std::filesystem::path& folder,
                                     WeightFileOptions options) {
  const FolderContent read = EMBD_TRY(read_folder(folder, {}));
  const FileDescriptor file(::memfd_create("embd-model", MFD_CLOEXEC));
  if (!file.is_open()) return std::unexpected(system_error("create memory for", folder));
  EMBD_TRY(write_weights(read.content, [&](Bytes bytes) { return file.write(bytes, folder); }));
  return WeightFile::from_map(EMBD_TRY(MappedFile::of(file, folder)), folder, std::move(options));
}

}  // namespace huggingface

Result<void> convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                           const ConvertModelOptions& options) {
  PathRoles roles;
  // A weight file in the folder may be replaced: the folder is not read for such.
  if (out.extension() != ".weights") roles.reads_folder("the folder", folder);
  roles.writes("the weight file", out);
  EMBD_TRY(roles.check());
  EMBD_TRY(huggingface::check_text("name", options.model_name));
  EMBD_TRY(huggingface::check_text("license", options.license));
  const huggingface::FolderContent read = EMBD_TRY(huggingface::read_folder(folder, options));
  // What was there before is replaced by what has been read back only.
  OutputSet set = EMBD_TRY(OutputSet::create(out));
  auto written = write_weight_file(set.staged(set.main()), read.content);
  if (!written) return std::unexpected(set.as_seen(std::move(written).error()));
  if (!set.is_in_place()) {
    auto back = WeightFile::open(set.staged(set.main()), {.vocab = {}, .verify = true});
    if (!back) return std::unexpected(set.as_seen(std::move(back).error()));
  }
  return set.finish();
}

}  // namespace embd
