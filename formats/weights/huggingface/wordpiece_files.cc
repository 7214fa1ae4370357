#include "formats/weights/huggingface/wordpiece_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "base/mapped_file.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/weights/huggingface/json_file.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// Everything in a folder that says how texts become ids. Those that are there.
struct TokenizerFiles {
  std::optional<JsonFile> config;       ///< tokenizer_config.json
  std::optional<JsonFile> tokenizer;    ///< tokenizer.json
  std::optional<JsonFile> special_map;  ///< special_tokens_map.json
  std::optional<JsonFile> added;        ///< added_tokens.json

  static Result<TokenizerFiles> read(const fs::path& folder) {
    TokenizerFiles files;
    files.config = EMBD_TRY(JsonFile::read_if_there(folder / "tokenizer_config.json"));
    files.tokenizer = EMBD_TRY(JsonFile::read_if_there(folder / "tokenizer.json"));
    files.special_map = EMBD_TRY(JsonFile::read_if_there(folder / "special_tokens_map.json"));
    files.added = EMBD_TRY(JsonFile::read_if_there(folder / "added_tokens.json"));
    return files;
  }
};

/// The five tokens that are cut out of a text wherever they stand in it.
struct SpecialNames {
  static constexpr auto usual = special_token_names(TokenizerKind::wordpiece);
  std::string pad{usual[0]};
  std::string unk{usual[1]};
  std::string cls{usual[2]};
  std::string sep{usual[3]};
  std::string mask{usual[4]};

  std::array<std::pair<std::string_view, std::string*>, 5> by_key() {
    return {{{"pad_token", &pad},
             {"unk_token", &unk},
             {"cls_token", &cls},
             {"sep_token", &sep},
             {"mask_token", &mask}}};
  }
  std::set<std::string> all() const { return {pad, unk, cls, sep, mask}; }
};

