#include "formats/weights/huggingface/bert_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/try.h"
#include "formats/weights/huggingface/json_file.h"

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
  /// True if positions begin behind the number of the padding token of config.json.
  bool counts_from_padding = false;
  /// The number of token types, if the file does not state it and the class knows it.
  std::optional<std::uint32_t> token_types = {};
  /// The token that positions do not count, if the class has it in its code.
  std::optional<std::int32_t> padding = {};
  RelativeBias relative_bias = RelativeBias::none;
  HeadActivation head_activation = HeadActivation::tanh;
  bool has_positions = true;  ///< True if the class has a table of positions.
  /// True if the class is one of transformers', so that code beside the folder, which older
  /// versions needed, is not run.
  bool ignores_code = false;
};

constexpr std::string_view nomic_name = "nomic_bert";
constexpr std::string_view gte_name = "gte";

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
     .ignores_code = true},
    {.name = gte_name,
     .family = Family::gte,
     .classifiers = {},
     .tokenizer_class = "",
     .has_positions = false},
});

/// Returns type and architecture for messages, such as "mpnet (MPNetForMaskedLM)".
std::string architecture_of(const JsonFile& file, const std::string& type) {
  const std::string architecture = first_architecture(file);
  return architecture.empty() ? type : fmt::format("{} ({:?})", type, architecture);
}

Result<void> require_word(const JsonFile& file, std::string_view key,
                          std::span<const std::string_view> allowed) {
  const auto word = EMBD_TRY(file.text_if_there(key));
  if (!word || std::ranges::find(allowed, *word) != allowed.end()) return {};
  return std::unexpected(file.error(ErrorCode::unsupported, key,
                                    fmt::format("{}, expected {}", *word, allowed.front())));
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
    return std::unexpected(
        file.error(ErrorCode::unsupported, "model_type",
                   fmt::format("{}, expected one of {}", architecture_of(file, name), known)));
  }
  static constexpr auto positions = std::to_array<std::string_view>({"absolute"});
  if (type->family != Family::nomic)
    EMBD_TRY(require_word(file, type->keys.activation, gelu_names));
  if (type->has_positions) EMBD_TRY(require_word(file, "position_embedding_type", positions));
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
  return std::unexpected(
      file.error(ErrorCode::unsupported, key, fmt::format("{}, expected 32", buckets)));
}

