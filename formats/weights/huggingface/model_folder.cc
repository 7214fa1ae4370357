#include "formats/weights/huggingface/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "formats/weights/huggingface/bert_config.h"
#include "formats/weights/huggingface/folder_tokenizer.h"

namespace embd::huggingface {
namespace {

namespace fs = std::filesystem;

/// The size of the beginning of a card that is read.
constexpr std::size_t max_card_bytes = std::size_t{1} << 20;
constexpr std::string_view metadata_mark = "---";

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\"'";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_last_not_of(blanks) + 1;
  return text.substr(begin, std::max(begin, end) - begin);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Adds the values of base_model, and the name of the model in its index of results, from the
/// metadata of a card, which are YAML. Whatever is not understood is passed over.
void add_stated_names(std::string_view& card, std::vector<std::string>& names) {
  std::string_view key;
  while (!card.empty()) {
    std::string_view line = take_line(card);
    if (without_blanks(line) == metadata_mark) return;
    if (line.starts_with(' ') || line.starts_with('-')) {
      std::string_view item = without_blanks(line);
      if (!item.starts_with("- ")) continue;
      item = without_blanks(item.substr(2));
      constexpr std::string_view name_key = "name:";
      if (key == "base_model") names.emplace_back(item);
      if (key == "model-index" && item.starts_with(name_key) && !line.starts_with("  "))
        names.emplace_back(without_blanks(item.substr(name_key.size())));
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    key = line.substr(0, colon);
    const std::string_view value = without_blanks(line.substr(std::min(colon + 1, line.size())));
    if (key == "base_model" && !value.empty()) names.emplace_back(value);
  }
}

void add_names_of_card(std::string_view card, std::vector<std::string>& names) {
  std::string_view rest = card;
  if (without_blanks(take_line(rest)) == metadata_mark) {
    card = rest;
    add_stated_names(card, names);
  }
  while (!card.empty()) {
    const std::string_view line = take_line(card);
    if (!line.starts_with('#')) continue;
    names.emplace_back(without_blanks(line.substr(std::min(line.find(' '), line.size()))));
    return;
  }
}

/// Returns the names that the model in a folder may go by: the name of the folder, that of its
/// repository if it lies in a cache of the hub, and the names in its model card (README.md), such
/// as that of the model from which it was made. They serve for notes only: no vector depends on
/// them.
std::vector<std::string> names_of_folder(const fs::path& folder) {
  const fs::path path = without_trailing_slash(folder);
  std::vector<std::string> names = {text_of_path(path.filename())};
  // A cache of the hub has models--ORGANIZATION--NAME/snapshots/COMMIT.
  if (path.parent_path().filename() == "snapshots")
    names.push_back(text_of_path(path.parent_path().parent_path().filename()));
  if (const auto card = MappedFile::open(folder / "README.md")) {
    const std::string_view text = as_text(card->bytes());
    add_names_of_card(text.substr(0, std::min(text.size(), max_card_bytes)), names);
  }
  return names;
}

/// The ends of the names of architectures with another use than vectors of texts.
constexpr auto other_architectures = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"ForCausalLM", "a model that generates text"},
     {"LMHeadModel", "a model that generates text"},
     {"ForTokenClassification", "a classifier of tokens"},
     {"ForQuestionAnswering", "a model that finds answers in a text"},
     {"ForSequenceClassification", "a classifier of another family than those of cross-encoders"},
     {"ForMultipleChoice", "a model that chooses answers"},
     {"ForNextSentencePrediction", "a classifier of pairs of sentences"},
     {"ColBERT", "a ColBERT model, which makes a vector for each token"}});

/// Files that only models of another kind have.
constexpr auto other_files = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"query_token_weights.txt", "a sparse model"},
     {"idf.json", "a sparse model"},
     {"sparse_linear.pt", "a model whose pooling is not stated"},
     {"1_SpladePooling", "a sparse model (SPLADE)"},
     {"artifact.metadata", "a ColBERT model, which makes a vector for each token"},
     {"1_Dense", "a model with a dense module after the encoder, as ColBERT models have"}});

