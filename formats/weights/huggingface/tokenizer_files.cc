#include "formats/weights/huggingface/tokenizer_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/decimal.h"
#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

Result<void> read_names_of(const JsonFile& file, SpecialNames& names) {
  for (const auto& [key, name] : names.by_key()) {
    const json& token = member(file.root(), std::string(key).c_str());
    if (token.is_null()) continue;
    const auto content = token_content(token);
    if (!content) return file.fail(ErrorCode::bad_type, key, "expected a token");
    *name = *content;
  }
  return {};
}

/// A token of one of the lists of a folder.
struct ListedToken {
  std::string content;
  AddedToken rules;
  std::optional<std::uint64_t> id;  ///< The id that the list states.
  const JsonFile* file = nullptr;
  std::string key;
};

/// Collects the tokens that a folder adds, as transformers 5 reads them.
class TokenList {
 public:
  TokenList(const TokenizerFiles& files, const SpecialNames& names)
      : files_(files), names_(names.all()) {}

  Result<std::vector<ListedToken>> read(TokenLists lists) {
    const bool has_decoder = files_.config && files_.config->has(decoder_key);
    if (!has_decoder || lists == TokenLists::of_tokenizer_json) EMBD_TRY(read_tokenizer_json());
    if (has_decoder) {
      EMBD_TRY(read_decoder());
    } else {
      EMBD_TRY(read_added_tokens_json());
    }
    std::ranges::stable_sort(tokens_, {}, [](const ListedToken& token) {
      return token.id.value_or(std::numeric_limits<std::uint64_t>::max());
    });
    for (std::size_t i = 0; i < tokens_.size(); ++i) places_[tokens_[i].content] = i;
    // The older files are read only if there is no such list. Their words win.
    if (!has_decoder && files_.special_map) EMBD_TRY(read_named(*files_.special_map));
    if (files_.config) EMBD_TRY(read_named(*files_.config));
    for (const std::string& name : names_) put({.content = name, .rules = {}, .id = {}});
    return std::move(tokens_);
  }

 private:
  static constexpr const char* decoder_key = "added_tokens_decoder";

  /// Adds a token, or replaces the rules of a token that is there already if `wins`.
  void put(ListedToken token, bool wins = false) {
    if (names_.contains(token.content)) token.rules.special = true;
    const auto [place, is_new] = places_.try_emplace(token.content, tokens_.size());
    if (is_new) {
      tokens_.push_back(std::move(token));
    } else if (wins) {
      tokens_[place->second] = std::move(token);
    }
  }

  Result<ListedToken> read_token(const JsonFile& file, std::string_view key, const json& token,
                                 const json& id) {
    ListedToken read = {
        .content = {}, .rules = {}, .id = {}, .file = &file, .key = std::string(key)};
    auto content = token_content(token);
    if (!content) return file.fail(ErrorCode::bad_type, key, "expected a token");
    read.content = *std::move(content);
    if (id.is_number_unsigned()) read.id = id.get<std::uint64_t>();
    if (!token.is_object()) return read;
    read.rules = {.normalized = flag_of(token, "normalized").value_or(false),
                  .lstrip = flag_of(token, "lstrip").value_or(false),
                  .rstrip = flag_of(token, "rstrip").value_or(false),
                  .single_word = flag_of(token, "single_word").value_or(false),
                  .special = flag_of(token, "special").value_or(false)};
    return read;
  }

  std::unexpected<Error> no_id(const JsonFile& file, std::string_view key, const json& id) const {
    return file.fail(ErrorCode::bad_type, key, "{}, expected the id of a token", id.dump());
  }

  Result<void> read_tokenizer_json() {
    if (!files_.tokenizer) return {};
    constexpr const char* key = "added_tokens";
    for (const json& token : member(files_.tokenizer->root(), key)) {
      const json& id = member(token, "id");
      put(EMBD_TRY(read_token(*files_.tokenizer, key, token, id)));
    }
    return {};
  }

  /// Reads the list of tokenizer_config.json, whose keys are the ids.
  Result<void> read_decoder() {
    for (const auto& [text, token] : member(files_.config->root(), decoder_key).items()) {
      const auto id = whole_number<std::uint64_t>(text);
      if (!id) return no_id(*files_.config, decoder_key, text);
      put(EMBD_TRY(read_token(*files_.config, decoder_key, token, *id)), true);
    }
    return {};
  }

