#include "formats/huggingface/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/huggingface/json_file.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;

Result<void> check_architecture(const JsonFile& config) {
  const auto type = EMBD_TRY(config.text_if_there("model_type"));
  if (type.value_or("bert") != "bert")
    return std::unexpected(
        config.error(ErrorCode::unsupported, "model_type", *type + ", expected bert"));
  const auto activation = EMBD_TRY(config.text_if_there("hidden_act"));
  if (activation.value_or("gelu") != "gelu") {
    return std::unexpected(config.error(ErrorCode::unsupported, "hidden_act",
                                        *activation + ", expected gelu, the exact one"));
  }
  const auto positions = EMBD_TRY(config.text_if_there("position_embedding_type"));
  if (positions.value_or("absolute") != "absolute") {
    return std::unexpected(config.error(ErrorCode::unsupported, "position_embedding_type",
                                        *positions + ", expected absolute"));
  }
  return {};
}

Result<ModelConfig> read_config(const std::filesystem::path& folder) {
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / "config.json"));
  EMBD_TRY(check_architecture(file));
  ModelConfig config;
  config.hidden = EMBD_TRY(file.positive("hidden_size"));
  config.num_layers = EMBD_TRY(file.positive("num_hidden_layers"));
  config.num_heads = EMBD_TRY(file.positive("num_attention_heads"));
  config.intermediate = EMBD_TRY(file.positive("intermediate_size"));
  config.vocab_size = EMBD_TRY(file.positive("vocab_size"));
  config.max_positions = EMBD_TRY(file.positive("max_position_embeddings"));
  if (config.hidden % config.num_heads != 0) {
    return std::unexpected(file.error(
        ErrorCode::bad_value, "num_attention_heads",
        fmt::format("{} does not divide hidden_size {}", config.num_heads, config.hidden)));
  }
  config.layer_norm_eps = EMBD_TRY(file.number_if_there("layer_norm_eps")).value_or(1e-12);
  if (!(config.layer_norm_eps > 0 && config.layer_norm_eps < 1))
    return std::unexpected(file.error(ErrorCode::bad_value, "layer_norm_eps", "expected 0 to 1"));
  return config;
}

/// 256 is the limit of most sentence models that do not state theirs.
constexpr std::uint32_t usual_max_seq_length = 256;

Result<void> read_sentence_settings(const std::filesystem::path& folder, ModelConfig& config) {
  config.max_seq_length = std::min(usual_max_seq_length, config.max_positions);
  if (const auto file = EMBD_TRY(JsonFile::read_if_there(folder / "sentence_bert_config.json"));
      file && file->root().contains("max_seq_length")) {
    config.max_seq_length = EMBD_TRY(file->positive("max_seq_length"));
    if (config.max_seq_length < 3 || config.max_seq_length > config.max_positions) {
      return std::unexpected(file->error(
          ErrorCode::bad_value, "max_seq_length",
          fmt::format("{}, expected 3 to {}", config.max_seq_length, config.max_positions)));
    }
  }
  return {};
}

/// The tokenizer strips accents where it lowers case and always splits Chinese characters; a folder
/// that wants it otherwise would get other ids than it expects.
Result<void> read_tokenizer_settings(const std::filesystem::path& folder, ModelConfig& config) {
  const auto file = EMBD_TRY(JsonFile::read_if_there(folder / "tokenizer_config.json"));
  if (!file) return {};
  config.do_lower_case = EMBD_TRY(file->flag_if_there("do_lower_case")).value_or(true);
  const auto strips = EMBD_TRY(file->flag_if_there("strip_accents"));
  if (strips.value_or(config.do_lower_case) != config.do_lower_case) {
    return std::unexpected(file->error(
        ErrorCode::unsupported, "strip_accents",
        fmt::format("{}, expected the same as do_lower_case, {}", *strips, config.do_lower_case)));
  }
  if (!EMBD_TRY(file->flag_if_there("tokenize_chinese_chars")).value_or(true)) {
    return std::unexpected(
        file->error(ErrorCode::unsupported, "tokenize_chinese_chars", "false, expected true"));
  }
  return {};
}

Result<void> read_pooling(const std::filesystem::path& folder, ModelConfig& config) {
  const auto file = EMBD_TRY(JsonFile::read_if_there(folder / "1_Pooling" / "config.json"));
  if (!file) return {};
  std::vector<Pooling> chosen;
  for (const auto& [key, pooling] : {std::pair{"pooling_mode_mean_tokens", Pooling::mean},
                                     std::pair{"pooling_mode_cls_token", Pooling::cls},
                                     std::pair{"pooling_mode_max_tokens", Pooling::max}}) {
    if (EMBD_TRY(file->flag_if_there(key)).value_or(false)) chosen.push_back(pooling);
  }
  const auto modes = std::ranges::count_if(file->root().items(), [](const auto& item) {
    return item.key().starts_with("pooling_mode_") && item.value() == true;
  });
  if (chosen.size() != 1 || modes != 1) {
    return std::unexpected(file->error(
        ErrorCode::unsupported, "pooling_mode",
        fmt::format("{} modes are on, expected one of mean, cls and max alone", modes)));
  }
  config.pooling = chosen.front();
  return {};
}

/// The last word of a module's type, such as "Pooling"; empty if it has none.
std::string_view module_kind(const json& module) {
  if (!module.is_object() || !module.contains("type") || !module["type"].is_string()) return {};
  const std::string_view type = module["type"].get_ref<const std::string&>();
  return type.substr(type.rfind('.') + 1);
}

