#include "formats/weights/huggingface/tokenizer_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "base/try.h"
#include "base/utf8.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// Checks the flags of a special token. embd recognizes it only exactly as it is written, in the
/// text before it is normalized.
Result<void> check_token_flags(const JsonFile& file, std::string_view key, const json& token,
                               std::string_view allowed) {
  for (const std::string_view flag : {"lstrip", "rstrip", "single_word", "normalized"}) {
    if (flag != allowed && member(token, std::string(flag).c_str()) == true) {
      return std::unexpected(
          file.error(ErrorCode::unsupported, key, fmt::format("{} with {}", token.dump(), flag)));
    }
  }
  return {};
}

Result<void> read_names_of(const JsonFile& file, SpecialNames& names) {
  for (const auto& [key, name] : names.by_key()) {
    const json& token = member(file.root(), std::string(key).c_str());
    if (token.is_null()) continue;
    const auto content = token_content(token);
    if (!content) return std::unexpected(file.error(ErrorCode::bad_type, key, "expected a token"));
    *name = *content;
  }
  return {};
}

/// Refuses a token that the folder's tokenizer would recognize in texts and embd would not.
Result<void> check_token(const JsonFile& file, std::string_view key, const json& token,
                         const AllowedTokens& allowed) {
  const SpecialNames& names = allowed.names;
  const auto content = token_content(token);
  if (!content) return std::unexpected(file.error(ErrorCode::bad_type, key, "expected a token"));
  const bool is_normalized = !allowed.normalized.empty() && *content == allowed.normalized;
  const bool may_strip = allowed.mask_may_strip && *content == names.mask;
  EMBD_TRY(check_token_flags(file, key, token,
                             is_normalized ? "normalized"
                             : may_strip   ? "lstrip"
                                           : ""));
  if (is_normalized || names.all().contains(*content)) return {};
  return std::unexpected(
      file.error(ErrorCode::unsupported, key,
                 fmt::format("\"{}\", a token besides {}", *content, fmt::join(names.all(), " "))));
}

/// Checks the tokens under keys such as "bos_token", and in lists.
Result<void> check_named_tokens(const JsonFile& file, const AllowedTokens& allowed) {
  for (const auto& [key, value] : file.root().items()) {
    if (key.ends_with("_token") && token_content(value))
      EMBD_TRY(check_token(file, key, value, allowed));
    if (key != "additional_special_tokens" && key != "extra_special_tokens") continue;
    for (const json& token : value) EMBD_TRY(check_token(file, key, token, allowed));
  }
  return {};
}

}  // namespace

// ---- the files

Result<TokenizerFiles> TokenizerFiles::read(const fs::path& folder) {
  TokenizerFiles files;
  files.folder = folder;
  files.config = EMBD_TRY(JsonFile::read_if_there(folder / "tokenizer_config.json"));
  files.tokenizer = EMBD_TRY(JsonFile::read_if_there(folder / "tokenizer.json"));
  files.special_map = EMBD_TRY(JsonFile::read_if_there(folder / "special_tokens_map.json"));
  files.added = EMBD_TRY(JsonFile::read_if_there(folder / "added_tokens.json"));
  return files;
}

Result<std::string> TokenizerFiles::class_name(std::string_view by_encoder) const {
  std::string name(by_encoder);
  if (config) {
    name = EMBD_TRY(config->text_if_there("tokenizer_class")).value_or(name);
    for (const char* key : {"auto_map", "split_special_tokens"}) {
      EMBD_TRY(config->require_unset(key));
    }
  }
  if (name.ends_with("Fast")) name.resize(name.size() - std::string_view("Fast").size());
  return name;
}

