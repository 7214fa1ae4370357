#include "formats/weights/huggingface/unigram_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/try.h"
#include "tokenizer/unigram/character_map.h"
#include "tokenizer/unigram/pieces.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
using unigram::Layout;
using unigram::PrependScheme;

constexpr std::string_view xlm_roberta_class = "XLMRobertaTokenizer";

std::unexpected<Error> refuse(const JsonFile& file, std::string_view key, const json& found,
                              std::string_view expected) {
  // A character map is long and not useful in a message.
  const std::string text = found.dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr std::size_t most = 200;
  return std::unexpected(
      file.error(ErrorCode::unsupported, key,
                 fmt::format("{}{}, expected {}", std::string_view(text).substr(0, most),
                             text.size() > most ? "…" : "", expected)));
}

/// Returns the steps of a Sequence, or the only step.
std::vector<json> steps_of(const json& step, const char* list) {
  if (step.is_null()) return {};
  if (member(step, "type") != "Sequence") return {step};
  const json& steps = member(step, list);
  return steps.is_array() ? steps.get<std::vector<json>>() : std::vector<json>{step};
}

bool is_of_type(const json& step, std::string_view type) {
  return member(step, "type") == type;
}

// ---- normalizer

/// Returns true for a Strip of white space at the end only.
bool is_strip_right(const json& step) {
  return is_of_type(step, "Strip") && member(step, "strip_left") == false &&
         member(step, "strip_right") == true;
}

/// Returns true for a Replace of several spaces by one, or by the word mark that stands for a
/// space.
bool is_merging_spaces(const json& step) {
  return is_of_type(step, "Replace") && member(step, "pattern") == json({{"Regex", " {2,}"}}) &&
         (member(step, "content") == unigram::word_mark || member(step, "content") == " ");
}

Result<std::string> read_character_map(const JsonFile& file, const json& step) {
  const json& blob = member(step, "precompiled_charsmap");
  auto bytes = blob.is_string() ? decode_base64(blob.get_ref<const std::string&>()) : std::nullopt;
  constexpr std::string_view key = "precompiled_charsmap";
  if (!bytes || bytes->empty())
    return std::unexpected(file.error(ErrorCode::bad_value, key, "expected a map in base64"));
  if (const auto map = unigram::CharacterMap::create(as_bytes(*bytes)); !map)
    return std::unexpected(file.error(map.error().code(), key, map.error().what()));
  return *std::move(bytes);
}

/// Reads the normalizer: Precompiled, then optionally Strip and Replace.
Result<void> read_normalizer(const JsonFile& file, FolderTokenizer& tokenizer) {
  const json& normalizer = member(file.root(), "normalizer");
  const std::vector<json> steps = steps_of(normalizer, "normalizers");
  std::span<const json> rest = steps;
  const auto take = [&](auto is_wanted) {
    const bool is_there = !rest.empty() && is_wanted(rest.front());
    if (is_there) rest = rest.subspan(1);
    return is_there;
  };
  const bool has_map = take([](const json& step) { return is_of_type(step, "Precompiled"); });
  tokenizer.words.strip_right = take(is_strip_right);
  tokenizer.words.merge_spaces = take(is_merging_spaces);
  if (!has_map || !rest.empty()) {
    return refuse(file, "normalizer", rest.empty() ? normalizer : rest.front(),
                  "Precompiled, and behind it at most Strip of the right side and Replace of "
                  "\" {2,}\"");
  }
  tokenizer.character_map = EMBD_TRY(read_character_map(file, steps.front()));
  return {};
}

// ---- pre-tokenizer

/// Reads the prepend scheme. Older files have add_prefix_space instead.
Result<PrependScheme> read_prepend_scheme(const JsonFile& file, const json& metaspace) {
  const json& scheme = member(metaspace, "prepend_scheme");
  if (scheme.is_null() && flag_of(metaspace, "add_prefix_space").value_or(true))
    return PrependScheme::always;
  if (scheme.is_null()) return PrependScheme::never;
  if (scheme == "always") return PrependScheme::always;
  if (scheme == "first") return PrependScheme::first;
  if (scheme == "never") return PrependScheme::never;
  return refuse(file, "prepend_scheme", scheme, "always, first or never");
}

