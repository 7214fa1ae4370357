#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/try.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/model_spec.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/double_array.h"
#include "tokenizer/unigram/unigram_tokenizer.h"
#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

namespace embd::testing {

/// A tokenizer that was read from a folder, with all data that it refers to.
class FolderTokenizerData {
 public:
  static Result<std::unique_ptr<const FolderTokenizerData>> create(
      huggingface::FolderTokenizer read) {
    auto made = std::unique_ptr<FolderTokenizerData>(new FolderTokenizerData(std::move(read)));
    made->tokenizer_ = EMBD_TRY(made->make());
    return made;
  }

  const Tokenizer& tokenizer() const noexcept { return *tokenizer_; }

 private:
  explicit FolderTokenizerData(huggingface::FolderTokenizer read)
      : read_(std::move(read)), texts_(read_.vocab.begin(), read_.vocab.end()) {
    spec_.tokenizer = read_.kind;
    spec_.added_tokens = read_.added_tokens;
    spec_.mask_lstrip = read_.mask_lstrip;
  }

  Result<std::unique_ptr<const Tokenizer>> make() {
    switch (read_.kind) {
      case TokenizerKind::unigram:
        return make_unigram();
      case TokenizerKind::bpe:
        return BpeTokenizer::create({.tables = {.tokens = texts_, .merges = read_.merges},
                                     .special = read_.special,
                                     .added = spec_.tokens_in_texts(read_.special)},
                                    {.rules = read_.bpe});
      case TokenizerKind::wordpiece:
        break;
    }
    auto vocabulary =
        EMBD_TRY(wordpiece::Vocabulary::create(texts_, read_.special, read_.added_tokens));
    const WordPieceOptions options = {.lower_case = read_.lower_case,
                                      .strip_accents = read_.strip_accents,
                                      .pair_template = read_.pair_template,
                                      .added = read_.added_tokens};
    EMBD_TRY(WordPieceTokenizer::check_options(vocabulary, options));
    return std::make_unique<const WordPieceTokenizer>(std::move(vocabulary), options);
  }

  Result<std::unique_ptr<const Tokenizer>> make_unigram() {
    const std::span<const std::string_view> texts = texts_;
    const auto pieces = texts.first(read_.scores.size());
    trie_ = EMBD_TRY(build_double_array(pieces));
    const auto characters = EMBD_TRY(unigram::CharacterMap::create(as_bytes(read_.character_map)));
    return UnigramTokenizer::create(
        {.pieces = {.texts = pieces,
                    .scores = read_.scores,
                    .trie = std::as_bytes(std::span(trie_))},
         .tokens = texts,
         .characters = characters,
         .special = read_.special,
         .added = spec_.tokens_in_texts(read_.special)},
        {.words = read_.words,
         .pieces = {.unk = read_.unknown_piece.value_or(read_.special.unk),
                    .byte_fallback = read_.byte_fallback}});
  }

  huggingface::FolderTokenizer read_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> trie_;
  ModelSpec spec_;
  std::unique_ptr<const Tokenizer> tokenizer_;
};

}  // namespace embd::testing
