#include "formats/weights/huggingface/bert_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/try.h"

namespace embd::huggingface {
namespace {

/// Returns a text that no vector depends on; empty if it is no string.
std::string free_text(const JsonFile& file, const char* key) {
  const auto found = file.root().find(key);
  return found != file.root().end() && found->is_string() ? found->get<std::string>() : "";
}

/// Returns the first of "architectures", such as "BertModel"; empty if none is named.
std::string first_architecture(const JsonFile& file) {
  const auto named = file.root().find("architectures");
  if (named == file.root().end() || !named->is_array() || named->empty() ||
      !named->front().is_string()) {
    return {};
  }
  return named->front().get<std::string>();
}

/// The keys of the sizes in config.json.
struct SizeKeys {
  std::string_view hidden = "hidden_size";
  std::string_view layers = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view intermediate = "intermediate_size";
  std::string_view activation = "hidden_act";
  std::string_view epsilon = "layer_norm_eps";
};

/// The family and the rules that a model_type stands for.
struct ModelType {
  std::string_view name;
  Family family;
  /// The classes with a classifier, which is a linear step, a function and another linear step.
  std::array<std::string_view, 2> classifiers;
  std::string_view tokenizer_class;  ///< The class if no file names one; empty if it is BERT's.
  SizeKeys keys = {};
  bool has_types = true;
  bool reads_epsilon = true;
  double epsilon = ModelSpec().layer_norm_eps;  ///< The value if the file does not state it.
  /// True if positions begin behind the number of the padding token of config.json.
  bool counts_from_padding = false;
  /// The number of token types, if the file does not state it and the class knows it.
  std::optional<std::uint32_t> token_types = {};
  /// The token that positions do not count, if the class has it in its code.
  std::optional<std::int32_t> padding = {};
  RelativeBias relative_bias = RelativeBias::none;
  HeadActivation head_activation = HeadActivation::tanh;
  bool has_positions = true;  ///< True if the class has a table of positions.
  bool has_gelu = true;       ///< True if GELU is the only activation.
  /// True if embd computes the same as the code that a folder names in auto_map: transformers has
  /// the class as its own by now. That code is not run.
  bool ignores_code = false;
  /// True if transformers takes the tokenizer from tokenizer.json as it is, whatever class a folder
  /// names.
  bool takes_tokenizer_file = false;
};

constexpr std::string_view nomic_name = "nomic_bert";
constexpr std::string_view gte_name = "gte";

/// The keys of NomicBERT in files of the code that the first models came with. transformers' own
/// class does not read them and takes the sizes of nomic-embed-text instead; they are the same.
constexpr SizeKeys first_nomic_keys = {
    "n_embd", "n_layer", "n_head", "n_inner", "activation_function", "layer_norm_epsilon"};

constexpr auto model_types = std::to_array<ModelType>({
    {.name = "bert",
     .family = Family::bert,
     .classifiers = {"BertForSequenceClassification"},
     .tokenizer_class = ""},
    {.name = "xlm-roberta",
     .family = Family::roberta,
     .classifiers = {"XLMRobertaForSequenceClassification", "RobertaForSequenceClassification"},
     .tokenizer_class = "XLMRobertaTokenizer",
     .counts_from_padding = true},
    {.name = "roberta",
     .family = Family::roberta,
     .classifiers = {"RobertaForSequenceClassification"},
     .tokenizer_class = "RobertaTokenizer",
     .counts_from_padding = true,
     .token_types = 2},
    {.name = "camembert",
     .family = Family::roberta,
     .classifiers = {"CamembertForSequenceClassification"},
     .tokenizer_class = "CamembertTokenizer",
     .counts_from_padding = true,
     .token_types = 2},
    {.name = "mpnet",
     .family = Family::mpnet,
     .classifiers = {"MPNetForSequenceClassification"},
     .tokenizer_class = "MPNetTokenizer",
     .has_types = false,
     .padding = 1,
     .relative_bias = RelativeBias::buckets},
    {.name = "distilbert",
     .family = Family::distilbert,
     .classifiers = {"DistilBertForSequenceClassification"},
     .tokenizer_class = "DistilBertTokenizer",
     .keys = {"dim", "n_layers", "n_heads", "hidden_dim", "activation"},
     .has_types = false,
     .reads_epsilon = false,
     .head_activation = HeadActivation::relu},
    {.name = nomic_name,
     .family = Family::nomic,
     .classifiers = {},
     .tokenizer_class = "",
     .has_positions = false,
     .has_gelu = false,
     .ignores_code = true},
    {.name = gte_name,
     .family = Family::gte,
     .classifiers = {},
     .tokenizer_class = "",
     .has_positions = false,
     .ignores_code = true},
    {.name = "new",
     .family = Family::gte,
     .classifiers = {},
     .tokenizer_class = "",
     .has_positions = false,
     .ignores_code = true},
    {.name = "modernbert",
     .family = Family::modernbert,
     .classifiers = {"ModernBertForSequenceClassification"},
     .tokenizer_class = "",
     .keys = {.activation = "hidden_activation", .epsilon = "norm_eps"},
     .has_types = false,
     .epsilon = 1e-5,
     .head_activation = HeadActivation::gelu,
     .has_positions = false,
     .has_gelu = false,
     .takes_tokenizer_file = true},
    {.name = "qwen3",
     .family = Family::qwen3,
     .classifiers = {},
     .tokenizer_class = "",
     .keys = {.epsilon = "rms_norm_eps"},
     .has_types = false,
     .epsilon = 1e-6,
     .has_positions = false,
     .has_gelu = false,
     .takes_tokenizer_file = true},
    {.name = "gemma3_text",
     .family = Family::gemma3,
     .classifiers = {},
     .tokenizer_class = "",
     .keys = {.activation = "hidden_activation", .epsilon = "rms_norm_eps"},
     .has_types = false,
     .epsilon = 1e-6,
     .has_positions = false,
     .has_gelu = false,
     .takes_tokenizer_file = true},
});

/// Returns type and architecture for messages, such as "mpnet (MPNetForMaskedLM)".
std::string architecture_of(const JsonFile& file, const std::string& type) {
  const std::string architecture = first_architecture(file);
  return architecture.empty() ? type : fmt::format("{} ({:?})", type, architecture);
}

/// Both names mean exact GELU, computed with the error function.
constexpr auto gelu_names = std::to_array<std::string_view>({"gelu", "gelu_python"});

/// Finds the row of a model_type. Checks the settings that change how layers compute.
Result<const ModelType*> find_type(const JsonFile& file, const std::string& name) {
  const auto* const type = std::ranges::find(model_types, name, &ModelType::name);
  if (type == model_types.end()) {
    std::string known;
    for (const ModelType& one : model_types)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
    return file.fail(ErrorCode::unsupported, "model_type", "{}, expected one of {}",
                     architecture_of(file, name), known);
  }
  static constexpr auto positions = std::to_array<std::string_view>({"absolute"});
  if (type->has_gelu) EMBD_TRY(file.require_word(type->keys.activation, gelu_names));
  if (type->has_positions) EMBD_TRY(file.require_word("position_embedding_type", positions));
  for (const char* key : {"is_decoder", "add_cross_attention", "quantization_config"})
    EMBD_TRY(file.require_unset(key));
  if (!type->ignores_code) EMBD_TRY(file.require_unset("auto_map"));
  return type;
}

/// Checks the number of buckets of distances. The class has 32 in its code.
Result<void> check_buckets(const JsonFile& file) {
  constexpr std::string_view key = "relative_attention_num_buckets";
  const double buckets = EMBD_TRY(file.number_if_there(key)).value_or(32);
  if (buckets == ModelSpec().bias_buckets) return {};
  return file.fail(ErrorCode::unsupported, key, "{}, expected 32", buckets);
}

/// Lets positions begin behind the padding token's number.
Result<void> place_padding(const JsonFile& file, double padding, ModelSpec& sizes,
                           BertConfig& config) {
  if (!(padding >= 0 && padding + 1 < sizes.max_positions && std::trunc(padding) == padding)) {
    return file.fail(ErrorCode::bad_value, "pad_token_id",
                     "{}, expected a token before the first of {} "
                     "positions",
                     padding, sizes.max_positions);
  }
  config.padding = static_cast<std::int32_t>(padding);
  sizes.position_offset = static_cast<std::uint32_t>(padding) + 1;
  return {};
}

/// Reads the two settings of the family of RoBERTa that differ from BERT: the position of the first
/// token, and the number of token types.
Result<void> read_roberta(const JsonFile& file, const ModelType& type, ModelSpec& sizes,
                          BertConfig& config) {
  const double padding = EMBD_TRY(file.number_if_there("pad_token_id")).value_or(1);
  EMBD_TRY(place_padding(file, padding, sizes, config));
  constexpr const char* key = "type_vocab_size";
  sizes.token_types =
      type.token_types && !file.has(key) ? *type.token_types : EMBD_TRY(file.positive(key));
  return {};
}

/// Reads the sizes of heads that do not divide the rows: fewer heads of keys and values than of
/// queries, all of a size of their own.
Result<void> read_heads(const JsonFile& file, ModelSpec& sizes) {
  constexpr std::string_view size_key = "head_dim";
  constexpr std::string_view heads_key = "num_key_value_heads";
  sizes.head_size = EMBD_TRY(file.positive(size_key));
  sizes.num_key_heads = EMBD_TRY(file.positive(heads_key));
  if (std::uint64_t{sizes.num_heads} * sizes.head_size > ModelSpec::most_head_components) {
    return file.fail(ErrorCode::bad_value, size_key,
                     "{} heads of {} components, expected at most {} components together",
                     sizes.num_heads, sizes.head_size, ModelSpec::most_head_components);
  }
  if (sizes.num_heads % sizes.num_key_heads == 0) return {};
  return file.fail(ErrorCode::bad_value, heads_key, "{} does not divide the {} heads",
                   sizes.num_key_heads, sizes.num_heads);
}

Result<std::uint32_t> read_positions(const JsonFile& file, const ModelType& type) {
  constexpr std::string_view key = "max_position_embeddings";
  constexpr std::uint32_t usual = 2048;
  if (type.family != Family::nomic || file.has(key)) return file.positive(key);
  return file.has("n_positions") ? file.positive("n_positions") : usual;
}

}  // namespace

Result<ModelSpec> StatedSizes::proven_by(const Checkpoint& weights) const {
  const std::uint64_t rows = EMBD_TRY(weights.rows_of(Module::word_embeddings));
  if (rows != stated_.vocab_size) {
    return fail(ErrorCode::tensor_wrong_shape, "{} has {} rows, but config.json says {}",
                weight_name(Module::word_embeddings), rows, stated_.vocab_size);
  }
  EMBD_TRY(for_each_tensor(stated_, [&](const ModelTensor& wanted) -> Result<void> {
    EMBD_TRY(weights.find(wanted));
    return {};
  }));
  return stated_;
}

Result<BertConfig> read_bert_config(const std::filesystem::path& folder) {
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / "config.json"));
  const std::string name = EMBD_TRY(file.text_if_there("model_type")).value_or("bert");
  const ModelType& type = *EMBD_TRY(find_type(file, name));
  ModelSpec sizes;
  const bool is_first_nomic = type.family == Family::nomic && !file.has(type.keys.hidden);
  const SizeKeys& keys = is_first_nomic ? first_nomic_keys : type.keys;
  sizes.hidden = EMBD_TRY(file.positive(keys.hidden));
  sizes.num_layers = EMBD_TRY(file.positive(keys.layers));
  sizes.num_heads = EMBD_TRY(file.positive(keys.heads));
  sizes.intermediate = EMBD_TRY(file.positive(keys.intermediate));
  sizes.vocab_size = EMBD_TRY(file.positive("vocab_size"));
  sizes.max_positions = EMBD_TRY(read_positions(file, type));
  if (type.family == Family::qwen3 || type.family == Family::gemma3) {
    EMBD_TRY(read_heads(file, sizes));
  } else if (sizes.hidden % sizes.num_heads != 0) {
    return file.fail(ErrorCode::bad_value, keys.heads, "{} does not divide {} {}", sizes.num_heads,
                     keys.hidden, sizes.hidden);
  }
  sizes.layer_norm_eps = type.epsilon;
  if (type.reads_epsilon)
    sizes.layer_norm_eps = EMBD_TRY(file.number_if_there(keys.epsilon)).value_or(type.epsilon);
  if (!(sizes.layer_norm_eps > 0 && sizes.layer_norm_eps < 1))
    return file.fail(ErrorCode::bad_value, keys.epsilon, "expected 0 to 1");
  if (!type.has_types) sizes.token_types = 0;
  sizes.head_activation = type.head_activation;
  sizes.architecture.relative_bias = type.relative_bias;
  if (type.relative_bias == RelativeBias::buckets) EMBD_TRY(check_buckets(file));
  EMBD_TRY(read_rotating(file, type.family, sizes));
  BertConfig config;
  config.family = type.family;
  config.architecture = first_architecture(file);
  config.has_classifier =
      std::ranges::find(type.classifiers, config.architecture) != type.classifiers.end() &&
      !config.architecture.empty();
  if (type.family == Family::modernbert && config.has_classifier)
    EMBD_TRY(read_modernbert_head(file, sizes));
  config.name_or_path = free_text(file, "_name_or_path");
  config.tokenizer_class = EMBD_TRY(file.text_if_there("tokenizer_class")).value_or("");
  if (config.tokenizer_class.empty()) config.tokenizer_class = type.tokenizer_class;
  config.takes_tokenizer_file = type.takes_tokenizer_file;
  if (type.padding) EMBD_TRY(place_padding(file, *type.padding, sizes, config));
  if (type.counts_from_padding) EMBD_TRY(read_roberta(file, type, sizes, config));
  config.sizes = StatedSizes(std::move(sizes));
  return config;
}

