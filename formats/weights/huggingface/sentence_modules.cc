#include "formats/weights/huggingface/model_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/weights/huggingface/json_file.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// The flags of the modes, in the order in which their results are joined. Before version 5.4, each
/// mode had a flag of its own.
constexpr auto pooling_flags = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"pooling_mode_cls_token", "cls"},
     {"pooling_mode_max_tokens", "max"},
     {"pooling_mode_mean_tokens", "mean"},
     {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens"},
     {"pooling_mode_weightedmean_tokens", "weightedmean"},
     {"pooling_mode_lasttoken", "lasttoken"}});

/// The differences between the settings of the two classes of models that embd has.
struct ModelClass {
  std::string_view model_type;
  std::string_view task;
  std::string_view method_output;
  std::string_view module_output;
};
constexpr ModelClass sentence_transformer = {"SentenceTransformer", "feature-extraction",
                                             "last_hidden_state", "token_embeddings"};
constexpr ModelClass cross_encoder = {"CrossEncoder", "sequence-classification", "logits",
                                      "scores"};

const ModelClass& class_of(const SentenceModules& modules) {
  return modules.are_cross_encoder ? cross_encoder : sentence_transformer;
}

/// One entry of modules.json.
struct ListedModule {
  std::string type;  ///< "sentence_transformers.models.Pooling"
  std::string path;  ///< Its folder inside the model's folder.

  /// Returns the kind, such as "Pooling"; empty for a class that does not belong to
  /// sentence-transformers.
  std::string_view kind() const {
    if (!type.starts_with("sentence_transformers.")) return {};
    return std::string_view(type).substr(type.rfind('.') + 1);
  }
};

Result<std::string> text_of(const json& object, const char* key, const fs::path& path) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    return fail_in(path, ErrorCode::bad_type,
                   "an entry of the list of modules has no string \"{}\"", key);
  return found->get<std::string>();
}

/// Returns true if a path is inside the model's folder. No module may be elsewhere.
bool is_inside(const fs::path& path) {
  return !path.has_root_path() && std::ranges::find(path, fs::path("..")) == path.end();
}

Result<std::vector<ListedModule>> read_module_list(const fs::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  const json list = EMBD_TRY(in_file(path, parse_json(as_text(file.bytes()))));
  if (!list.is_array())
    return fail_in(
        path, ErrorCode::bad_json,
        "the file is not a JSON array, expected the list of modules of sentence-transformers");
  std::vector<ListedModule> modules;
  for (const json& entry : list) {
    if (!entry.is_object())
      return fail_in(path, ErrorCode::bad_type,
                     "an entry of the list of modules is not a JSON object, expected an object "
                     "with \"type\" and \"path\"");
    ListedModule module;
    module.type = EMBD_TRY(text_of(entry, "type", path));
    module.path = EMBD_TRY(text_of(entry, "path", path));
    if (!is_inside(path_of_text(module.path))) {
      return fail_in(path, ErrorCode::bad_value,
                     "the path of a module is {}, expected a path inside the folder of the model",
                     module.path);
    }
    modules.push_back(std::move(module));
  }
  return modules;
}

/// Returns the names of the modes that are on, in the order of their results.
Result<std::vector<std::string>> pooling_modes(const JsonFile& file) {
  std::vector<std::string> modes;
  if (const auto found = file.root().find("pooling_mode"); found != file.root().end()) {
    const json list = found->is_array() ? *found : json::array({*found});
    for (const json& mode : list) {
      if (!mode.is_string())
        return file.fail(ErrorCode::bad_type, "pooling_mode", "expected names");
      modes.push_back(mode.get<std::string>());
    }
    return modes;
  }
  for (const auto& [flag, mode] : pooling_flags) {
    if (EMBD_TRY(file.flag_if_there(flag)).value_or(false)) modes.emplace_back(mode);
  }
  if (modes.empty()) modes.emplace_back("mean");
  return modes;
}

