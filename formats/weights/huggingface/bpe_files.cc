#include "formats/weights/huggingface/folder_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/weights/huggingface/tokenizer_files.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view roberta_class = "RobertaTokenizer";
constexpr const char* vocab_name = "vocab.json";
constexpr const char* merges_name = "merges.txt";

// ---- merges

/// Collects merges: looks up the ids of the tokens that they join.
class MergeList {
 public:
  explicit MergeList(const std::vector<std::string>& vocab) {
    ids_.reserve(vocab.size());
    for (std::size_t id = 0; id < vocab.size(); ++id)
      ids_.emplace(vocab[id], static_cast<std::uint32_t>(id));
  }

  /// Adds a merge. Returns what is wrong with it; empty if it was added.
  std::string add(std::string_view left, std::string_view right) {
    whole_.assign(left).append(right);
    for (const std::string_view token : {left, right, std::string_view(whole_)}) {
      if (!ids_.contains(token)) return fmt::format("\"{}\" is not in the vocabulary", token);
    }
    merges_.push_back(ids_[left]);
    merges_.push_back(ids_[right]);
    return {};
  }
  /// Adds a merge that is written as two tokens with a space between them.
  std::string add(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos)
      return fmt::format("\"{}\" is not two tokens with a space between them", line);
    return add(line.substr(0, space), line.substr(space + 1));
  }
  std::vector<std::uint32_t> take() { return std::move(merges_); }

 private:
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::vector<std::uint32_t> merges_;
  std::string whole_;
};

/// Reads the merges of a tokenizer.json: "a b" in older files, ["a", "b"] in newer ones.
Result<std::vector<std::uint32_t>> merges_of(const JsonFile& file, const json& merges,
                                             const std::vector<std::string>& vocab) {
  MergeList list(vocab);
  std::size_t rank = 0;
  for (const json& merge : merges) {
    const bool is_pair =
        merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
    if (!is_pair && !merge.is_string()) {
      return file.fail(ErrorCode::bad_type, "merges", "entry {} is {}, expected two tokens", rank,
                       merge.dump());
    }
    const std::string wrong = is_pair ? list.add(merge[0].get_ref<const std::string&>(),
                                                 merge[1].get_ref<const std::string&>())
                                      : list.add(merge.get_ref<const std::string&>());
    if (!wrong.empty()) {
      return file.fail(ErrorCode::bad_value, "merges", "entry {}: {}", rank, wrong);
    }
    ++rank;
  }
  return list.take();
}

/// Reads the merges of a merges.txt: one in each line, behind a line with the version.
Result<std::vector<std::uint32_t>> merges_of_text(const fs::path& path,
                                                  const std::vector<std::string>& vocab) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  MergeList list(vocab);
  std::size_t number = 0;
  for (std::string_view text = as_text(file.bytes()); !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("#version")) continue;
    if (const std::string wrong = list.add(line); !wrong.empty())
      return std::unexpected(
          Error(ErrorCode::bad_value, wrong).at_line(number).in_file(text_of_path(path)));
  }
  return list.take();
}

// ---- rules

/// Returns true for the steps of SentencePiece's BPE: spaces are replaced, and nothing is split.
bool is_sentencepiece(const JsonFile& file) {
  const json& split = member(file.root(), "pre_tokenizer");
  const json space = {{"String", " "}};
  const bool splits_nothing =
      split.is_null() || (member(split, "type") == "Split" && member(split, "pattern") == space &&
                          member(split, "behavior") == "MergedWithPrevious");
  const json& normalizer = member(file.root(), "normalizer");
  return splits_nothing && member(normalizer, "type") == "Replace" &&
         member(normalizer, "pattern") == space && member(normalizer, "content") == "▁";
}

/// Checks the settings of the model that would change its tokens. With SentencePiece's BPE, unknown
/// characters become bytes, so none are left to be fused.
Result<void> check_model(const JsonFile& file, const json& model, bool has_bytes) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const json& value = member(model, key);
    if (!value.is_null() && value != "") return refuse(file, key, value, "none");
  }
  if (flag_of(model, "byte_fallback").value_or(false) != has_bytes)
    return refuse(file, "byte_fallback", !has_bytes, has_bytes ? "true" : "false");
  if (flag_of(model, "fuse_unk").value_or(false) && !has_bytes)
    return refuse(file, "fuse_unk", true, "false");
  const json& dropout = member(model, "dropout");
  if (!dropout.is_null() && dropout != 0) return refuse(file, "dropout", dropout, "none");
  return {};
}