/// Reads the pre-tokenizer: Metaspace, or WhitespaceSplit and Metaspace.
Result<void> read_pre_tokenizer(const JsonFile& file, FolderTokenizer& tokenizer) {
  const json& pre_tokenizer = member(file.root(), "pre_tokenizer");
  const std::vector<json> steps = steps_of(pre_tokenizer, "pretokenizers");
  const bool splits = steps.size() == 2 && is_of_type(steps.front(), "WhitespaceSplit");
  if ((steps.size() != 1 && !splits) || !is_of_type(steps.back(), "Metaspace")) {
    return refuse(file, "pre_tokenizer", pre_tokenizer,
                  "Metaspace, or WhitespaceSplit and Metaspace");
  }
  const json& metaspace = steps.back();
  if (member(metaspace, "replacement") != unigram::word_mark)
    return refuse(file, "replacement", member(metaspace, "replacement"), "\"▁\"");
  unigram::WordOptions& words = tokenizer.words;
  words.prepend_scheme = EMBD_TRY(read_prepend_scheme(file, metaspace));
  words.split = flag_of(metaspace, "split").value_or(true);
  words.layout = splits ? Layout::words : Layout::spaces;
  if (words.layout == Layout::spaces) return {};
  if (words.strip_right || words.merge_spaces || words.prepend_scheme == PrependScheme::first) {
    return refuse(
        file, "pre_tokenizer", pre_tokenizer,
        "with WhitespaceSplit, no normalizer besides Precompiled and no word mark for the "
        "first word alone");
  }
  // These steps change nothing here. They are set, so that equal rules have equal descriptions.
  words.strip_right = words.merge_spaces = true;
  return {};
}

// ---- post-processor

json special_step(const std::string& token) {
  return {{"SpecialToken", {{"id", token}, {"type_id", 0}}}};
}
json sequence_step(const char* text) {
  return {{"Sequence", {{"id", text}, {"type_id", 0}}}};
}

/// Checks that the template is `<s> A </s>` for a text and `<s> A </s> </s> B </s>` for a pair.
Result<void> check_template(const JsonFile& file, const SpecialNames& names,
                            const SpecialTokenIds& ids) {
  const json& part = member(file.root(), "post_processor");
  const json cls = special_step(names.cls);
  const json sep = special_step(names.sep);
  const json a = sequence_step("A");
  const json b = sequence_step("B");
  const auto token_ids = [&](const std::string& name) {
    return member(member(member(part, "special_tokens"), name.c_str()), "ids");
  };
  const bool is_template = is_of_type(part, "TemplateProcessing") &&
                           member(part, "single") == json({cls, a, sep}) &&
                           member(part, "pair") == json({cls, a, sep, sep, b, sep}) &&
                           token_ids(names.cls) == json::array({ids.cls}) &&
                           token_ids(names.sep) == json::array({ids.sep});
  const bool is_roberta = is_of_type(part, "RobertaProcessing") &&
                          member(part, "cls") == json({names.cls, ids.cls}) &&
                          member(part, "sep") == json({names.sep, ids.sep});
  if (is_template || is_roberta) return {};
  return refuse(file, "post_processor", part,
                fmt::format("{0} A {1}, and of a pair {0} A {1} {1} B {1}", names.cls, names.sep));
}

// ---- model

/// Reads a piece with its score.
Result<void> read_piece(const JsonFile& file, const json& entry, FolderTokenizer& tokenizer) {
  const std::size_t id = tokenizer.vocab.size();
  if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()) {
    return std::unexpected(file.error(
        ErrorCode::bad_type, "vocab",
        fmt::format("entry {} is {}, expected a piece and its score", id, entry.dump())));
  }
  if (entry[0].get_ref<const std::string&>().size() > unigram::Pieces::max_size) {
    return refuse(file, "vocab", entry,
                  fmt::format("pieces of at most {} bytes", unigram::Pieces::max_size));
  }
  const auto score = entry[1].get<double>();
  const auto stored = static_cast<float>(score);
  if (!std::isfinite(stored) || static_cast<double>(stored) != score) {
    return refuse(file, "vocab", entry, "a score that float32 holds exactly");
  }
  tokenizer.vocab.push_back(entry[0].get<std::string>());
  tokenizer.scores.push_back(stored);
  return {};
}