Result<TruncationSide> TokenizerFiles::truncation_side() const {
  std::optional<std::string> side;
  if (config) side = EMBD_TRY(config->text_if_there("truncation_side"));
  if (!side && tokenizer) {
    const json& direction = member(member(tokenizer->root(), "truncation"), "direction");
    if (direction.is_string()) side = direction.get<std::string>();
  }
  if (!side || *side == "right" || *side == "Right") return TruncationSide::right;
  if (*side == "left" || *side == "Left") return TruncationSide::left;
  const JsonFile& file = config ? *config : *tokenizer;
  return std::unexpected(
      file.error(ErrorCode::bad_value, "truncation_side", *side + ", expected right or left"));
}

Result<std::optional<double>> TokenizerFiles::model_max_length() const {
  if (!config) return std::nullopt;
  return config->number_if_there("model_max_length");
}

// ---- special and added tokens

SpecialNames::SpecialNames(TokenizerKind kind) {
  const auto usual = special_token_names(kind);
  pad = usual[0];
  unk = usual[1];
  cls = usual[2];
  sep = usual[3];
  mask = usual[4];
}

std::array<std::pair<std::string_view, std::string*>, 5> SpecialNames::by_key() {
  return {{{"pad_token", &pad},
           {"unk_token", &unk},
           {"cls_token", &cls},
           {"sep_token", &sep},
           {"mask_token", &mask}}};
}

void SpecialNames::keep_listed(const JsonFile& tokenizer) {
  const json& tokens = member(tokenizer.root(), "added_tokens");
  for (auto& [key, name] : by_key()) {
    const bool is_listed = std::ranges::any_of(
        tokens, [&](const json& token) { return token_content(token) == *name; });
    if (!is_listed) *name = unk;
  }
}

Result<void> read_names(const TokenizerFiles& files, SpecialNames& names) {
  if (files.config) EMBD_TRY(read_names_of(*files.config, names));
  if (files.special_map && !(files.config && files.config->has("added_tokens_decoder")))
    EMBD_TRY(read_names_of(*files.special_map, names));
  return {};
}

Result<void> check_added_tokens(const TokenizerFiles& files, const AllowedTokens& allowed) {
  if (files.config) EMBD_TRY(check_named_tokens(*files.config, allowed));
  if (files.config && files.config->has("added_tokens_decoder")) {
    for (const json& token : member(files.config->root(), "added_tokens_decoder"))
      EMBD_TRY(check_token(*files.config, "added_tokens_decoder", token, allowed));
    return {};
  }
  // The older files are read only if there is no such list.
  if (files.special_map) EMBD_TRY(check_named_tokens(*files.special_map, allowed));
  if (files.added) {
    for (const auto& [content, id] : files.added->root().items())
      EMBD_TRY(check_token(*files.added, content, content, allowed));
  }
  if (!files.tokenizer) return {};
  for (const json& token : member(files.tokenizer->root(), "added_tokens"))
    EMBD_TRY(check_token(*files.tokenizer, "added_tokens", token, allowed));
  return {};
}

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

Result<void> check_vocab(const std::vector<std::string>& vocab, const fs::path& path) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(vocab.size());
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
      return fail_in(path, ErrorCode::missing,
                     fmt::format("the vocabulary does not contain the special token {}", token));
    return static_cast<std::int32_t>(found - vocab.begin());
  };
  SpecialTokenIds ids;
  ids.pad = EMBD_TRY(id_of(names.pad));
  ids.unk = EMBD_TRY(id_of(names.unk));
  ids.cls = EMBD_TRY(id_of(names.cls));
  ids.sep = EMBD_TRY(id_of(names.sep));
  ids.mask = EMBD_TRY(id_of(names.mask));
  return ids;
}

// ---- members of JSON objects

const json& member(const json& object, const char* key) {
  static const json null;
  if (!object.is_object()) return null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

std::optional<bool> flag_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_boolean()) return std::nullopt;
  return value.get<bool>();
}

std::optional<std::string> token_content(const json& token) {
  const json& content = token.is_object() ? member(token, "content") : token;
  if (!content.is_string()) return std::nullopt;
  return content.get<std::string>();
}

}  // namespace embd::huggingface
