#include "formats/weights/huggingface/classifier_config.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "formats/weights/huggingface/json_file.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;

/// The default names of two labels in transformers.
const std::vector<std::string> unnamed_labels = {"LABEL_0", "LABEL_1"};

/// Reads id2label, such as {"0": "contradiction", "1": "entailment"}. It must have every number
/// from 0 on.
Result<std::vector<std::string>> read_labels(const JsonFile& file) {
  const auto found = file.root().find("id2label");
  if (found == file.root().end() || found->is_null()) return unnamed_labels;
  if (!found->is_object() || found->empty())
    return std::unexpected(file.error(ErrorCode::bad_type, "id2label", "expected an object"));
  std::vector<std::string> labels;
  while (labels.size() < found->size()) {
    const auto label = found->find(fmt::format("{}", labels.size()));
    if (label == found->end() || !label->is_string()) {
      return std::unexpected(
          file.error(ErrorCode::bad_value, "id2label",
                     fmt::format("{} names, but none for label {}", found->size(), labels.size())));
    }
    labels.push_back(label->get<std::string>());
  }
  return labels;
}

/// The Python path of an activation, and the file and the key that name it.
struct NamedActivation {
  std::string path;
  std::string key;
};

/// Finds the activation. The places that may name it are tried in the order of
/// sentence-transformers.
Result<NamedActivation> find_activation(const JsonFile& file, const std::string& given) {
  if (!given.empty()) return NamedActivation{given, "activation_fn"};
  const auto newer = file.root().find("sentence_transformers");
  if (newer != file.root().end() && newer->is_object() && newer->contains("activation_fn")) {
    const json& path = (*newer)["activation_fn"];
    if (!path.is_string() && !path.is_null()) {
      return std::unexpected(
          file.error(ErrorCode::bad_type, "sentence_transformers", "expected a path as a string"));
    }
    return NamedActivation{path.is_null() ? "" : path.get<std::string>(), "activation_fn"};
  }
  const std::string key = "sbert_ce_default_activation_function";
  return NamedActivation{EMBD_TRY(file.text_if_there(key)).value_or(""), key};
}

Result<ScoreActivation> read_activation(const JsonFile& file, const std::string& given,
                                        std::size_t num_labels) {
  const NamedActivation named = EMBD_TRY(find_activation(file, given));
  if (named.path.empty())
    return num_labels == 1 ? ScoreActivation::sigmoid : ScoreActivation::identity;
  if (named.path.starts_with("torch.")) {
    if (named.path.ends_with(".Identity")) return ScoreActivation::identity;
    if (named.path.ends_with(".Sigmoid")) return ScoreActivation::sigmoid;
  }
  return std::unexpected(
      file.error(ErrorCode::unsupported, named.key,
                 fmt::format("{}, expected Identity or Sigmoid of torch.nn", named.path)));
}

Result<std::uint32_t> read_token_types(const JsonFile& file, std::uint32_t least) {
  if (!file.has("type_vocab_size")) return 2;
  const std::uint32_t types = EMBD_TRY(file.positive("type_vocab_size"));
  if (types >= least) return types;
  return std::unexpected(
      file.error(ErrorCode::unsupported, "type_vocab_size",
                 fmt::format("{}, expected a type for each text of a pair, {}", types, least)));
}

}  // namespace

Result<ClassifierConfig> read_classifier_config(const std::filesystem::path& folder,
                                                const std::string& activation,
                                                std::uint32_t least_token_types) {
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / "config.json"));
  ClassifierConfig config;
  config.labels = EMBD_TRY(read_labels(file));
  config.activation = EMBD_TRY(read_activation(file, activation, config.labels.size()));
  config.token_types = EMBD_TRY(read_token_types(file, least_token_types));
  return config;
}

}  // namespace embd::huggingface
