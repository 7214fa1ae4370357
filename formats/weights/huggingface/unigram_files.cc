#include "formats/weights/huggingface/folder_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/weights/huggingface/tokenizer_files.h"
#include "tokenizer/unigram/normalizer.h"
#include "tokenizer/unigram/pieces.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
using unigram::Layout;
using unigram::PrependScheme;

constexpr std::string_view xlm_roberta_class = "XLMRobertaTokenizer";
constexpr std::string_view camembert_class = "CamembertTokenizer";

/// Returns true for a class that makes the tokenizer anew: it takes the vocabulary and the
/// character map from the file, and has the other steps in its code.
bool is_made_anew(std::string_view class_name) {
  return class_name == xlm_roberta_class || class_name == camembert_class;
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
    return file.fail(ErrorCode::bad_value, key, "expected a map in base64");
  if (const auto map = unigram::CharacterMap::create(as_bytes(*bytes)); !map)
    return file.fail(map.error().code(), key, map.error().what());
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
  // Spaces that become one space change nothing, because words are split at them.
  const auto normalizers = steps_of(member(file.root(), "normalizer"), "normalizers");
  const bool writes_marks = std::ranges::any_of(
      normalizers, [](const json& step) { return member(step, "content") == unigram::word_mark; });
  if (words.strip_right || writes_marks || words.prepend_scheme == PrependScheme::first) {
    return refuse(file, "pre_tokenizer", pre_tokenizer,
                  "with WhitespaceSplit, no normalizer besides Precompiled and Replace of spaces "
                  "by one, and no word mark for the first word alone");
  }
  // These steps change nothing here. They are set, so that equal rules have equal descriptions.
  words.strip_right = words.merge_spaces = true;
  return {};
}

// ---- model

/// Reads a piece with its score.
Result<void> read_piece(const JsonFile& file, const json& entry, FolderTokenizer& tokenizer) {
  const std::size_t id = tokenizer.vocab.size();
  if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()) {
    return file.fail(ErrorCode::bad_type, "vocab", "entry {} is {}, expected a piece and its score",
                     id, entry.dump());
  }
  if (entry[0].get_ref<const std::string&>().size() > unigram::Pieces::max_size) {
    return refuse(file, "vocab", entry,
                  fmt::format("pieces of at most {} bytes", unigram::Pieces::max_size));
  }
  tokenizer.vocab.push_back(entry[0].get<std::string>());
  tokenizer.scores.push_back(entry[1].get<double>());
  return {};
}

/// Returns the number that `tokenizers` makes of the digits of a score in a file, of which there
/// are as many as needed. It rounds twice: the digits as a whole number, and then its product or
/// quotient with a power of ten.
double rounded_twice(double score) {
  const std::string text = fmt::format("{}", score);
  const std::string_view digits = std::string_view(text).substr(0, text.find('e'));
  int power = 0;
  if (digits.size() < text.size()) {
    const char* sign = text.data() + digits.size() + 1;
    std::from_chars(sign + (*sign == '+' ? 1 : 0), text.data() + text.size(), power);
  }
  if (const auto point = digits.find('.'); point != std::string_view::npos)
    power -= static_cast<int>(digits.size() - point - 1);
  if (std::abs(power) > std::numeric_limits<double>::max_exponent10) return score;  // Nearly 0.

  std::uint64_t whole = 0;
  for (const char digit : digits)
    if (digit >= '0' && digit <= '9') whole = 10 * whole + static_cast<std::uint64_t>(digit - '0');
  double factor = 1;
  const std::string factor_text = fmt::format("1e{}", std::abs(power));
  std::from_chars(factor_text.data(), factor_text.data() + factor_text.size(), factor);
  const double rounded = std::copysign(static_cast<double>(whole), score);
  return power < 0 ? rounded / factor : rounded * factor;
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

/// Takes the added tokens. The rule of a mask that only removes the white space before it has a
/// field of its own.
void take_added_tokens(std::vector<AddedToken> added, bool mask_always_strips,
                       FolderTokenizer& tokenizer) {
  const auto mask = std::ranges::find(added, tokenizer.special.mask, &AddedToken::id);
  if (mask != added.end()) {
    mask->lstrip |= mask_always_strips;
    tokenizer.mask_lstrip = mask->lstrip;
    if (*mask == AddedToken{.id = mask->id, .lstrip = true}) mask->lstrip = false;
  }
  tokenizer.added_tokens = unusual_tokens(std::move(added), tokenizer.special);
}

Result<const JsonFile*> tokenizer_json(const TokenizerFiles& files) {
  if (files.tokenizer) return &*files.tokenizer;
  std::error_code error;
  const char* other = "sentencepiece.bpe.model";
  std::string what = "tokenizer.json is not there";
  if (std::filesystem::exists(files.folder / path_of_text(other), error))
    what += fmt::format("; {} is, which has to be saved as tokenizer.json", other);
  return fail_in(files.folder, ErrorCode::missing, what);
}

}  // namespace

bool is_unigram(const TokenizerFiles& files, std::string_view class_name) {
  if (!files.tokenizer) return is_made_anew(class_name);
  const json& model = member(files.tokenizer->root(), "model");
  // Old files name no type; but the vocabulary of a WordPiece is an object.
  return is_of_type(model, "Unigram") ||
         (member(model, "type").is_null() && member(model, "vocab").is_array());
}

Result<FolderTokenizer> read_unigram(const TokenizerFiles& files, std::string_view class_name) {
  const bool made_anew = is_made_anew(class_name);
  if (!made_anew && !class_name.empty() && class_name != "PreTrainedTokenizer" &&
      class_name != "TokenizersBackend") {
    return fail_in(files.folder / "tokenizer_config.json", ErrorCode::unsupported,
                   "tokenizer_class: {}, expected {} or {} for Unigram", class_name,
                   xlm_roberta_class, camembert_class);
  }
  const JsonFile& file = *EMBD_TRY(tokenizer_json(files));
  FolderTokenizer tokenizer;
  tokenizer.kind = TokenizerKind::unigram;
  tokenizer.pair_template = usual_pair_template(tokenizer.kind);
  EMBD_TRY(read_normalizer(file, tokenizer));
  if (made_anew) {
    tokenizer.words = {};
  } else {
    EMBD_TRY(read_pre_tokenizer(file, tokenizer));
  }

  SpecialNames names(TokenizerKind::unigram);
  EMBD_TRY(read_names(files, names));
  if (files.are_static) names.keep_listed(file);
  if (!made_anew) EMBD_TRY(check_all_listed(files, names));
  EMBD_TRY(read_model(file, tokenizer));
  // transformers reads scores exactly, but a file that is taken as it is, `tokenizers` reads.
  if (!made_anew) std::ranges::transform(tokenizer.scores, tokenizer.scores.begin(), rounded_twice);
  EMBD_TRY(check_vocab(tokenizer.vocab, file.path()));
  std::vector<AddedToken> added = EMBD_TRY(
      add_tokens(files, names, made_anew ? TokenLists::of_config : TokenLists::of_tokenizer_json,
                 tokenizer.vocab));
  tokenizer.special = EMBD_TRY(find_special(tokenizer.vocab, names, file.path()));
  take_added_tokens(std::move(added), made_anew, tokenizer);
  EMBD_TRY(read_unknown(file, files.are_static, tokenizer));
  if (!files.are_static)
    tokenizer.pair_template = EMBD_TRY(read_pair_template(file, names, tokenizer.special));
  return tokenizer;
}

}  // namespace embd::huggingface