Result<std::vector<Pooling>> read_poolings(const fs::path& folder) {
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / "config.json"));
  if (!EMBD_TRY(file.flag_if_there("include_prompt")).value_or(true)) {
    return file.fail(ErrorCode::unsupported, "include_prompt",
                     "false, but embd pools the prompt's tokens, too");
  }
  std::vector<Pooling> poolings;
  for (const std::string& mode : EMBD_TRY(pooling_modes(file))) {
    const auto known = value_named(mode, pooling_names);
    const bool is_new = known && std::ranges::find(poolings, *known) == poolings.end();
    if (!is_new || *known == Pooling::joined) {
      return file.fail(ErrorCode::unsupported, "pooling_mode",
                       "{}, expected mean, cls, max, mean_sqrt_len_tokens, weightedmean "
                       "or lasttoken, each at most once",
                       mode);
    }
    poolings.push_back(*known);
  }
  if (poolings.empty()) {
    return file.fail(ErrorCode::bad_value, "pooling_mode", "[], expected at least one");
  }
  return poolings;
}

/// Checks that a module takes the vector of a text and returns it.
Result<void> check_names(const JsonFile& file) {
  for (const char* key : {"module_input_name", "module_output_name"}) {
    const auto name = EMBD_TRY(file.text_if_there(key));
    if (name.value_or("sentence_embedding") != "sentence_embedding") {
      return file.fail(ErrorCode::unsupported, key, *name + ", expected sentence_embedding");
    }
  }
  return {};
}

/// Reads the function of a Dense, such as "torch.nn.modules.activation.Tanh". Like
/// sentence-transformers, takes Tanh if none is stated or if it is no class of PyTorch.
Result<DenseActivation> read_activation(const JsonFile& file) {
  constexpr std::string_view key = "activation_function";
  const std::string path = EMBD_TRY(file.text_if_there(key)).value_or("");
  if (!path.starts_with("torch.")) return DenseActivation::tanh;
  const auto known = value_named(path.substr(path.rfind('.') + 1), dense_activation_names);
  if (known && path.starts_with("torch.nn.")) return *known;
  std::vector<std::string_view> names;
  for (const auto& [name, of] : dense_activation_names) names.push_back(name);
  return file.fail(ErrorCode::unsupported, key, "{}, expected one of {} in torch.nn", path,
                   fmt::join(names, ", "));
}

Result<VectorModule> read_dense(const fs::path& folder) {
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / "config.json"));
  EMBD_TRY(check_names(file));
  EMBD_TRY(file.require_unset("use_residual"));
  VectorModule module = {.kind = VectorModuleKind::dense};
  module.in = EMBD_TRY(file.positive("in_features"));
  module.out = EMBD_TRY(file.positive("out_features"));
  module.bias = EMBD_TRY(file.flag_if_there("bias")).value_or(true);
  module.activation = EMBD_TRY(read_activation(file));
  return module;
}

Result<VectorModule> read_layer_norm(const fs::path& folder) {
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / "config.json"));
  EMBD_TRY(check_names(file));
  const std::uint32_t dim = EMBD_TRY(file.positive("dimension"));
  return VectorModule{.kind = VectorModuleKind::layer_norm, .in = dim, .out = dim};
}

/// Returns Normalize, whose size is that of the vector that it takes.
Result<VectorModule> read_normalize(const fs::path& folder) {
  if (const auto file = EMBD_TRY(JsonFile::read_if_there(folder / "config.json")))
    EMBD_TRY(check_names(*file));
  return VectorModule{.kind = VectorModuleKind::normalize};
}

Result<VectorModule> read_vector_module(VectorModuleKind kind, const fs::path& folder) {
  switch (kind) {
    case VectorModuleKind::dense:
      return read_dense(folder);
    case VectorModuleKind::layer_norm:
      return read_layer_norm(folder);
    case VectorModuleKind::normalize:
      break;
  }
  return read_normalize(folder);
}