  Result<void> read_added_tokens_json() {
    if (!files_.added) return {};
    for (const auto& [content, id] : files_.added->root().items()) {
      if (!id.is_number_unsigned()) return no_id(*files_.added, content, id);
      const bool is_special = names_.contains(content);
      put({.content = content,
           .rules = {.normalized = !is_special, .special = is_special},
           .id = id.get<std::uint64_t>(),
           .file = &*files_.added,
           .key = content});
    }
    return {};
  }

  /// Reads the tokens under keys such as "bos_token", and those in lists.
  Result<void> read_named(const JsonFile& file) {
    for (const auto& [key, value] : file.root().items()) {
      if (!key.ends_with("_token") || !token_content(value)) continue;
      put(EMBD_TRY(read_token(file, key, value, {})));
    }
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      for (const json& token : member(file.root(), key)) {
        ListedToken read = EMBD_TRY(read_token(file, key, token, {}));
        read.rules.special = true;
        put(std::move(read));
      }
    }
    return {};
  }

  const TokenizerFiles& files_;
  const std::set<std::string> names_;
  std::vector<ListedToken> tokens_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// Returns the ids of those texts that are in the vocabulary.
std::unordered_map<std::string_view, std::int32_t> ids_in(const std::vector<std::string>& vocab,
                                                          std::span<const ListedToken> tokens) {
  std::unordered_map<std::string_view, std::int32_t> ids;
  for (const ListedToken& token : tokens) ids.emplace(token.content, -1);
  for (std::size_t id = 0; id < vocab.size(); ++id) {
    const auto found = ids.find(vocab[id]);
    // Of pieces with the same text, the last one counts.
    if (found != ids.end()) found->second = static_cast<std::int32_t>(id);
  }
  return ids;
}

bool is_type(const json& step, std::string_view type) {
  return member(step, "type") == type;
}

json special_step(const std::string& token, int type = 0) {
  return {{"SpecialToken", {{"id", token}, {"type_id", type}}}};
}
json sequence_step(const char* text, int type = 0) {
  return {{"Sequence", {{"id", text}, {"type_id", type}}}};
}

/// Returns the step that adds special tokens, which may stand behind one that only changes ranges.
const json& template_of(const JsonFile& file) {
  const json& step = member(file.root(), "post_processor");
  const json& steps = member(step, "processors");
  return steps.size() == 2 && is_type(steps.front(), "ByteLevel") ? steps.back() : step;
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
  return file.fail(ErrorCode::bad_value, "truncation_side", *side + ", expected right or left");
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

Result<std::vector<AddedToken>> add_tokens(const TokenizerFiles& files, const SpecialNames& names,
                                           TokenLists lists, std::vector<std::string>& vocab) {
  const std::vector<ListedToken> listed = EMBD_TRY(TokenList(files, names).read(lists));
  const auto ids = ids_in(vocab, listed);
  std::vector<AddedToken> added;
  for (const ListedToken& token : listed) {
    AddedToken& found = added.emplace_back(token.rules);
    found.id = ids.at(token.content);
    // find_special() says more about a special token that is not in the vocabulary.
    if (found.id < 0 && !token.id && names.all().contains(token.content)) {
      added.pop_back();
      continue;
    }
    if (found.id < 0) {
      found.id = static_cast<std::int32_t>(vocab.size());
      found.only_added = true;
      vocab.push_back(token.content);
    }
    if (!token.id || *token.id == static_cast<std::uint64_t>(found.id)) continue;
    return token.file->fail(
        ErrorCode::bad_value, token.key,
        "{} as the id of \"{}\", expected {}, which the token gets: its place in the "
        "vocabulary, or the next free id behind it",
        *token.id, token.content, found.id);
  }
  return added;
}

std::vector<AddedToken> unusual_tokens(std::vector<AddedToken> added,
                                       const SpecialTokenIds& special) {
  const auto ids = special.ids();
  std::erase_if(added, [&](const AddedToken& token) {
    return std::ranges::find(ids, token.id) != ids.end() && token == AddedToken{.id = token.id};
  });
  return added;
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
    return files.tokenizer->fail(ErrorCode::unsupported, "added_tokens", "{} is not among them",
                                 name);
  }
  return {};
}