/// A folder without modules.json is a bare encoder, whose vectors are compared by their direction.
Result<void> read_modules(const std::filesystem::path& folder, ModelConfig& config) {
  std::error_code error;
  const std::filesystem::path path = folder / "modules.json";
  if (!std::filesystem::exists(path, error)) return {};
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  const auto modules = parse_json(as_text(file.bytes()));
  if (!modules) return std::unexpected(Error(modules.error()).in_file(path.native()));
  if (!modules->is_array())
    return std::unexpected(Error(ErrorCode::bad_json, "expected an array").in_file(path.native()));
  config.normalize = false;
  for (const json& module : *modules) {
    const std::string_view kind = module_kind(module);
    if (kind == "Normalize") config.normalize = true;
    if (kind == "Normalize" || kind == "Pooling" || kind == "Transformer") continue;
    return std::unexpected(Error(ErrorCode::unsupported,
                                 fmt::format("type: {}, expected Transformer, Pooling or Normalize",
                                             module.is_object() ? module.dump() : "no module"))
                               .in_file(path.native()));
  }
  return {};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Token → id, every id from 0 to their number once.
Result<std::vector<std::string>> vocab_of_tokenizer(const JsonFile& file) {
  const json& root = file.root();
  const auto model = root.find("model");
  if (model == root.end() || !model->is_object() || !model->contains("type") ||
      (*model)["type"] != "WordPiece" || !model->contains("vocab") ||
      !(*model)["vocab"].is_object()) {
    return std::unexpected(
        file.error(ErrorCode::unsupported, "model", "expected a WordPiece vocabulary"));
  }
  const json& vocab = (*model)["vocab"];
  std::vector<std::string> tokens(vocab.size());
  std::vector<bool> seen(vocab.size());
  for (const auto& [token, id] : vocab.items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= tokens.size() ||
        seen[id.get<std::uint64_t>()]) {
      return std::unexpected(
          file.error(ErrorCode::bad_value, "vocab",
                     fmt::format("id {} of \"{}\", expected each of 0 to {} once", id.dump(), token,
                                 tokens.size() - 1)));
    }
    seen[id.get<std::uint64_t>()] = true;
    tokens[id.get<std::uint64_t>()] = token;
  }
  return tokens;
}

Result<void> check_vocab(const std::vector<std::string>& vocab, const std::filesystem::path& path) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t id = 0; id < vocab.size(); ++id) {
    if (find_invalid_utf8(vocab[id]))
      return std::unexpected(
          Error(ErrorCode::invalid_utf8, "token").at_line(id + 1).in_file(path.native()));
    if (!seen.insert(vocab[id]).second) {
      return std::unexpected(Error(ErrorCode::duplicate_token, fmt::format("\"{}\"", vocab[id]))
                                 .at_line(id + 1)
                                 .in_file(path.native()));
    }
  }
  return {};
}

Result<SpecialTokens> find_special(const std::vector<std::string>& vocab,
                                   const std::filesystem::path& path) {
  const auto id_of = [&](std::string_view token) -> Result<std::uint32_t> {
    const auto found = std::ranges::find(vocab, token);
    if (found == vocab.end())
      return std::unexpected(
          Error(ErrorCode::missing, fmt::format("token {}", token)).in_file(path.native()));
    return static_cast<std::uint32_t>(found - vocab.begin());
  };
  return SpecialTokens{.pad = EMBD_TRY(id_of("[PAD]")),
                       .unk = EMBD_TRY(id_of("[UNK]")),
                       .cls = EMBD_TRY(id_of("[CLS]")),
                       .sep = EMBD_TRY(id_of("[SEP]")),
                       .mask = EMBD_TRY(id_of("[MASK]"))};
}

}  // namespace

Result<std::vector<std::string>> read_vocab(const std::filesystem::path& path) {
  std::vector<std::string> vocab;
  if (path.extension() == ".json") {
    vocab = EMBD_TRY(vocab_of_tokenizer(EMBD_TRY(JsonFile::read(path))));
  } else {
    const MappedFile file = EMBD_TRY(MappedFile::open(path));
    vocab = lines_of(as_text(file.bytes()));
  }
  EMBD_TRY(check_vocab(vocab, path));
  return vocab;
}

Result<ModelFolder> read_model_folder(const std::filesystem::path& folder) {
  ModelFolder model;
  model.config = EMBD_TRY(read_config(folder));
  EMBD_TRY(read_sentence_settings(folder, model.config));
  EMBD_TRY(read_tokenizer_settings(folder, model.config));
  EMBD_TRY(read_pooling(folder, model.config));
  EMBD_TRY(read_modules(folder, model.config));

  std::error_code error;
  const std::filesystem::path lines = folder / "vocab.txt";
  const std::filesystem::path vocab_path =
      std::filesystem::exists(lines, error) ? lines : folder / "tokenizer.json";
  model.vocab = EMBD_TRY(read_vocab(vocab_path));
  if (model.vocab.size() != model.config.vocab_size) {
    return std::unexpected(
        Error(ErrorCode::vocabulary_count, fmt::format("{} tokens, config.json says {}",
                                                       model.vocab.size(), model.config.vocab_size))
            .in_file(vocab_path.native()));
  }
  model.special = EMBD_TRY(find_special(model.vocab, vocab_path));
  return model;
}

}  // namespace embd::huggingface