/// Finds sentence_bert_config.json, or the file with the name for another kind of encoder.
Result<std::optional<JsonFile>> find_settings(const fs::path& encoder) {
  for (const char* kind :
       {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    auto file = EMBD_TRY(JsonFile::read_if_there(
        encoder / path_of_text(fmt::format("sentence_{}_config.json", kind))));
    if (file && !file->root().empty()) return file;
  }
  return std::nullopt;
}

/// Checks that the encoder takes text and returns the rows of the last layer or logits.
Result<void> check_modalities(const JsonFile& file, const ModelClass& model) {
  const auto& root = file.root();
  const auto modalities = root.find("modality_config");
  if (modalities == root.end()) return {};
  const json* text =
      modalities->is_object() && modalities->contains("text") ? &(*modalities)["text"] : nullptr;
  const json expected = {{"method", "forward"}, {"method_output_name", model.method_output}};
  if (text == nullptr || *text != expected) {
    return file.fail(ErrorCode::unsupported, "modality_config", "{}, expected text with {}",
                     modalities->dump(), expected.dump());
  }
  const auto output = EMBD_TRY(file.text_if_there("module_output_name"));
  if (!output || *output == model.module_output) return {};
  return file.fail(ErrorCode::unsupported, "module_output_name", "{}, expected {}", *output,
                   model.module_output);
}

Result<void> read_settings(const JsonFile& file, SentenceModules& modules) {
  if (file.has("max_seq_length"))
    modules.max_seq_length = EMBD_TRY(file.positive("max_seq_length"));
  modules.lower_case = EMBD_TRY(file.flag_if_there("do_lower_case")).value_or(false);
  const ModelClass& model = class_of(modules);
  const auto task = EMBD_TRY(file.text_if_there("transformer_task"));
  if (task.value_or(std::string(sentence_transformer.task)) != model.task) {
    return file.fail(ErrorCode::unsupported, "transformer_task", "{}, expected {}",
                     task.value_or("none"), model.task);
  }
  for (const char* key : {"model_args", "model_kwargs", "tokenizer_args", "processor_kwargs",
                          "config_args", "config_kwargs", "processing_kwargs", "query_length",
                          "document_length", "query_expansion"}) {
    EMBD_TRY(file.require_unset(key));
  }
  return check_modalities(file, model);
}

Result<std::vector<Prompt>> read_prompts(const JsonFile& file) {
  std::vector<Prompt> prompts;
  const auto found = file.root().find("prompts");
  if (found == file.root().end() || found->is_null()) return prompts;
  if (!found->is_object()) return file.fail(ErrorCode::bad_type, "prompts", "expected an object");
  for (const auto& [name, text] : found->items()) {
    if (!text.is_string() && !text.is_null())
      return file.fail(ErrorCode::bad_type, "prompts", name + " is no string");
    prompts.push_back({.name = name, .text = text.is_null() ? "" : text.get<std::string>()});
  }
  return prompts;
}

/// Reads the settings besides the modules: prompts, and how vectors are processed.
Result<void> read_model_settings(const fs::path& folder, SentenceModules& modules) {
  const auto file = EMBD_TRY(JsonFile::read_if_there(folder / "config_sentence_transformers.json"));
  if (!file) return {};
  const auto type = EMBD_TRY(file->text_if_there("model_type"));
  modules.are_cross_encoder = type == cross_encoder.model_type;
  if (type.value_or(std::string(sentence_transformer.model_type)) != class_of(modules).model_type) {
    return file->fail(ErrorCode::unsupported, "model_type", "{}, expected {} or {}", *type,
                      sentence_transformer.model_type, cross_encoder.model_type);
  }
  modules.activation = EMBD_TRY(file->text_if_there("activation_fn")).value_or("");
  modules.prompts = EMBD_TRY(read_prompts(*file));
  modules.default_prompt_name = EMBD_TRY(file->text_if_there("default_prompt_name")).value_or("");
  if (file->has("truncate_dim")) modules.truncate_dim = EMBD_TRY(file->positive("truncate_dim"));
  modules.similarity = EMBD_TRY(file->text_if_there("similarity_fn_name")).value_or("");
  const auto is_default = [&](const Prompt& prompt) {
    return prompt.name == modules.default_prompt_name;
  };
  const std::string& name = modules.default_prompt_name;
  if (name.empty() || name == "query" || name == "document" ||
      std::ranges::any_of(modules.prompts, is_default))
    return {};
  return file->fail(ErrorCode::bad_value, "default_prompt_name", "there is no prompt \"{}\"", name);
}

/// Checks the order of the modules: first those that make a vector of a text, and behind them those
/// that change the vector.
Result<void> check_kinds(std::span<const std::string_view> kinds, const SentenceModules& modules,
                         const fs::path& list_path) {
  const std::vector<std::string_view> first =
      modules.are_static          ? std::vector<std::string_view>{"StaticEmbedding"}
      : modules.are_cross_encoder ? std::vector<std::string_view>{"Transformer"}
                                  : std::vector<std::string_view>{"Transformer", "Pooling"};
  const auto changes_vector = [](std::string_view kind) {
    return value_named(kind, vector_module_names).has_value();
  };
  if (kinds.size() >= first.size() && std::ranges::equal(kinds.first(first.size()), first)) {
    const auto rest = kinds.subspan(first.size());
    if (modules.are_cross_encoder ? rest.empty() : std::ranges::all_of(rest, changes_vector))
      return {};
  }
  return fail_in(list_path, ErrorCode::unsupported, "the modules are {}, expected {}{}",
                 fmt::join(kinds, ", "), fmt::join(first, ", "),
                 modules.are_cross_encoder ? " alone for a cross-encoder"
                                           : " and behind them Dense, LayerNorm or Normalize");
}

}  // namespace