/// Lets positions begin behind the padding token's number.
Result<void> place_padding(const JsonFile& file, double padding, ModelSpec& sizes,
                           BertConfig& config) {
  if (!(padding >= 0 && padding + 1 < sizes.max_positions && std::trunc(padding) == padding)) {
    return std::unexpected(file.error(ErrorCode::bad_value, "pad_token_id",
                                      fmt::format("{}, expected a token before the first of {} "
                                                  "positions",
                                                  padding, sizes.max_positions)));
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

// ---- families that rotate queries and keys

Result<double> read_theta(const JsonFile& file, std::string_view key, const nlohmann::json& found) {
  if (found.is_number() && found.get<double>() >= 1) return found.get<double>();
  return std::unexpected(file.error(ErrorCode::bad_value, key,
                                    fmt::format("{}, expected a number from 1 on", found.dump())));
}

/// Returns rope_theta of "rope_parameters"; nothing if there is none. Fails with unsupported for
/// another rotation than the usual one.
Result<std::optional<double>> theta_of(const JsonFile& file, const nlohmann::json& parameters) {
  constexpr std::string_view key = "rope_parameters";
  if (parameters.is_null()) return std::nullopt;
  if (!parameters.is_object())
    return std::unexpected(file.error(ErrorCode::bad_type, key, "expected an object"));
  for (const auto& [name, value] : parameters.items()) {
    if (name == "rope_theta" || (name == "rope_type" && value == "default")) continue;
    return std::unexpected(
        file.error(ErrorCode::unsupported, key,
                   fmt::format("{} is {}, expected rope_theta and the rope_type default", name,
                               value.dump())));
  }
  const auto theta = parameters.find("rope_theta");
  if (theta == parameters.end()) return std::nullopt;
  return EMBD_TRY(read_theta(file, key, *theta));
}

/// Returns rope_theta of a model whose layers all rotate alike: that of "rope_parameters" or, in
/// files of older classes, of `older_key`.
Result<double> read_rotation(const JsonFile& file, std::string_view older_key, double usual) {
  EMBD_TRY(file.require_unset("rope_scaling"));
  const auto parameters = file.root().find("rope_parameters");
  if (parameters != file.root().end()) {
    const auto theta = EMBD_TRY(theta_of(file, *parameters));
    if (theta) return *theta;
  }
  const auto older = file.root().find(std::string(older_key));
  if (older == file.root().end() || older->is_null()) return usual;
  return EMBD_TRY(read_theta(file, older_key, *older));
}

/// The keys of NomicBERT in files of the code that the first models came with. transformers' own
/// class does not read them and takes the sizes of nomic-embed-text instead; they are the same.
constexpr SizeKeys first_nomic_keys = {"n_embd", "n_layer", "n_head", "n_inner",
                                       "activation_function"};

/// Reads the settings of NomicBERT: rotation, gates with SiLU, and biases only in norms.
Result<void> read_nomic(const JsonFile& file, ModelSpec& sizes) {
  static constexpr auto silu = std::to_array<std::string_view>({"silu", "swiglu"});
  for (const char* key : {"hidden_act", "activation_function"})
    EMBD_TRY(require_word(file, key, silu));
  for (const char* key : {"rotary_emb_interleaved", "rotary_scaling_factor",
                          "rotary_emb_scale_base", "prenorm", "parallel_block", "use_rms_norm",
                          "causal", "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"}) {
    const auto found = file.root().find(key);
    if (found != file.root().end() && found->is_number() && *found != 0)
      return std::unexpected(file.error(ErrorCode::unsupported, key, found->dump()));
    EMBD_TRY(file.require_unset(key));
  }
  if (EMBD_TRY(file.number_if_there("rotary_emb_fraction")).value_or(1) != 1) {
    return std::unexpected(file.error(ErrorCode::unsupported, "rotary_emb_fraction", "expected 1"));
  }
  if (EMBD_TRY(file.number_if_there("moe_every_n_layers")).value_or(0) != 0) {
    return std::unexpected(file.error(ErrorCode::unsupported, "moe_every_n_layers",
                                      "layers with several networks, which embd does not do"));
  }
  sizes.architecture.feed_forward = FeedForward::gated;
  sizes.architecture.activation = Activation::silu;
  sizes.architecture.biases = Biases::norms;
  sizes.architecture.positions = Positions::rotation;
  constexpr double usual_theta = 1000;
  sizes.architecture.theta = EMBD_TRY(read_rotation(file, "rotary_emb_base", usual_theta));
  return {};
}

/// Reads the settings of GTE: rotation, gates with GELU, and biases outside the gates.
Result<void> read_gte(const JsonFile& file, ModelSpec& sizes) {
  constexpr const char* types = "type_vocab_size";
  sizes.token_types =
      static_cast<std::uint32_t>(file.root().value(types, nlohmann::json()) == 0 || !file.has(types)
                                     ? 0
                                     : EMBD_TRY(file.positive(types)));
  sizes.architecture.feed_forward = FeedForward::gated;
  sizes.architecture.biases = Biases::outside_gates;
  sizes.architecture.positions = Positions::rotation;
  constexpr double usual_theta = 160'000;
  sizes.architecture.theta = EMBD_TRY(read_rotation(file, "rope_theta", usual_theta));
  return {};
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
    return fail(ErrorCode::tensor_wrong_shape,
                fmt::format("{} has {} rows, but config.json says {}",
                            weight_name(Module::word_embeddings), rows, stated_.vocab_size));
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
  if (sizes.hidden % sizes.num_heads != 0) {
    return std::unexpected(file.error(
        ErrorCode::bad_value, keys.heads,
        fmt::format("{} does not divide {} {}", sizes.num_heads, keys.hidden, sizes.hidden)));
  }
  if (type.reads_epsilon) {
    const char* const key = is_first_nomic ? "layer_norm_epsilon" : "layer_norm_eps";
    sizes.layer_norm_eps = EMBD_TRY(file.number_if_there(key)).value_or(sizes.layer_norm_eps);
  }
  if (!(sizes.layer_norm_eps > 0 && sizes.layer_norm_eps < 1))
    return std::unexpected(file.error(ErrorCode::bad_value, "layer_norm_eps", "expected 0 to 1"));
  if (!type.has_types) sizes.token_types = 0;
  sizes.head_activation = type.head_activation;
  sizes.architecture.relative_bias = type.relative_bias;
  if (type.relative_bias == RelativeBias::buckets) EMBD_TRY(check_buckets(file));
  if (type.family == Family::nomic) EMBD_TRY(read_nomic(file, sizes));
  if (type.family == Family::gte) EMBD_TRY(read_gte(file, sizes));
  BertConfig config;
  config.family = type.family;
  config.architecture = first_architecture(file);
  config.has_classifier =
      std::ranges::find(type.classifiers, config.architecture) != type.classifiers.end() &&
      !config.architecture.empty();
  config.name_or_path = free_text(file, "_name_or_path");
  config.tokenizer_class = EMBD_TRY(file.text_if_there("tokenizer_class")).value_or("");
  if (config.tokenizer_class.empty()) config.tokenizer_class = type.tokenizer_class;
  if (type.padding) EMBD_TRY(place_padding(file, *type.padding, sizes, config));
  if (type.counts_from_padding) EMBD_TRY(read_roberta(file, type, sizes, config));
  config.sizes = StatedSizes(std::move(sizes));
  return config;
}

}  // namespace embd::huggingface
