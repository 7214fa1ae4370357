#include "engine/tokenizers.h"

#include "base/try.h"
#include "formats/weights/embd/embd_bpe.h"
#include "formats/weights/embd/embd_unigram.h"
#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

namespace embd {
namespace {

Result<std::unique_ptr<const Tokenizer>> make_wordpiece(const WeightFile& file) {
  auto vocabulary = EMBD_TRY(
      wordpiece::Vocabulary::create(file.vocab(), file.special_tokens(), file.spec().added_tokens));
  const ModelSpec& spec = file.spec();
  const WordPieceOptions options = {.lower_case = spec.do_lower_case,
                                    .strip_accents = spec.strip_accents,
                                    .pair_template = spec.pair_template,
                                    .has_types = spec.token_types > 0,
                                    .added = spec.added_tokens};
  EMBD_TRY(WordPieceTokenizer::check_options(vocabulary, options));
  return std::make_unique<const WordPieceTokenizer>(std::move(vocabulary), options);
}

}  // namespace

Result<std::unique_ptr<const Tokenizer>> make_tokenizer(const WeightFile& file) {
  switch (file.spec().tokenizer) {
    case TokenizerKind::unigram:
      return make_unigram_tokenizer(file);
    case TokenizerKind::bpe:
      return make_bpe_tokenizer(file);
    case TokenizerKind::wordpiece:
      break;
  }
  return make_wordpiece(file);
}

}  // namespace embd