/// A member of an object, or null.
const json& member(const json& object, const char* key) {
  static const json null;
  if (!object.is_object()) return null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

/// A token as a string or as an object with its content; nothing for anything else.
std::optional<std::string> token_content(const json& token) {
  const json& content = token.is_object() ? member(token, "content") : token;
  if (!content.is_string()) return std::nullopt;
  return content.get<std::string>();
}

/// The engine cuts a special token out as it stands, in the text as it came.
Result<void> check_token_flags(const JsonFile& file, std::string_view key, const json& token) {
  for (const char* flag : {"lstrip", "rstrip", "single_word", "normalized"}) {
    if (member(token, flag) == true) {
      return std::unexpected(
          file.error(ErrorCode::unsupported, key, fmt::format("{} with {}", token.dump(), flag)));
    }
  }
  return {};
}

// ---- special and added tokens

/// The names of the special tokens under their keys, such as "cls_token".
Result<void> read_names(const JsonFile& file, SpecialNames& names) {
  for (const auto& [key, name] : names.by_key()) {
    const json& token = member(file.root(), std::string(key).c_str());
    if (token.is_null()) continue;
    const auto content = token_content(token);
    if (!content) return std::unexpected(file.error(ErrorCode::bad_type, key, "expected a token"));
    *name = *content;
  }
  return {};
}

/// Refuses a token that the tokenizer of the folder would cut out of texts and the engine not.
Result<void> check_token(const JsonFile& file, std::string_view key, const json& token,
                         const SpecialNames& names) {
  const auto content = token_content(token);
  if (!content) return std::unexpected(file.error(ErrorCode::bad_type, key, "expected a token"));
  EMBD_TRY(check_token_flags(file, key, token));
  if (names.all().contains(*content)) return {};
  return std::unexpected(
      file.error(ErrorCode::unsupported, key,
                 fmt::format("\"{}\", a token besides {}", *content, fmt::join(names.all(), " "))));
}

/// Tokens under keys such as "bos_token", and in lists.
Result<void> check_named_tokens(const JsonFile& file, const SpecialNames& names) {
  for (const auto& [key, value] : file.root().items()) {
    if (key.ends_with("_token") && token_content(value))
      EMBD_TRY(check_token(file, key, value, names));
    if (key != "additional_special_tokens" && key != "extra_special_tokens") continue;
    for (const json& token : value) EMBD_TRY(check_token(file, key, token, names));
  }
  return {};
}

Result<void> check_added_tokens(const TokenizerFiles& files, const SpecialNames& names) {
  if (files.config) EMBD_TRY(check_named_tokens(*files.config, names));
  if (files.config && files.config->has("added_tokens_decoder")) {
    for (const json& token : member(files.config->root(), "added_tokens_decoder"))
      EMBD_TRY(check_token(*files.config, "added_tokens_decoder", token, names));
    return {};
  }
  // Only without that list are the older files read.
  if (files.special_map) EMBD_TRY(check_named_tokens(*files.special_map, names));
  if (files.added) {
    for (const auto& [content, id] : files.added->root().items())
      EMBD_TRY(check_token(*files.added, content, content, names));
  }
  if (!files.tokenizer) return {};
  for (const json& token : member(files.tokenizer->root(), "added_tokens"))
    EMBD_TRY(check_token(*files.tokenizer, "added_tokens", token, names));
  return {};
}

/// A general tokenizer cuts out only what it lists: each of the five names must be there.
Result<void> check_all_listed(const TokenizerFiles& files, const SpecialNames& names) {
  std::set<std::string> listed;
  const auto add = [&](const json& token) {
    if (auto content = token_content(token)) listed.insert(*std::move(content));
  };
  for (const auto* file : {&files.config, &files.special_map}) {
    if (!*file) continue;
    for (const auto& [key, value] : (*file)->root().items()) {
      if (key.ends_with("_token")) add(value);
    }
  }
  for (const json& token : member(files.tokenizer->root(), "added_tokens")) add(token);
  for (const std::string& name : names.all()) {
    if (listed.contains(name)) continue;
    return std::unexpected(files.tokenizer->error(ErrorCode::unsupported, "added_tokens",
                                                  fmt::format("{} is not among them", name)));
  }
  return {};
}

// ---- vocabulary

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
  const json& model = member(file.root(), "model");
  const json& type = member(model, "type");
  const json& vocab = member(model, "vocab");
  if ((type != "WordPiece" && !type.is_null()) || !vocab.is_object()) {
    return std::unexpected(
        file.error(ErrorCode::unsupported, "model",
                   fmt::format("{}, expected a WordPiece vocabulary", type.dump())));
  }
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

Result<void> check_vocab(const std::vector<std::string>& vocab, const fs::path& path) {
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

Result<SpecialTokenIds> find_special(const std::vector<std::string>& vocab,
                                     const SpecialNames& names, const fs::path& path) {
  const auto id_of = [&](std::string_view token) -> Result<std::int32_t> {
    const auto found = std::ranges::find(vocab, token);
    if (found == vocab.end())
      return fail_in(path, ErrorCode::missing, fmt::format("token {}", token));
    return static_cast<std::int32_t>(found - vocab.begin());
  };
  return SpecialTokenIds{.pad = EMBD_TRY(id_of(names.pad)),
                         .unk = EMBD_TRY(id_of(names.unk)),
                         .cls = EMBD_TRY(id_of(names.cls)),
                         .sep = EMBD_TRY(id_of(names.sep)),
                         .mask = EMBD_TRY(id_of(names.mask))};
}

// ---- rules

/// The engine strips accents where it lowers case and always sets ideographs apart.
Result<bool> check_rules(const JsonFile& file, std::optional<bool> lower_case,
                         std::optional<bool> strip_accents, std::optional<bool> ideographs,
                         bool lower_case_by_default) {
  const bool lowers = lower_case.value_or(lower_case_by_default);
  if (strip_accents.value_or(lowers) != lowers) {
    return std::unexpected(
        file.error(ErrorCode::unsupported, "strip_accents",
                   fmt::format("{}, expected the same as lower case, {}", *strip_accents, lowers)));
  }
  if (!ideographs.value_or(true)) {
    return std::unexpected(file.error(ErrorCode::unsupported, "tokenize_chinese_chars",
                                      "false, expected ideographs to be tokens"));
  }
  return lowers;
}

Result<bool> bert_rules(const std::optional<JsonFile>& config) {
  if (!config) return true;
  return check_rules(*config, EMBD_TRY(config->flag_if_there("do_lower_case")),
                     EMBD_TRY(config->flag_if_there("strip_accents")),
                     EMBD_TRY(config->flag_if_there("tokenize_chinese_chars")), true);
}

std::optional<bool> flag_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_boolean()) return std::nullopt;
  return value.get<bool>();
}

/// A part of tokenizer.json that must be of one type.
Result<const json*> part_of_type(const JsonFile& file, const char* key, const char* type) {
  const json& part = member(file.root(), key);
  if (member(part, "type") == type) return &part;
  return std::unexpected(
      file.error(ErrorCode::unsupported, key,
                 fmt::format("{}, expected {}", member(part, "type").dump(), type)));
}

/// One token before a text and one behind it, all of token type 0.
Result<void> read_template(const JsonFile& file, SpecialNames& names) {
  const json& part = member(file.root(), "post_processor");
  if (member(part, "type") == "BertProcessing") {
    const json& cls = member(part, "cls");
    const json& sep = member(part, "sep");
    if (cls.is_array() && !cls.empty() && cls[0].is_string() && sep.is_array() && !sep.empty() &&
        sep[0].is_string()) {
      names.cls = cls[0].get<std::string>();
      names.sep = sep[0].get<std::string>();
      return {};
    }
  }
  const json& single = member(part, "single");
  const auto special = [&](std::size_t i) {
    const json& token = member(single[i], "SpecialToken");
    const json& id = member(token, "id");
    return member(token, "type_id") == 0 && id.is_string() ? id.get<std::string>() : std::string();
  };
  if (single.is_array() && single.size() == 3 && !special(0).empty() && !special(2).empty() &&
      member(single[1], "Sequence") == json({{"id", "A"}, {"type_id", 0}})) {
    names.cls = special(0);
    names.sep = special(2);
    return {};
  }
  return std::unexpected(file.error(ErrorCode::unsupported, "post_processor",
                                    "expected one token before and one behind a text"));
}

