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

constexpr std::string_view xlm_roberta = "xlm-roberta";

Result<void> check_architecture(const JsonFile& file, const std::string& type) {
  if (type != "bert" && type != xlm_roberta) {
    return std::unexpected(file.error(ErrorCode::unsupported, "model_type",
                                      fmt::format("{}, expected a BERT encoder, bert or {}",
                                                  architecture_of(file, type), xlm_roberta)));
  }
  // Both names mean exact GELU, computed with the error function.
  static constexpr auto activations = std::to_array<std::string_view>({"gelu", "gelu_python"});
  static constexpr auto positions = std::to_array<std::string_view>({"absolute"});
  EMBD_TRY(require_word(file, "hidden_act", activations));
  EMBD_TRY(require_word(file, "position_embedding_type", positions));
  for (const char* key : {"is_decoder", "add_cross_attention", "auto_map", "quantization_config"}) {
    EMBD_TRY(file.require_unset(key));
  }
  return {};
}

/// Reads the two settings that differ from BERT: the position of the first token, and the number of
/// token types.
Result<void> read_xlm_roberta(const JsonFile& file, ModelSpec& sizes, BertConfig& config) {
  const auto padding = EMBD_TRY(file.number_if_there("pad_token_id")).value_or(1);
  if (!(padding >= 0 && padding + 1 < sizes.max_positions && std::trunc(padding) == padding)) {
    return std::unexpected(file.error(ErrorCode::bad_value, "pad_token_id",
                                      fmt::format("{}, expected a token before the first of {} "
                                                  "positions",
                                                  padding, sizes.max_positions)));
  }
  config.padding = static_cast<std::int32_t>(padding);
  sizes.position_offset = static_cast<std::uint32_t>(padding) + 1;
  sizes.token_types = EMBD_TRY(file.positive("type_vocab_size"));
  if (config.tokenizer_class.empty()) config.tokenizer_class = "XLMRobertaTokenizer";
  return {};
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

/// The heads of BERT and XLM-RoBERTa are both a linear step, tanh and another linear step; only the
/// names of their tensors differ.
bool BertConfig::has_classifier() const {
  return architecture == "BertForSequenceClassification" ||
         architecture == "XLMRobertaForSequenceClassification" ||
         architecture == "RobertaForSequenceClassification";
}

Result<BertConfig> read_bert_config(const std::filesystem::path& folder) {
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / "config.json"));
  const std::string type = EMBD_TRY(file.text_if_there("model_type")).value_or("bert");
  EMBD_TRY(check_architecture(file, type));
  ModelSpec sizes;
  sizes.hidden = EMBD_TRY(file.positive("hidden_size"));
  sizes.num_layers = EMBD_TRY(file.positive("num_hidden_layers"));
  sizes.num_heads = EMBD_TRY(file.positive("num_attention_heads"));
  sizes.intermediate = EMBD_TRY(file.positive("intermediate_size"));
  sizes.vocab_size = EMBD_TRY(file.positive("vocab_size"));
  sizes.max_positions = EMBD_TRY(file.positive("max_position_embeddings"));
  if (sizes.hidden % sizes.num_heads != 0) {
    return std::unexpected(file.error(
        ErrorCode::bad_value, "num_attention_heads",
        fmt::format("{} does not divide hidden_size {}", sizes.num_heads, sizes.hidden)));
  }
  sizes.layer_norm_eps =
      EMBD_TRY(file.number_if_there("layer_norm_eps")).value_or(sizes.layer_norm_eps);
  if (!(sizes.layer_norm_eps > 0 && sizes.layer_norm_eps < 1))
    return std::unexpected(file.error(ErrorCode::bad_value, "layer_norm_eps", "expected 0 to 1"));
  BertConfig config;
  config.architecture = first_architecture(file);
  config.name_or_path = free_text(file, "_name_or_path");
  config.tokenizer_class = EMBD_TRY(file.text_if_there("tokenizer_class")).value_or("");
  if (type == xlm_roberta) EMBD_TRY(read_xlm_roberta(file, sizes, config));
  config.sizes = StatedSizes(std::move(sizes));
  return config;
}

}  // namespace embd::huggingface