/// The regular expression of WordPattern::qwen2.
constexpr std::string_view qwen2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

/// Reads how a tokenizer.json divides texts into words: with the pattern of its ByteLevel or,
/// before it, with another one that is known.
Result<void> read_split(const JsonFile& file, bpe::Rules& rules) {
  const json& step = member(file.root(), "pre_tokenizer");
  const auto is_byte_level = [](const json& one, bool splits) {
    return member(one, "type") == "ByteLevel" && flag_of(one, "use_regex").value_or(true) == splits;
  };
  if (is_byte_level(step, true)) {
    rules.add_prefix_space = flag_of(step, "add_prefix_space").value_or(true);
    return {};
  }
  const auto is_qwen2_split = [](const json& one) {
    return member(one, "type") == "Split" && member(one, "behavior") == "Isolated" &&
           member(member(one, "pattern"), "Regex") == qwen2_pattern &&
           flag_of(one, "invert") == false;
  };
  const json& steps = member(step, "pretokenizers");
  if (steps.size() == 2 && is_qwen2_split(steps.front()) && is_byte_level(steps.back(), false) &&
      flag_of(steps.back(), "add_prefix_space") == false) {
    rules.pattern = bpe::WordPattern::qwen2;
    return {};
  }
  return refuse(file, "pre_tokenizer", step,
                "ByteLevel with its own regular expression, or behind a Split with that of Qwen2");
}

/// Reads the rules of a general tokenizer.json.
Result<bpe::Rules> rules_of_file(const JsonFile& file, SpecialNames& names) {
  const json& normalizer = member(file.root(), "normalizer");
  const bool composes = member(normalizer, "type") == "NFC";
  const bool is_pieces = is_sentencepiece(file);
  if (!normalizer.is_null() && !composes && !is_pieces)
    return refuse(file, "normalizer", normalizer, "none, NFC, or that of SentencePiece's BPE");
  const json& model = member(file.root(), "model");
  EMBD_TRY(check_model(file, model, is_pieces));
  const json& unknown = member(model, "unk_token");
  if (unknown.is_string()) names.unk = unknown.get<std::string>();
  bpe::Rules rules = {.composes = composes,
                      .ignore_merges = flag_of(model, "ignore_merges").value_or(false),
                      .keeps_unknown = unknown.is_string()};
  if (is_pieces) {
    rules.pattern = bpe::WordPattern::sentencepiece;
  } else {
    EMBD_TRY(read_split(file, rules));
  }
  return rules;
}

/// Chooses the special tokens of a model whose texts have none, or only one: those of the five that
/// the file lists. If no byte needs an unknown token, any listed token may stand for it.
void choose_listed(const JsonFile& file, bool needs_unknown, SpecialNames& names) {
  const json& listed = member(file.root(), "added_tokens");
  const auto is_unknown = [&](const json& token) { return token_content(token) == names.unk; };
  if (!needs_unknown && listed.is_array() && std::ranges::none_of(listed, is_unknown))
    names.unk = listed.empty() ? names.unk : token_content(listed.front()).value_or(names.unk);
  names.keep_listed(file);
}

/// Reads the rules that tokenizer_config.json states for a RobertaTokenizer.
Result<bpe::Rules> roberta_rules(const std::optional<JsonFile>& config) {
  bpe::Rules rules;
  if (config)
    rules.add_prefix_space = EMBD_TRY(config->flag_if_there("add_prefix_space")).value_or(false);
  return rules;
}

// ---- the files