// ---- template

void take_template_names(const JsonFile& file, SpecialNames& names) {
  const json& single = member(template_of(file), "single");
  if (single.size() < 2 || single.size() > 3) return;
  const auto take = [](const json& step, std::string& name) {
    const json& token = member(member(step, "SpecialToken"), "id");
    if (token.is_string()) name = token.get<std::string>();
  };
  if (single.size() == 3) take(single.front(), names.cls);
  take(single.back(), names.sep);
}

Result<PairTemplate> read_pair_template(const JsonFile& file, const SpecialNames& names,
                                        const SpecialTokenIds& ids, bool reads_pairs) {
  const json& part = template_of(file);
  const json cls = special_step(names.cls);
  const json sep = special_step(names.sep);
  const json a = sequence_step("A");
  const json b = sequence_step("B");
  const auto token_ids = [&](const std::string& name) {
    return member(member(member(part, "special_tokens"), name.c_str()), "ids");
  };
  const bool ends_texts =
      is_type(part, "TemplateProcessing") && token_ids(names.sep) == json::array({ids.sep});
  const bool surrounds_texts = ends_texts && member(part, "single") == json({cls, a, sep}) &&
                               token_ids(names.cls) == json::array({ids.cls});
  const json& pair = member(part, "pair");
  const bool is_roberta = is_type(part, "RobertaProcessing") &&
                          member(part, "cls") == json({names.cls, ids.cls}) &&
                          member(part, "sep") == json({names.sep, ids.sep});
  const bool is_usual_pair = !reads_pairs || pair == json({cls, a, sep, sep, b, sep});
  if (is_roberta || (surrounds_texts && is_usual_pair)) return PairTemplate::roberta;
  const json typed = {cls, a, sep, sequence_step("B", 1), special_step(names.sep, 1)};
  if (surrounds_texts && pair == typed) return PairTemplate::bert;
  // No cross-encoder has this one, so its pairs do not matter.
  if (ends_texts && member(part, "single") == json({a, sep})) return PairTemplate::behind;
  return refuse(
      file, "post_processor", part,
      fmt::format("{0} A {1}, and of a pair {0} A {1} {1} B {1} or {0} A {1} B {1}, where "
                  "B and the {1} behind it have type 1, or A {1}",
                  names.cls, names.sep));
}

// ---- vocabulary

Result<std::vector<std::string>> tokens_by_id(const JsonFile& file, const json& vocab) {
  std::vector<std::string> tokens(vocab.size());
  std::vector<bool> seen(vocab.size());
  for (const auto& [token, id] : vocab.items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= tokens.size() ||
        seen[id.get<std::uint64_t>()]) {
      return file.fail(ErrorCode::bad_value, "vocab",
                       "id {} of \"{}\", expected each of 0 to {} once", id.dump(), token,
                       tokens.size() - 1);
    }
    seen[id.get<std::uint64_t>()] = true;
    tokens[id.get<std::uint64_t>()] = token;
  }
  return tokens;
}

Result<void> check_vocab(const std::vector<std::string>& vocab, const fs::path& path) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(vocab.size());
  for (std::size_t id = 0; id < vocab.size(); ++id) {
    if (find_invalid_utf8(vocab[id]))
      return std::unexpected(
          Error(ErrorCode::invalid_utf8, "token").at_line(id + 1).in_file(text_of_path(path)));
    if (!seen.insert(vocab[id]).second) {
      return std::unexpected(Error(ErrorCode::duplicate_token, fmt::format("\"{}\"", vocab[id]))
                                 .at_line(id + 1)
                                 .in_file(text_of_path(path)));
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
                     "the vocabulary does not contain the special token {}", token);
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

std::unexpected<Error> refuse(const JsonFile& file, std::string_view key, const json& found,
                              std::string_view expected) {
  // A character map is long and not useful in a message.
  const std::string text = found.dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr std::size_t most = 200;
  return file.fail(ErrorCode::unsupported, key, "{}{}, expected {}",
                   std::string_view(text).substr(0, most), text.size() > most ? "…" : "", expected);
}

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
