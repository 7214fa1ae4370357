#include "tokenizer/unigram/unigram_tokenizer.h"

#include <fmt/format.h>

#include <new>
#include <optional>
#include <span>

#include "base/try.h"
#include "tokenizer/unigram/word_reader.h"

namespace embd {

/// Where the tokens of a text go.
struct UnigramWorker::Output {
  std::string_view text;
  std::vector<std::int32_t>& ids;
  std::vector<ByteRange>* ranges;  ///< null: nobody asks for them

  /// `source` is a part of text, or has no data().
  void add_range(std::string_view source) const {
    if (source.empty()) {
      ranges->emplace_back();
    } else {
      const auto begin = static_cast<std::size_t>(source.data() - text.data());
      ranges->push_back({begin, begin + source.size()});
    }
  }
};

Result<UnigramTokenizer> UnigramTokenizer::create(const unigram::Pieces& pieces,
                                                  const unigram::CharacterMap& characters,
                                                  unigram::AddedTokens added_tokens,
                                                  const unigram::WordOptions& options) {
  // There, `tokenizers` takes any word for the first one that it aligns with the first character.
  if (options.layout == unigram::Layout::words &&
      options.prepend_scheme == unigram::PrependScheme::first) {
    return fail(ErrorCode::unsupported,
                "the pre-tokenizer WhitespaceSplit with a Metaspace whose prepend_scheme is first");
  }
  return UnigramTokenizer(pieces, characters, std::move(added_tokens), options);
}

Result<void> UnigramWorker::encode(std::string_view text, std::vector<std::int32_t>& ids,
                                   std::vector<ByteRange>* ranges) {
  const std::size_t old_ids = ids.size();
  const std::size_t old_ranges = ranges == nullptr ? 0 : ranges->size();
  Result<void> result;
  try {
    result = encode_parts(text, {text, ids, ranges});
  } catch (const std::bad_alloc&) {
    result =
        fail(ErrorCode::out_of_memory, fmt::format("tokens of a text of {} bytes", text.size()));
  }
  if (!result) {
    ids.resize(old_ids);
    if (ranges != nullptr) ranges->resize(old_ranges);
  }
  viterbi_.shrink();
  word_.shrink();
  return result;
}

/// Cuts the added tokens out of the text.
Result<void> UnigramWorker::encode_parts(std::string_view text, const Output& output) {
  for (std::size_t position = 0; position < text.size();) {
    const auto added = tokenizer_->added_tokens().find(text, position);
    const std::size_t end = added ? added->begin : text.size();
    EMBD_TRY(encode_words(text.substr(position, end - position), position == 0, output));
    if (!added) break;
    output.ids.push_back(added->id);
    if (output.ranges != nullptr) {
      output.add_range(text.substr(added->text_begin, added->end - added->text_begin));
    }
    position = added->end;
  }
  return {};
}

Result<void> UnigramWorker::encode_words(std::string_view text, bool begins_text,
                                         const Output& output) {
  unigram::WordReader words(tokenizer_->normalizer(), tokenizer_->options(), text, begins_text);
  const bool wants_sources = output.ranges != nullptr;
  for (word_.clear(wants_sources); words.next(word_); word_.clear(wants_sources)) {
    EMBD_TRY(encode_word(output));
  }
  return {};
}

Result<void> UnigramWorker::encode_word(const Output& output) {
  // The cache has ids alone.
  const bool may_cache = output.ranges == nullptr;
  if (may_cache) {
    if (const auto kept = cache_.find(word_.text())) {
      output.ids.insert(output.ids.end(), kept->begin(), kept->end());
      return {};
    }
  }
  EMBD_TRY(viterbi_.cut(word_.text()));
  const std::size_t first = output.ids.size();
  for (unigram::Viterbi::Piece piece; viterbi_.next(piece);) {
    output.ids.push_back(piece.id);
    if (!may_cache) output.add_range(word_.take_source(piece.size));
  }
  if (may_cache) cache_.store(word_.text(), std::span(output.ids).subspan(first));
  return {};
}

}  // namespace embd
