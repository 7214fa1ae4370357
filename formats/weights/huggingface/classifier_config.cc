#include "formats/weights/huggingface/classifier_config.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "formats/weights/huggingface/json_file.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;

/// Fails unless a stated count is the one that the weights prove.
Result<void> check_count(const JsonFile& file, std::string_view key, std::string_view stated,
                         std::uint64_t count, std::uint64_t proven) {
  if (count == proven) return {};
  return std::unexpected(file.error(ErrorCode::bad_value, key,
                                    fmt::format("{}, but the weights have {}", stated, proven)));
}

/// Returns the default names of labels in transformers. Their number, num_labels, is believed only
/// if the weights have as many.
Result<std::vector<std::string>> unnamed_labels(const JsonFile& file, std::uint64_t num_logits) {
  constexpr std::uint32_t usual = 2;
  if (file.has("num_labels")) {
    const std::uint32_t stated = EMBD_TRY(file.positive("num_labels"));
    EMBD_TRY(check_count(file, "num_labels", fmt::to_string(stated), stated, num_logits));
  } else {
    EMBD_TRY(check_count(file, "id2label",
                         "neither id2label nor num_labels is there, which means 2 labels", usual,
                         num_logits));
  }
  std::vector<std::string> labels;
  for (std::uint64_t i = 0; i < num_logits; ++i) labels.push_back(fmt::format("LABEL_{}", i));
  return labels;
}

/// Reads id2label, such as {"0": "contradiction", "1": "entailment"}. It must have every number
/// from 0 on.
Result<std::vector<std::string>> read_labels(const JsonFile& file, std::uint64_t num_logits) {
  const auto found = file.root().find("id2label");
  if (found == file.root().end() || found->is_null()) return unnamed_labels(file, num_logits);
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
  EMBD_TRY(check_count(file, "id2label", fmt::format("{} labels", labels.size()), labels.size(),
                       num_logits));
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

Result<std::uint32_t> read_token_types(const JsonFile& file, const ClassifierFacts& facts) {
  if (facts.num_token_types == 0) return 0;
  constexpr std::string_view key = "type_vocab_size";
  const std::uint32_t types = file.has(key) ? EMBD_TRY(file.positive(key)) : 2;
  if (types < facts.least_token_types) {
    return std::unexpected(file.error(ErrorCode::unsupported, key,
                                      fmt::format("{}, expected a type for each text of a pair, {}",
                                                  types, facts.least_token_types)));
  }
  EMBD_TRY(check_count(file, key, fmt::to_string(types), types, facts.num_token_types));
  return types;
}

}  // namespace

Result<ClassifierConfig> read_classifier_config(const std::filesystem::path& folder,
                                                const ClassifierFacts& facts) {
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / "config.json"));
  ClassifierConfig config;
  config.labels = EMBD_TRY(read_labels(file, facts.num_logits));
  config.activation = EMBD_TRY(read_activation(file, facts.activation, config.labels.size()));
  config.token_types = EMBD_TRY(read_token_types(file, facts));
  return config;
}

}  // namespace embd::huggingface