namespace {

using nlohmann::json;

/// Fails unless a stated count is the one that the weights prove.
Result<void> check_count(const JsonFile& file, std::string_view key, std::string_view stated,
                         std::uint64_t count, std::uint64_t proven) {
  if (count == proven) return {};
  return file.fail(ErrorCode::bad_value, key, "{}, but the weights have {}", stated, proven);
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
    return file.fail(ErrorCode::bad_type, "id2label", "expected an object");
  std::vector<std::string> labels;
  while (labels.size() < found->size()) {
    const auto label = found->find(fmt::format("{}", labels.size()));
    if (label == found->end() || !label->is_string()) {
      return file.fail(ErrorCode::bad_value, "id2label", "{} names, but none for label {}",
                       found->size(), labels.size());
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
      return file.fail(ErrorCode::bad_type, "sentence_transformers", "expected a path as a string");
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
  return file.fail(ErrorCode::unsupported, named.key,
                   "{}, expected Identity or Sigmoid of torch.nn", named.path);
}

Result<std::uint32_t> read_token_types(const JsonFile& file, const ClassifierFacts& facts) {
  if (facts.num_token_types == 0) return 0;
  constexpr std::string_view key = "type_vocab_size";
  const std::uint32_t types = file.has(key) ? EMBD_TRY(file.positive(key)) : 2;
  if (types < facts.least_token_types) {
    return file.fail(ErrorCode::unsupported, key, "{}, expected a type for each text of a pair, {}",
                     types, facts.least_token_types);
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