Result<SentenceModules> read_sentence_modules(const fs::path& folder) {
  SentenceModules modules;
  modules.encoder = folder;
  std::error_code error;
  const fs::path list_path = folder / "modules.json";
  if (!fs::exists(list_path, error)) return modules;
  modules.are_listed = true;
  EMBD_TRY(read_model_settings(folder, modules));

  std::vector<std::string_view> kinds;
  const std::vector<ListedModule> list = EMBD_TRY(read_module_list(list_path));
  for (const ListedModule& module : list) {
    const fs::path module_folder = folder / path_of_text(module.path);
    const std::string_view kind = module.kind();
    if (kind == "Dropout") continue;  // Used in training only.
    kinds.push_back(kind);
    if (kind == "Transformer" || kind == "StaticEmbedding") {
      modules.encoder = module_folder;
      modules.are_static = kind == "StaticEmbedding";
    } else if (kind == "Pooling") {
      modules.poolings = EMBD_TRY(read_poolings(module_folder));
    } else if (const auto known = value_named(kind, vector_module_names)) {
      modules.modules.push_back(
          {EMBD_TRY(read_vector_module(*known, module_folder)), module_folder});
    } else {
      return fail_in(list_path, ErrorCode::unsupported,
                     "the type of a module is {}, expected Transformer, Pooling, StaticEmbedding, "
                     "Dense, LayerNorm or Normalize of sentence-transformers",
                     module.type);
    }
  }
  const auto& behind = modules.modules;
  modules.normalize = !behind.empty() && behind.back().module.kind == VectorModuleKind::normalize;
  if (modules.normalize) modules.modules.pop_back();
  EMBD_TRY(check_kinds(kinds, modules, list_path));
  if (modules.are_static) return modules;
  if (const auto settings = EMBD_TRY(find_settings(modules.encoder)))
    EMBD_TRY(read_settings(*settings, modules));
  return modules;
}

}  // namespace embd::huggingface