/// Checks that a folder without modules.json is not the encoder of a model of another kind, such as
/// a sparse or a generating one. `architecture` is the first of its architectures; empty if it
/// names none. Fails with unsupported, naming the kind.
Result<void> check_use(const fs::path& folder, std::string_view architecture) {
  for (const auto& [end, what] : other_architectures) {
    if (!architecture.ends_with(end)) continue;
    return fail_in(folder / "config.json", ErrorCode::unsupported,
                   "architectures: {}, which is {}, expected an encoder such as BertModel, whose "
                   "vectors can be pooled",
                   architecture, what);
  }
  for (const auto& [name, what] : other_files) {
    std::error_code error;
    if (!fs::exists(folder / path_of_text(name), error)) continue;
    return fail_in(folder, ErrorCode::unsupported,
                   "the folder has no modules.json, and its {} shows that it is {}, expected a "
                   "sentence embedding model",
                   name, what);
  }
  return {};
}

/// Returns the stated length or, if there is none, what the tokenizer and the positions allow.
/// Folders of the XLM-R family state the number of rows of the position table. This means all
/// positions that texts can have.
Result<std::uint32_t> find_length(const SentenceModules& modules, const FolderTokenizer& tokenizer,
                                  const ModelSpec& spec) {
  const auto check = [&](std::string_view key, double length) -> Result<std::uint32_t> {
    if (length >= spec.least_length() && length <= spec.max_tokens())
      return static_cast<std::uint32_t>(length);
    return fail_in(modules.encoder, ErrorCode::bad_value, "{} is {}, expected {} to {}", key,
                   length, spec.least_length(), spec.max_tokens());
  };
  if (modules.max_seq_length == spec.max_positions) return spec.max_tokens();
  if (modules.max_seq_length) return check("max_seq_length", *modules.max_seq_length);
  if (!tokenizer.model_max_length) return check("max_position_embeddings", spec.max_tokens());
  return check("model_max_length",
               std::min(*tokenizer.model_max_length, static_cast<double>(spec.max_tokens())));
}

/// Gives names to rows of the word table without a token. No text can contain such a name as a
/// token, because a bracket is a word of its own.
void fill_up_vocab(std::vector<std::string>& vocab, std::uint32_t size) {
  while (vocab.size() < size) vocab.push_back(fmt::format("[no token {}]", vocab.size()));
}

/// Removes tokens that are only added and have no row in the word table, such as Gemma's token for
/// images. A text with such a token has its letters; transformers fails for it.
void remove_rowless_tokens(std::uint32_t rows, FolderTokenizer& tokenizer) {
  const auto has_no_row = [rows](std::int32_t id) {
    return static_cast<std::uint32_t>(id) >= rows;
  };
  if (std::ranges::any_of(tokenizer.special.ids(), has_no_row)) return;
  const std::size_t removed = std::erase_if(tokenizer.added_tokens, [&](const AddedToken& token) {
    return token.only_added && has_no_row(token.id);
  });
  tokenizer.vocab.resize(tokenizer.vocab.size() - removed);
}

void take_tokenizer(FolderTokenizer& tokenizer, ModelFolder& model) {
  ModelSpec& spec = model.spec;
  spec.added_tokens = std::move(tokenizer.added_tokens);
  spec.truncation_side = tokenizer.truncation_side;
  spec.do_lower_case = tokenizer.lower_case;
  spec.strip_accents = tokenizer.strip_accents;
  spec.bpe = tokenizer.bpe;
  spec.words = tokenizer.words;
  spec.unknown_piece = tokenizer.unknown_piece;
  spec.byte_fallback = tokenizer.byte_fallback;
  spec.mask_lstrip = tokenizer.mask_lstrip;
  model.special = tokenizer.special;
  model.vocab = std::move(tokenizer.vocab);
  model.merges = std::move(tokenizer.merges);
  model.scores = std::move(tokenizer.scores);
  model.character_map = std::move(tokenizer.character_map);
  // For Unigram, rows without a token are left out, because the trie would contain their names.
  if (spec.tokenizer == TokenizerKind::unigram) {
    spec.vocab_size = static_cast<std::uint32_t>(model.vocab.size());
  } else {
    fill_up_vocab(model.vocab, spec.vocab_size);
  }
}

/// Takes the modules behind Pooling. Checks that each takes the vector that there is.
Result<void> take_modules(const SentenceModules& modules, ModelSpec& spec) {
  std::uint32_t dim = spec.pooled_dim(spec.pooling);
  for (const auto& [stated, folder] : modules.modules) {
    VectorModule module = stated;
    if (module.kind == VectorModuleKind::normalize) module.in = module.out = dim;
    if (module.in != dim) {
      return fail_in(folder / "config.json", ErrorCode::bad_value,
                     "{} takes {} components, but the vector before it has {}",
                     name_of(module.kind, vector_module_names), module.in, dim);
    }
    dim = module.out;
    spec.modules.push_back(module);
  }
  return {};
}