Result<void> read_model(const JsonFile& file, FolderTokenizer& tokenizer) {
  const json& model = member(file.root(), "model");
  const json& vocab = member(model, "vocab");
  if (!vocab.is_array()) return refuse(file, "vocab", vocab, "pieces with their scores");
  // Both are options of sampling.
  for (const char* key : {"alpha", "nbest_size"}) {
    if (!member(model, key).is_null()) return refuse(file, key, member(model, key), "none");
  }
  tokenizer.byte_fallback = flag_of(model, "byte_fallback").value_or(false);
  for (const json& entry : vocab) EMBD_TRY(read_piece(file, entry, tokenizer));
  return {};
}

/// Reads the unknown piece. Only in a static model, it may be another one than the unknown token.
Result<void> read_unknown(const JsonFile& file, bool may_differ, FolderTokenizer& tokenizer) {
  const json& id = member(member(file.root(), "model"), "unk_id");
  const std::int32_t unk = tokenizer.special.unk;
  if (id == unk) return {};
  if (may_differ && id.is_number_unsigned() && id < tokenizer.scores.size()) {
    tokenizer.unknown_piece = id.get<std::int32_t>();
    return {};
  }
  return refuse(file, "unk_id", id, fmt::format("{}, the id of the unknown token", unk));
}

/// Returns true if the file says that the mask removes the white space before it.
bool mask_strips(const JsonFile& file, const SpecialNames& names) {
  return std::ranges::any_of(member(file.root(), "added_tokens"), [&](const json& token) {
    return token_content(token) == names.mask && member(token, "lstrip") == true;
  });
}

Result<const JsonFile*> tokenizer_json(const TokenizerFiles& files) {
  if (files.tokenizer) return &*files.tokenizer;
  std::error_code error;
  const char* other = "sentencepiece.bpe.model";
  std::string what = "tokenizer.json is not there";
  if (std::filesystem::exists(files.folder / other, error))
    what += fmt::format("; {} is, which has to be saved as tokenizer.json", other);
  return fail_in(files.folder, ErrorCode::missing, what);
}

}  // namespace

bool is_unigram(const TokenizerFiles& files, std::string_view class_name) {
  if (!files.tokenizer) return class_name == xlm_roberta_class;
  const json& model = member(files.tokenizer->root(), "model");
  // Old files name no type; but the vocabulary of a WordPiece is an object.
  return is_of_type(model, "Unigram") ||
         (member(model, "type").is_null() && member(model, "vocab").is_array());
}

Result<FolderTokenizer> read_unigram(const TokenizerFiles& files, std::string_view class_name) {
  const bool is_xlm_roberta = class_name == xlm_roberta_class;
  if (!is_xlm_roberta && !class_name.empty() && class_name != "PreTrainedTokenizer" &&
      class_name != "TokenizersBackend") {
    return fail_in(
        files.folder / "tokenizer_config.json", ErrorCode::unsupported,
        fmt::format("tokenizer_class: {}, expected {} for Unigram", class_name, xlm_roberta_class));
  }
  const JsonFile& file = *EMBD_TRY(tokenizer_json(files));
  FolderTokenizer tokenizer;
  tokenizer.kind = TokenizerKind::unigram;
  tokenizer.pair_template = usual_pair_template(tokenizer.kind);
  EMBD_TRY(read_normalizer(file, tokenizer));
  EMBD_TRY(read_pre_tokenizer(file, tokenizer));
  if (is_xlm_roberta) tokenizer.words = {};

  SpecialNames names(TokenizerKind::unigram);
  EMBD_TRY(read_names(files, names));
  if (files.are_static) names.keep_listed(file);
  EMBD_TRY(check_added_tokens(files, {.names = names, .mask_may_strip = true}));
  if (!is_xlm_roberta) EMBD_TRY(check_all_listed(files, names));
  tokenizer.mask_lstrip = is_xlm_roberta || mask_strips(file, names);

  EMBD_TRY(read_model(file, tokenizer));
  EMBD_TRY(check_vocab(tokenizer.vocab, file.path()));
  tokenizer.special = EMBD_TRY(find_special(tokenizer.vocab, names, file.path()));
  EMBD_TRY(read_unknown(file, files.are_static, tokenizer));
  if (!files.are_static) EMBD_TRY(check_template(file, names, tokenizer.special));
  return tokenizer;
}

}  // namespace embd::huggingface