/// The rules of a tokenizer.json that is taken as it is, and the names in it.
Result<bool> general_rules(const JsonFile& file, SpecialNames& names) {
  const json& normalizer = *EMBD_TRY(part_of_type(file, "normalizer", "BertNormalizer"));
  EMBD_TRY(part_of_type(file, "pre_tokenizer", "BertPreTokenizer"));
  const json& model = *EMBD_TRY(part_of_type(file, "model", "WordPiece"));
  if (!flag_of(normalizer, "clean_text").value_or(true)) {
    return std::unexpected(
        file.error(ErrorCode::unsupported, "normalizer", "clean_text false, expected true"));
  }
  if (member(model, "continuing_subword_prefix") != "##" ||
      member(model, "max_input_chars_per_word") != 100) {
    return std::unexpected(file.error(ErrorCode::unsupported, "model",
                                      "expected \"##\" before the parts of a word, and words of at "
                                      "most 100 characters"));
  }
  EMBD_TRY(read_template(file, names));
  if (const auto unknown = token_content(member(model, "unk_token"))) names.unk = *unknown;
  return check_rules(file, flag_of(normalizer, "lowercase"), flag_of(normalizer, "strip_accents"),
                     flag_of(normalizer, "handle_chinese_chars"), true);
}

/// "BertTokenizer" for BertTokenizerFast.
Result<std::string> find_class(const TokenizerFiles& files, std::string_view by_encoder) {
  std::string name(by_encoder);
  if (files.config) {
    name = EMBD_TRY(files.config->text_if_there("tokenizer_class")).value_or(name);
    for (const char* key : {"auto_map", "split_special_tokens"}) {
      EMBD_TRY(files.config->require_unset(key));
    }
  }
  if (name.ends_with("Fast")) name.resize(name.size() - std::string_view("Fast").size());
  return name.empty() ? "BertTokenizer" : name;
}

Result<TruncationSide> read_side(const TokenizerFiles& files) {
  std::optional<std::string> side;
  if (files.config) side = EMBD_TRY(files.config->text_if_there("truncation_side"));
  if (!side && files.tokenizer) {
    const json& direction = member(member(files.tokenizer->root(), "truncation"), "direction");
    if (direction.is_string()) side = direction.get<std::string>();
  }
  if (!side || *side == "right" || *side == "Right") return TruncationSide::right;
  if (*side == "left" || *side == "Left") return TruncationSide::left;
  const JsonFile& file = files.config ? *files.config : *files.tokenizer;
  return std::unexpected(
      file.error(ErrorCode::bad_value, "truncation_side", *side + ", expected right or left"));
}

}  // namespace

Result<std::vector<std::string>> read_vocab(const fs::path& path) {
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

Result<WordPieceFiles> read_wordpiece_files(const fs::path& folder,
                                            std::string_view tokenizer_class) {
  const TokenizerFiles files = EMBD_TRY(TokenizerFiles::read(folder));
  const std::string name = EMBD_TRY(find_class(files, tokenizer_class));
  const bool is_bert = name == "BertTokenizer" || name == "DistilBertTokenizer";
  if (!is_bert && name != "PreTrainedTokenizer" && name != "TokenizersBackend") {
    return fail_in(folder / "tokenizer_config.json", ErrorCode::unsupported,
                   fmt::format("tokenizer_class: {}, expected WordPiece, BertTokenizer", name));
  }
  const fs::path vocab_path = folder / (files.tokenizer ? "tokenizer.json" : "vocab.txt");
  WordPieceFiles result;
  SpecialNames names;
  if (is_bert) {
    result.lower_case = EMBD_TRY(bert_rules(files.config));
  } else if (files.tokenizer) {
    result.lower_case = EMBD_TRY(general_rules(*files.tokenizer, names));
  } else {
    return fail_in(folder, ErrorCode::missing, name + " needs a tokenizer.json");
  }
  if (files.config) EMBD_TRY(read_names(*files.config, names));
  if (files.special_map && !(files.config && files.config->has("added_tokens_decoder")))
    EMBD_TRY(read_names(*files.special_map, names));
  EMBD_TRY(check_added_tokens(files, names));
  if (!is_bert) EMBD_TRY(check_all_listed(files, names));

  if (files.tokenizer) {
    result.vocab = EMBD_TRY(vocab_of_tokenizer(*files.tokenizer));
    EMBD_TRY(check_vocab(result.vocab, vocab_path));
  } else {
    result.vocab = EMBD_TRY(read_vocab(vocab_path));
  }
  result.special = EMBD_TRY(find_special(result.vocab, names, vocab_path));
  result.truncation_side = EMBD_TRY(read_side(files));
  if (files.config)
    result.model_max_length = EMBD_TRY(files.config->number_if_there("model_max_length"));
  return result;
}

}  // namespace embd::huggingface
