#include "formats/weights/embd/embd_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "formats/recipe_names.h"

namespace embd {
namespace {

constexpr std::uint32_t default_max_seq_length = 256;
/// [CLS], one token of the text, [SEP].
constexpr std::uint32_t min_seq_length = 3;

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

std::unexpected<Error> fail_at(ErrorCode code, const MetadataEntry& entry, std::string_view found) {
  return std::unexpected(
      Error(code, fmt::format("{}: {}", entry.key, found)).at_offset(entry.value_at));
}

/// Reads typed values out of the entries and remembers nothing.
class Values {
 public:
  Values(std::span<const MetadataEntry> entries, std::uint64_t section_at)
      : entries_(entries), section_at_(section_at) {}

  const MetadataEntry* find(std::string_view key) const {
    const auto it = std::ranges::find(entries_, key, &MetadataEntry::key);
    return it == entries_.end() ? nullptr : &*it;
  }

  Result<MetadataEntry> require(std::string_view key) const {
    const MetadataEntry* entry = find(key);
    if (entry != nullptr) return *entry;
    return std::unexpected(
        Error(ErrorCode::metadata_key_missing, std::string(key)).at_offset(section_at_));
  }

  Result<std::uint32_t> number(std::string_view key) const {
    return parse_number(EMBD_TRY(require(key)));
  }

  static Result<std::uint32_t> parse_number(const MetadataEntry& entry) {
    const std::string_view text = entry.value;
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      return fail_at(ErrorCode::metadata_number, entry,
                     fmt::format("'{}' is not a whole number below 2^32", text));
    }
    return value;
  }

  /// A decimal such as 1e-12: no sign, no blanks, no "inf".
  static Result<double> parse_decimal(const MetadataEntry& entry) {
    const std::string_view text = entry.value;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !is_digit(text.front())) {
      return fail_at(ErrorCode::metadata_number, entry,
                     fmt::format("'{}' is not a decimal number", text));
    }
    return value;
  }

  /// The value of `key` among the words of `known`, or `missing` if there is no such key.
  template <class T, std::size_t N>
  Result<T> word(std::string_view key, T missing,
                 const std::array<std::pair<std::string_view, T>, N>& known) const {
    const MetadataEntry* entry = find(key);
    if (entry == nullptr) return missing;
    std::string expected;
    for (const auto& [name, value] : known) {
      if (entry->value == name) return value;
      expected += fmt::format("{}{}", expected.empty() ? "" : ", ", name);
    }
    return fail_at(ErrorCode::metadata_value, *entry,
                   fmt::format("'{}' is none of: {}", entry->value, expected));
  }

 private:
  std::span<const MetadataEntry> entries_;
  std::uint64_t section_at_;
};

constexpr std::array<std::pair<std::string_view, bool>, 2> booleans = {
    {{"true", true}, {"false", false}}};
constexpr std::array<std::pair<std::string_view, bool>, 1> activations = {{{"gelu", true}}};

Result<void> check_sizes(const ModelConfig& config, const Values& values) {
  if (config.num_heads == 0 || config.hidden % config.num_heads != 0) {
    return fail_at(
        ErrorCode::metadata_contradiction, EMBD_TRY(values.require("num_attention_heads")),
        fmt::format("{} does not divide hidden_size {}", config.num_heads, config.hidden));
  }
  const std::uint32_t dim = EMBD_TRY(values.number("embedding_dim"));
  if (dim != config.hidden) {
    return fail_at(ErrorCode::metadata_contradiction, EMBD_TRY(values.require("embedding_dim")),
                   fmt::format("{}, but hidden_size is {}", dim, config.hidden));
  }
  if (config.max_positions < min_seq_length) {
    return fail_at(
        ErrorCode::metadata_contradiction, EMBD_TRY(values.require("max_position_emb")),
        fmt::format("{} has no room for a token between [CLS] and [SEP]", config.max_positions));
  }
  return {};
}

/// A stated length must fit the positions; the default one is cut to them.
Result<std::uint32_t> read_max_seq_length(const ModelConfig& config, const Values& values) {
  const MetadataEntry* entry = values.find("max_seq_length");
  if (entry == nullptr) return std::min(default_max_seq_length, config.max_positions);
  const std::uint32_t length = EMBD_TRY(Values::parse_number(*entry));
  if (length < min_seq_length || length > config.max_positions) {
    return fail_at(ErrorCode::metadata_contradiction, *entry,
                   fmt::format("{} is not between {} and max_position_emb {}", length,
                               min_seq_length, config.max_positions));
  }
  return length;
}

/// "prompt.query" holds the prompt "query".
constexpr std::string_view prompt_key = "prompt.";

std::vector<Prompt> read_prompts(std::span<const MetadataEntry> entries) {
  std::vector<Prompt> prompts = {{.name = "query", .text = {}}, {.name = "document", .text = {}}};
  for (const MetadataEntry& entry : entries) {
    if (!entry.key.starts_with(prompt_key)) continue;
    const std::string_view name = entry.key.substr(prompt_key.size());
    const auto known = std::ranges::find(prompts, name, &Prompt::name);
    Prompt& prompt = known == prompts.end() ? prompts.emplace_back(std::string(name)) : *known;
    prompt.text = entry.value;
  }
  return prompts;
}

