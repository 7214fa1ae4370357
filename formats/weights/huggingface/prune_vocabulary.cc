#include "formats/weights/huggingface/model_folder.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/try.h"
#include "base/utf8.h"
#include "tokenizer/double_array.h"
#include "tokenizer/token_sink.h"
#include "tokenizer/unigram/unigram_tokenizer.h"

namespace embd::huggingface {
namespace {

/// The tokenizer of a folder with all of its pieces.
class FolderUnigram {
 public:
  /// Makes the tokenizer. The model must outlive it.
  static Result<std::unique_ptr<const FolderUnigram>> create(const ModelFolder& model) {
    auto made = std::make_unique<FolderUnigram>();
    made->texts_.assign(model.vocab.begin(), model.vocab.end());
    const SpecialTokenIds& special = model.special;
    const std::span<const std::string_view> texts = made->texts_;
    const auto pieces = texts.first(model.scores.size());
    made->trie_ = EMBD_TRY(build_double_array(pieces));
    auto characters = EMBD_TRY(unigram::CharacterMap::create(as_bytes(model.character_map)));
    made->tokenizer_ = EMBD_TRY(
        UnigramTokenizer::create({.pieces = {.texts = pieces,
                                             .scores = model.scores,
                                             .trie = std::as_bytes(std::span(made->trie_))},
                                  .tokens = texts,
                                  .characters = std::move(characters),
                                  .special = special,
                                  .added = model.spec.tokens_in_texts(special)},
                                 {.words = model.spec.words,
                                  .pieces = {.unk = model.spec.unknown_piece.value_or(special.unk),
                                             .byte_fallback = model.spec.byte_fallback}}));
    return made;
  }

  const UnigramTokenizer& tokenizer() const noexcept { return *tokenizer_; }

 private:
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> trie_;
  std::unique_ptr<const UnigramTokenizer> tokenizer_;
};

/// The set of pieces that texts need.
class PieceMarks {
 public:
  PieceMarks(const UnigramTokenizer& tokenizer, std::size_t vocab_size)
      : texts_(tokenizer.make_text_tokenizer()), needed_(vocab_size) {}

  Result<void> mark_text(std::string_view text) {
    ids_.clear();
    TokenSink sink({}, ids_, nullptr, text.data());
    EMBD_TRY(texts_->tokenize(text, sink));
    sink.finish();
    for (const std::int32_t id : ids_) mark(id);
    return {};
  }
  void mark(std::int32_t id) { needed_[static_cast<std::size_t>(id)] = true; }
  bool is_marked(std::size_t id) const { return needed_[id]; }

 private:
  std::unique_ptr<TextTokenizer> texts_;
  std::vector<bool> needed_;
  std::vector<std::int32_t> ids_;
};

/// Marks pieces of one character that occur in marked pieces, so that new words of the same letters
/// can be tokenized.
void mark_characters(const ModelFolder& model, const unigram::Pieces& pieces, PieceMarks& marks) {
  for (std::size_t id = 0; id < model.vocab.size(); ++id) {
    if (!marks.is_marked(id)) continue;
    const std::string_view piece = model.vocab[id];
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t size = decode_utf8(piece.data() + at, piece.data() + piece.size()).size;
      if (const auto character = pieces.find(piece.substr(at, size))) marks.mark(*character);
      at += size;
    }
  }
}

}  // namespace

Result<std::vector<std::int32_t>> needed_pieces(const ModelFolder& model,
                                                std::span<const std::string> texts) try {
  if (model.spec.tokenizer != TokenizerKind::unigram) {
    const bool is_bpe = model.spec.tokenizer == TokenizerKind::bpe;
    return fail(ErrorCode::unsupported,
                "the tokenizer of the model is {}, but only the vocabulary of a Unigram tokenizer "
                "can be pruned{}",
                is_bpe ? "byte-level BPE" : "WordPiece",
                is_bpe ? ": words are merged through tokens that do not occur in the "
                         "result"
                       : "");
  }
  const auto unigram = EMBD_TRY(FolderUnigram::create(model));
  PieceMarks marks(unigram->tokenizer(), model.vocab.size());
  for (const Prompt& prompt : model.spec.prompts) EMBD_TRY(marks.mark_text(prompt.text));
  for (const std::string& text : texts) {
    EMBD_TRY(marks.mark_text(text));
    for (const Prompt& prompt : model.spec.prompts) {
      if (!prompt.text.empty()) EMBD_TRY(marks.mark_text(prompt.text + text));
    }
  }
  const unigram::Pieces& pieces = unigram->tokenizer().pieces();
  mark_characters(model, pieces, marks);
  for (const AddedToken& token : model.spec.tokens_in_texts(model.special)) marks.mark(token.id);
  if (model.spec.unknown_piece) marks.mark(*model.spec.unknown_piece);
  for (int byte = 0; byte < 256; ++byte) {
    if (const auto id = pieces.byte_piece(static_cast<char>(byte))) marks.mark(*id);
  }
  marks.mark(
      static_cast<std::int32_t>(std::ranges::min_element(model.scores) - model.scores.begin()));

  std::vector<std::int32_t> needed;
  for (std::size_t id = 0; id < model.vocab.size(); ++id) {
    if (marks.is_marked(id)) needed.push_back(static_cast<std::int32_t>(id));
  }
  return needed;
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory for the tokens of the texts");
}

void keep_pieces(ModelFolder& model, std::span<const std::int32_t> kept) {
  const auto new_id = [kept](std::int32_t id) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(kept, id) - kept.begin());
  };
  SpecialTokenIds& special = model.special;
  special = {.pad = new_id(special.pad),
             .unk = new_id(special.unk),
             .cls = new_id(special.cls),
             .sep = new_id(special.sep),
             .mask = new_id(special.mask)};
  auto& unknown = model.spec.unknown_piece;
  if (unknown) unknown = new_id(*unknown);
  for (AddedToken& token : model.spec.added_tokens) token.id = new_id(token.id);
  const auto num_pieces =
      static_cast<std::size_t>(new_id(static_cast<std::int32_t>(model.scores.size())));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto from = static_cast<std::size_t>(kept[i]);
    if (from == i) continue;
    model.vocab[i] = std::move(model.vocab[from]);
    if (i < num_pieces) model.scores[i] = model.scores[from];
  }
  model.vocab.resize(kept.size());
  model.scores.resize(num_pieces);
  model.spec.vocab_size = static_cast<std::uint32_t>(kept.size());
}

}  // namespace embd::huggingface
