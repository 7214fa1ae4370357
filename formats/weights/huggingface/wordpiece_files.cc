#include "formats/weights/huggingface/folder_tokenizer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/os/mapped_file.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/weights/huggingface/tokenizer_files.h"
#include "tokenizer/unicode_class.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

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

/// Reads the vocabulary of a tokenizer.json.
Result<std::vector<std::string>> vocab_of_tokenizer(const JsonFile& file) {
  const json& model = member(file.root(), "model");
  const json& type = member(model, "type");
  const json& vocab = member(model, "vocab");
  if ((type != "WordPiece" && !type.is_null()) || !vocab.is_object()) {
    return file.fail(ErrorCode::unsupported, "model", "{}, expected a WordPiece vocabulary",
                     type.dump());
  }
  return tokens_by_id(file, vocab);
}

// ---- rules

/// The rules that differ between the models of BERT.
struct Rules {
  bool lower_case = true;
  std::optional<bool> strip_accents;
};

/// Takes the rules. embd always separates ideographs.
Result<Rules> take_rules(const JsonFile& file, std::optional<bool> lower_case,
                         std::optional<bool> strip_accents, std::optional<bool> ideographs) {
  if (!ideographs.value_or(true)) {
    return file.fail(ErrorCode::unsupported, "tokenize_chinese_chars",
                     "false, expected ideographs to be tokens");
  }
  Rules rules = {.lower_case = lower_case.value_or(true), .strip_accents = strip_accents};
  if (rules.strip_accents == rules.lower_case) rules.strip_accents.reset();
  return rules;
}

Result<Rules> bert_rules(const std::optional<JsonFile>& config) {
  if (!config) return Rules();
  return take_rules(*config, EMBD_TRY(config->flag_if_there("do_lower_case")),
                    EMBD_TRY(config->flag_if_there("strip_accents")),
                    EMBD_TRY(config->flag_if_there("tokenize_chinese_chars")));
}

/// Returns a part of tokenizer.json that must have one type.
Result<const json*> part_of_type(const JsonFile& file, const char* key, const char* type) {
  const json& part = member(file.root(), key);
  if (member(part, "type") == type) return &part;
  return file.fail(ErrorCode::unsupported, key, "{}, expected {}", member(part, "type").dump(),
                   type);
}

/// Reads the template: one token before a text and one after it, all of token type 0.
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
  return file.fail(ErrorCode::unsupported, "post_processor",
                   "expected one token before and one behind a text");
}

/// Reads the rules of a general tokenizer.json and the names in it.
Result<Rules> general_rules(const JsonFile& file, bool has_template, SpecialNames& names) {
  const json& normalizer = *EMBD_TRY(part_of_type(file, "normalizer", "BertNormalizer"));
  (void)EMBD_TRY(part_of_type(file, "pre_tokenizer", "BertPreTokenizer"));
  const json& model = *EMBD_TRY(part_of_type(file, "model", "WordPiece"));
  if (!flag_of(normalizer, "clean_text").value_or(true)) {
    return file.fail(ErrorCode::unsupported, "normalizer", "clean_text false, expected true");
  }
  if (member(model, "continuing_subword_prefix") != "##" ||
      member(model, "max_input_chars_per_word") != 100) {
    return file.fail(ErrorCode::unsupported, "model",
                     "expected \"##\" before the parts of a word, and words of at "
                     "most 100 characters");
  }
  if (has_template) EMBD_TRY(read_template(file, names));
  if (const auto unknown = token_content(member(model, "unk_token"))) names.unk = *unknown;
  return take_rules(file, flag_of(normalizer, "lowercase"), flag_of(normalizer, "strip_accents"),
                    flag_of(normalizer, "handle_chinese_chars"));
}

/// Returns the usual special tokens of MPNet.
SpecialNames mpnet_names() {
  SpecialNames names(TokenizerKind::wordpiece);
  names.pad = "<pad>";
  names.cls = "<s>";
  names.sep = "</s>";
  names.mask = "<mask>";
  return names;
}

/// Removes rules about white space, at which words end anyway.
void drop_stripping(const std::vector<std::string>& vocab, std::vector<AddedToken>& added) {
  const auto has_space = [&](const AddedToken& token) {
    const std::string& text = vocab[static_cast<std::size_t>(token.id)];
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
      const DecodedCodePoint decoded = decode_utf8(at, end);
      if (is_white_space(decoded.code_point)) return true;
      at += decoded.size;
    }
    return false;
  };
  if (std::ranges::any_of(added, has_space)) return;
  for (AddedToken& token : added) token.lstrip = token.rstrip = false;
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

Result<FolderTokenizer> read_wordpiece(const TokenizerFiles& files, std::string_view class_name) {
  const fs::path& folder = files.folder;
  const bool is_mpnet = class_name == "MPNetTokenizer";
  const bool is_bert =
      class_name.empty() || class_name == "BertTokenizer" || class_name == "DistilBertTokenizer";
  if (!is_bert && !is_mpnet && class_name != "PreTrainedTokenizer" &&
      class_name != "TokenizersBackend") {
    return fail_in(folder / "tokenizer_config.json", ErrorCode::unsupported,
                   "tokenizer_class: {}, expected WordPiece, BertTokenizer or MPNetTokenizer, or "
                   "Unigram, XLMRobertaTokenizer, or BPE, RobertaTokenizer",
                   class_name);
  }
  const fs::path vocab_path = folder / (files.tokenizer ? "tokenizer.json" : "vocab.txt");
  FolderTokenizer result;
  SpecialNames names = is_mpnet ? mpnet_names() : SpecialNames(TokenizerKind::wordpiece);
  if (is_mpnet) result.pair_template = PairTemplate::roberta;
  Rules rules;
  const bool is_made_anew = is_bert || is_mpnet;
  if (is_bert || (is_mpnet && files.tokenizer)) {
    rules = EMBD_TRY(bert_rules(files.config));
  } else if (files.tokenizer) {
    rules = EMBD_TRY(general_rules(*files.tokenizer, !files.are_static, names));
  } else {
    return fail_in(
        folder, ErrorCode::missing,
        "the tokenizer class {} needs a tokenizer.json, which the folder does not contain",
        class_name);
  }
  EMBD_TRY(read_names(files, names));
  if (files.are_static) names.keep_listed(*files.tokenizer);
  if (!is_made_anew) EMBD_TRY(check_all_listed(files, names));
  result.lower_case = rules.lower_case;
  result.strip_accents = rules.strip_accents;

  if (files.tokenizer) {
    result.vocab = EMBD_TRY(vocab_of_tokenizer(*files.tokenizer));
    EMBD_TRY(check_vocab(result.vocab, vocab_path));
  } else {
    result.vocab = EMBD_TRY(read_vocab(vocab_path));
  }
  std::vector<AddedToken> added = EMBD_TRY(
      add_tokens(files, names, is_made_anew ? TokenLists::of_config : TokenLists::of_tokenizer_json,
                 result.vocab));
  drop_stripping(result.vocab, added);
  result.special = EMBD_TRY(find_special(result.vocab, names, vocab_path));
  result.added_tokens = unusual_tokens(std::move(added), result.special);
  return result;
}

}  // namespace embd::huggingface