/// The name of the prompt that is put before texts unless the caller says otherwise.
Result<std::string> read_default_prompt(const ModelConfig& config, const Values& values) {
  const MetadataEntry* entry = values.find("default_prompt_name");
  if (entry == nullptr) return std::string();
  const auto named = std::ranges::find(config.prompts, entry->value, &Prompt::name);
  if (named != config.prompts.end()) return named->name;
  return fail_at(ErrorCode::metadata_value, *entry,
                 fmt::format("there is no prompt '{}'", entry->value));
}

Result<std::uint32_t> read_dim(const ModelConfig& config, const Values& values) {
  const MetadataEntry* entry = values.find("truncate_dim");
  if (entry == nullptr) return config.hidden;
  const std::uint32_t dim = EMBD_TRY(Values::parse_number(*entry));
  if (dim >= 1 && dim <= config.hidden) return dim;
  return fail_at(ErrorCode::metadata_contradiction, *entry,
                 fmt::format("{} is not between 1 and hidden_size {}", dim, config.hidden));
}

}  // namespace

Result<ModelConfig> parse_config(std::span<const MetadataEntry> entries, std::uint64_t section_at) {
  const Values values(entries, section_at);
  ModelConfig config;
  config.name = EMBD_TRY(values.require("model_name")).value;
  config.version = EMBD_TRY(values.require("model_version")).value;
  EMBD_TRY(values.number("embedding_dim"));
  config.vocab_size = EMBD_TRY(values.number("vocab_size"));
  config.num_layers = EMBD_TRY(values.number("num_layers"));
  config.num_heads = EMBD_TRY(values.number("num_attention_heads"));
  config.hidden = EMBD_TRY(values.number("hidden_size"));
  config.intermediate = EMBD_TRY(values.number("intermediate_size"));
  config.max_positions = EMBD_TRY(values.number("max_position_emb"));
  config.created_at = EMBD_TRY(values.require("created_at")).value;

  EMBD_TRY(check_sizes(config, values));
  config.max_seq_length = EMBD_TRY(read_max_seq_length(config, values));
  if (const MetadataEntry* entry = values.find("layer_norm_eps")) {
    config.layer_norm_eps = EMBD_TRY(Values::parse_decimal(*entry));
  }
  config.pooling = EMBD_TRY(values.word("pooling", config.pooling, pooling_names));
  config.normalize = EMBD_TRY(values.word("normalize", config.normalize, booleans));
  config.do_lower_case = EMBD_TRY(values.word("do_lower_case", config.do_lower_case, booleans));
  config.truncation_side =
      EMBD_TRY(values.word("truncation_side", config.truncation_side, truncation_side_names));
  config.prompts = read_prompts(entries);
  config.default_prompt_name = EMBD_TRY(read_default_prompt(config, values));
  config.dim = EMBD_TRY(read_dim(config, values));
  if (const MetadataEntry* entry = values.find("similarity_fn_name"))
    config.similarity = entry->value;
  EMBD_TRY(values.word("hidden_act", true, activations));
  return config;
}

bool is_allowed(TensorRole role, ElementType type) noexcept {
  switch (type) {
    case ElementType::f32:
      return true;
    case ElementType::f16:
    case ElementType::bf16:
      return role != TensorRole::vector;
    case ElementType::i8:
      return role == TensorRole::matrix || role == TensorRole::word_table;
    default:
      return false;
  }
}

Result<void> for_each_required_tensor(
    const ModelConfig& config, const std::function<Result<void>(const RequiredTensor&)>& visit) {
  const std::uint32_t hidden = config.hidden;
  const std::uint32_t inner = config.intermediate;
  const auto layer_norm = [&](const std::string& prefix) -> Result<void> {
    EMBD_TRY(visit({prefix + "LayerNorm.weight", {hidden}, TensorRole::vector}));
    return visit({prefix + "LayerNorm.bias", {hidden}, TensorRole::vector});
  };
  const auto linear = [&](const std::string& prefix, std::uint32_t out,
                          std::uint32_t in) -> Result<void> {
    EMBD_TRY(visit({prefix + ".weight", {out, in}, TensorRole::matrix}));
    return visit({prefix + ".bias", {out}, TensorRole::vector});
  };

  EMBD_TRY(visit(
      {"embeddings.word_embeddings.weight", {config.vocab_size, hidden}, TensorRole::word_table}));
  EMBD_TRY(visit({"embeddings.position_embeddings.weight",
                  {config.max_positions, hidden},
                  TensorRole::table}));
  EMBD_TRY(visit({"embeddings.token_type_embeddings.weight", {2, hidden}, TensorRole::table}));
  EMBD_TRY(layer_norm("embeddings."));
  for (std::uint32_t layer = 0; layer < config.num_layers; ++layer) {
    const std::string prefix = fmt::format("encoder.layer.{}.", layer);
    EMBD_TRY(linear(prefix + "attention.self.query", hidden, hidden));
    EMBD_TRY(linear(prefix + "attention.self.key", hidden, hidden));
    EMBD_TRY(linear(prefix + "attention.self.value", hidden, hidden));
    EMBD_TRY(linear(prefix + "attention.output.dense", hidden, hidden));
    EMBD_TRY(layer_norm(prefix + "attention.output."));
    EMBD_TRY(linear(prefix + "intermediate.dense", inner, hidden));
    EMBD_TRY(linear(prefix + "output.dense", hidden, inner));
    EMBD_TRY(layer_norm(prefix + "output."));
  }
  return {};
}

}  // namespace embd