/// Opens the weights of the modules behind Pooling.
Result<void> open_modules(const SentenceModules& modules, Checkpoint& weights) {
  for (std::uint32_t i = 0; i < modules.modules.size(); ++i) {
    const auto& [module, folder] = modules.modules[i];
    if (module.kind != VectorModuleKind::normalize)
      EMBD_TRY(weights.add_module(i, module.kind, folder));
  }
  return {};
}

/// Reads the settings of a sentence embedding model.
Result<void> read_pooling(const std::filesystem::path& folder, const SentenceModules& modules,
                          ModelSpec& spec) {
  const bool is_joined = modules.poolings.size() > 1;
  spec.pooling = is_joined ? Pooling::joined : modules.poolings.front();
  if (is_joined) spec.joined_poolings = modules.poolings;
  EMBD_TRY(take_modules(modules, spec));
  if (modules.truncate_dim > spec.full_dim()) {
    return fail_in(folder, ErrorCode::bad_value,
                   "truncate_dim is {}, expected at most {}, the components of a vector",
                   modules.truncate_dim, spec.full_dim());
  }
  spec.normalize = modules.normalize;
  spec.dim = modules.truncate_dim == 0 ? spec.full_dim() : modules.truncate_dim;
  spec.similarity = modules.similarity;
  return {};
}

/// Reads the settings of a cross-encoder.
Result<void> read_classifier(const SentenceModules& modules, const Checkpoint& weights,
                             ModelSpec& spec) {
  ClassifierFacts facts;
  facts.activation = modules.activation;
  facts.least_token_types = spec.token_template().second_type + 1U;
  facts.num_logits = EMBD_TRY(weights.rows_of(Module::classifier));
  if (spec.token_types > 0)
    facts.num_token_types = EMBD_TRY(weights.rows_of(Module::token_type_embeddings));
  ClassifierConfig config = EMBD_TRY(read_classifier_config(modules.encoder, facts));
  spec.head = HeadKind::classifier;
  spec.dim = spec.hidden;
  spec.num_labels = static_cast<std::uint32_t>(config.labels.size());
  spec.labels = std::move(config.labels);
  spec.score_activation = config.activation;
  spec.token_types = config.token_types;
  return {};
}

/// Returns what a user should know about a sentence embedding model.
std::vector<ModelNote> notes_on(const std::filesystem::path& folder, const SentenceModules& modules,
                                const BertConfig& bert) {
  std::vector<ModelNote> notes;
  if (!modules.are_listed) {
    const std::string of =
        bert.architecture.empty() ? "" : fmt::format(" of this {}", bert.architecture);
    notes.push_back({NoteKind::assumed_pooling,
                     fmt::format("the folder has no modules.json, which would say how vectors are "
                                 "made of the rows{}: each is the mean of its tokens' rows, not "
                                 "scaled to length 1, as in sentence-transformers",
                                 of)});
  }
  std::vector<std::string> names = names_of_folder(folder);
  names.push_back(text_of_path(path_of_text(bert.name_or_path).filename()));
  if (auto note = note_missing_prompts(names, modules.prompts)) notes.push_back(*std::move(note));
  return notes;
}

/// The number of tokens to which a static model cuts a text if its tokenizer states no number. It
/// limits the memory for a text.
constexpr std::uint32_t most_static_tokens = std::uint32_t{1} << 20;

/// Reads a static model: a table with a row for each token, whose mean is the vector of a text.
Result<ModelFolder> read_static(const std::filesystem::path& folder,
                                const SentenceModules& modules) {
  FolderTokenizer tokenizer = EMBD_TRY(read_static_tokenizer(modules.encoder));
  ModelFolder model;
  model.encoder = modules.encoder;
  model.weights = EMBD_TRY(Checkpoint::open(modules.encoder, Family::bert));
  ModelSpec& spec = model.spec;
  spec.vocab_size = static_cast<std::uint32_t>(tokenizer.vocab.size());
  spec.hidden = EMBD_TRY(in_file(modules.encoder, model.weights.add_static_table(spec.vocab_size)));
  spec.num_heads = 1;
  spec.token_types = 0;
  spec.architecture.positions = Positions::none;
  spec.max_positions = most_static_tokens;
  spec.tokenizer = tokenizer.kind;
  spec.pair_template = tokenizer.pair_template;
  EMBD_TRY(open_modules(modules, model.weights));
  EMBD_TRY(read_pooling(folder, modules, spec));
  if (auto note = note_missing_prompts(names_of_folder(folder), modules.prompts))
    model.notes.push_back(*std::move(note));
  take_tokenizer(tokenizer, model);
  spec.max_seq_length = EMBD_TRY(find_length(modules, tokenizer, spec));
  spec.prompts = modules.prompts;
  spec.default_prompt_name = modules.default_prompt_name;
  return model;
}