/// Reads vocabulary and merges of a tokenizer.json.
Result<void> read_tables(const JsonFile& file, FolderTokenizer& tokenizer) {
  const json& model = member(file.root(), "model");
  const json& vocab = member(model, "vocab");
  const json& merges = member(model, "merges");
  if (!vocab.is_object()) return refuse(file, "vocab", vocab, "tokens with their ids");
  if (!merges.is_array() || merges.empty())
    return refuse(file, "merges", merges, "a list of merges");
  tokenizer.vocab = EMBD_TRY(tokens_by_id(file, vocab));
  EMBD_TRY(check_vocab(tokenizer.vocab, file.path()));
  tokenizer.merges = EMBD_TRY(merges_of(file, merges, tokenizer.vocab));
  return {};
}

/// Reads vocab.json and merges.txt.
Result<void> read_tables(const fs::path& folder, FolderTokenizer& tokenizer) {
  std::error_code error;
  for (const char* name : {vocab_name, merges_name}) {
    if (fs::exists(folder / path_of_text(name), error)) continue;
    return fail_in(folder, ErrorCode::missing, "neither tokenizer.json nor {} is there", name);
  }
  const JsonFile file = EMBD_TRY(JsonFile::read(folder / vocab_name));
  tokenizer.vocab = EMBD_TRY(tokens_by_id(file, file.root()));
  EMBD_TRY(check_vocab(tokenizer.vocab, file.path()));
  tokenizer.merges = EMBD_TRY(merges_of_text(folder / merges_name, tokenizer.vocab));
  if (!tokenizer.merges.empty()) return {};
  return fail_in(folder / merges_name, ErrorCode::bad_value, "there are no merges, expected some");
}

}  // namespace

bool is_bpe(const TokenizerFiles& files, std::string_view class_name) {
  if (!files.tokenizer) return class_name == roberta_class;
  const json& model = member(files.tokenizer->root(), "model");
  // Old files name no type; but only this kind has merges.
  return member(model, "type") == "BPE" ||
         (member(model, "type").is_null() && member(model, "merges").is_array());
}

Result<FolderTokenizer> read_bpe(const TokenizerFiles& files, std::string_view class_name) {
  const bool is_roberta = class_name == roberta_class;
  if (!is_roberta && class_name != "PreTrainedTokenizer" && class_name != "TokenizersBackend") {
    return fail_in(files.folder / "tokenizer_config.json", ErrorCode::unsupported,
                   "tokenizer_class: {}, expected {} for BPE",
                   class_name.empty() ? "none" : class_name, roberta_class);
  }
  FolderTokenizer tokenizer;
  tokenizer.kind = TokenizerKind::bpe;
  tokenizer.pair_template = usual_pair_template(tokenizer.kind);
  SpecialNames names(tokenizer.kind);
  if (!is_roberta && !files.tokenizer) {
    return fail_in(files.folder, ErrorCode::missing,
                   "the tokenizer class {} needs a tokenizer.json", class_name);
  }
  tokenizer.bpe =
      EMBD_TRY(is_roberta ? roberta_rules(files.config) : rules_of_file(*files.tokenizer, names));
  EMBD_TRY(files.tokenizer ? read_tables(*files.tokenizer, tokenizer)
                           : read_tables(files.folder, tokenizer));
  EMBD_TRY(read_names(files, names));
  // Decoders by origin: the template names their special tokens, and they have no cross-encoders.
  const bool is_decoder = !files.are_static && tokenizer.bpe.pattern != bpe::WordPattern::gpt2;
  if (is_decoder) take_template_names(*files.tokenizer, names);
  if (files.are_static || is_decoder)
    choose_listed(*files.tokenizer, tokenizer.bpe.keeps_unknown, names);
  if (!is_roberta) EMBD_TRY(check_all_listed(files, names));
  std::vector<AddedToken> added = EMBD_TRY(
      add_tokens(files, names, is_roberta ? TokenLists::of_config : TokenLists::of_tokenizer_json,
                 tokenizer.vocab));
  tokenizer.special =
      EMBD_TRY(find_special(tokenizer.vocab, names,
                            files.tokenizer ? files.tokenizer->path() : files.folder / vocab_name));
  tokenizer.added_tokens = unusual_tokens(std::move(added), tokenizer.special);
  if (!is_roberta && !files.are_static) {
    tokenizer.pair_template =
        EMBD_TRY(read_pair_template(*files.tokenizer, names, tokenizer.special, !is_decoder));
  }
  return tokenizer;
}

}  // namespace embd::huggingface