/// Checks that a folder has a config.json. If it has none, the error says what there is instead.
Result<void> check_is_model(const std::filesystem::path& folder) {
  std::error_code error;
  for (const char* name : {"config.json", "modules.json"})
    if (std::filesystem::exists(folder / path_of_text(name), error)) return {};
  const std::string others = weights_of_other_formats(folder);
  if (others.empty()) return {};  // The error about config.json says enough.
  return fail_in(folder, ErrorCode::unsupported,
                 "the folder has {}, expected config.json and model.safetensors, the form of the "
                 "Hugging Face hub",
                 others);
}

}  // namespace

Result<ModelFolder> read_model_folder(const std::filesystem::path& folder) {
  EMBD_TRY(check_is_model(folder));
  const SentenceModules modules = EMBD_TRY(read_sentence_modules(folder));
  if (modules.are_static) return read_static(folder, modules);
  const BertConfig bert = EMBD_TRY(read_bert_config(modules.encoder));
  if (!modules.are_listed)
    EMBD_TRY(check_use(folder, bert.has_classifier ? "" : bert.architecture));
  FolderTokenizer tokenizer = EMBD_TRY(read_folder_tokenizer(
      modules.encoder, bert.takes_tokenizer_file ? as_it_is : bert.tokenizer_class));
  const bool lowers = tokenizer.kind == TokenizerKind::wordpiece && tokenizer.lower_case;
  if (modules.lower_case && !lowers) {
    return fail_in(modules.encoder, ErrorCode::unsupported,
                   "do_lower_case is true in the configuration of sentence-transformers, but the "
                   "tokenizer keeps upper case and accents: the two must agree");
  }
  std::error_code error;
  if (std::filesystem::exists(modules.encoder / "adapter_config.json", error)) {
    return fail_in(modules.encoder, ErrorCode::unsupported,
                   "the folder contains an adapter (adapter_config.json), which embd cannot read: "
                   "merge the adapter into the model first");
  }

  ModelFolder model;
  model.encoder = modules.encoder;
  model.weights = EMBD_TRY(Checkpoint::open(modules.encoder, bert.family));
  ModelSpec& spec = model.spec;
  spec = EMBD_TRY(in_file(modules.encoder, bert.sizes.proven_by(model.weights)));
  if (tokenizer.bpe.is_sentencepiece()) remove_rowless_tokens(spec.vocab_size, tokenizer);
  if (tokenizer.vocab.size() > spec.vocab_size) {
    return fail_in(modules.encoder, ErrorCode::vocabulary_count,
                   "the vocabulary has {} tokens, but vocab_size in config.json is {}",
                   tokenizer.vocab.size(), spec.vocab_size);
  }
  if (bert.padding && *bert.padding != tokenizer.special.pad) {
    return fail_in(modules.encoder, ErrorCode::unsupported,
                   "the encoder's positions leave out token {}, the padding token (pad_token_id in "
                   "config.json), but the id of the tokenizer's padding token is {}",
                   *bert.padding, tokenizer.special.pad);
  }
  // A folder that lists no modules is a bare encoder or, with a classifier, a cross-encoder.
  const bool is_cross_encoder =
      modules.are_listed ? modules.are_cross_encoder : bert.has_classifier;
  spec.tokenizer = tokenizer.kind;
  spec.pair_template = tokenizer.pair_template;
  EMBD_TRY(open_modules(modules, model.weights));
  EMBD_TRY(is_cross_encoder
               ? in_file(modules.encoder, read_classifier(modules, model.weights, spec))
               : read_pooling(folder, modules, spec));
  if (!is_cross_encoder) model.notes = notes_on(folder, modules, bert);
  take_tokenizer(tokenizer, model);
  spec.max_seq_length = EMBD_TRY(find_length(modules, tokenizer, spec));
  spec.prompts = modules.prompts;
  spec.default_prompt_name = modules.default_prompt_name;
  return model;
}

}  // namespace embd::huggingface
