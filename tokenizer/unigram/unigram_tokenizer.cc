#include "tokenizer/unigram/unigram_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/try.h"
#include "tokenizer/unigram/decode.h"
#include "tokenizer/unigram/piece_cache.h"
#include "tokenizer/unigram/viterbi.h"
#include "tokenizer/unigram/word.h"
#include "tokenizer/unigram/word_reader.h"

namespace embd::unigram {
namespace {

class UnigramTextTokenizer final : public TextTokenizer {
 public:
  explicit UnigramTextTokenizer(const UnigramTokenizer& tokenizer)
      : tokenizer_(tokenizer), viterbi_(tokenizer.pieces()) {}

  Result<void> tokenize(std::string_view text, TokenSink& sink) override {
    Result<void> done = add_parts(text, sink);
    viterbi_.shrink();
    word_.shrink();
    return done;
  }

 private:
  /// Adds the tokens of a text: its added tokens, and the words between them.
  Result<void> add_parts(std::string_view text, TokenSink& sink);
  /// Adds the words of a text without added tokens. `begins_text` is true if nothing stands before
  /// it.
  Result<void> add_words(std::string_view text, bool begins_text, TokenSink& sink);
  /// Adds the tokens of word_.
  Result<void> add_word(TokenSink& sink);

  const UnigramTokenizer& tokenizer_;
  Word word_;
  Viterbi viterbi_;
  PieceCache cache_;
};

Result<void> UnigramTextTokenizer::add_parts(std::string_view text, TokenSink& sink) {
  for (std::size_t position = 0; position < text.size();) {
    const auto added = tokenizer_.added_tokens().find(text, position);
    const std::size_t end = added ? added->begin : text.size();
    EMBD_TRY(add_words(text.substr(position, end - position), position == 0, sink));
    if (!added) break;
    sink.add(added->id);
    if (sink.wants_ranges()) {
      sink.add_range(text.substr(added->text_begin, added->end - added->text_begin));
    }
    position = added->end;
  }
  return {};
}

Result<void> UnigramTextTokenizer::add_words(std::string_view text, bool begins_text,
                                             TokenSink& sink) {
  WordReader words(tokenizer_.normalizer(), tokenizer_.word_options(), text, begins_text);
  const bool wants_sources = sink.wants_ranges();
  for (word_.clear(wants_sources); words.next(word_); word_.clear(wants_sources)) {
    EMBD_TRY(add_word(sink));
  }
  return {};
}

Result<void> UnigramTextTokenizer::add_word(TokenSink& sink) {
  const bool wants_ranges = sink.wants_ranges();
  // The cache has ids alone.
  if (!wants_ranges) {
    if (const auto kept = cache_.find(word_.text())) {
      sink.add(*kept);
      return {};
    }
  }
  EMBD_TRY(viterbi_.cut(word_.text()));
  std::array<std::int32_t, PieceCache::max_ids> first;
  std::size_t count = 0;
  for (Viterbi::Piece piece; viterbi_.next(piece); ++count) {
    sink.add(piece.id);
    if (wants_ranges) sink.add_range(word_.take_source(piece.size));
    if (count < first.size()) first[count] = piece.id;
  }
  if (!wants_ranges && count <= first.size())
    cache_.store(word_.text(), std::span(first).first(count));
  return {};
}

/// The name of CharacterMapRule::clusters_of_unicode_17 in the hash, because ids depend on the
/// rule.
constexpr std::string_view character_map_rule =
    "shortest key of a grapheme cluster below 6 bytes, Unicode 17";

/// Computes the SHA-256 of fields, which are written so that different lists of fields give
/// different bytes. Fields are collected in a buffer, because a vocabulary has hundreds of
/// thousands.
class FieldHash {
 public:
  void u8(std::uint8_t value) { bytes(std::as_bytes(std::span(&value, 1))); }
  void u32(std::uint32_t value) { bytes(std::as_bytes(std::span(&value, 1))); }
  void bytes(Bytes value) {
    if (value.size() > fields_.size() - size_) {
      flush();
      if (value.size() > fields_.size()) return hash_.update(value);
    }
    std::ranges::copy(value, fields_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += value.size();
  }
  void text(std::string_view value) { bytes(as_bytes(value)); }
  /// Adds a value after its size.
  void sized(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    text(value);
  }
  /// Returns the hash as hex digits. Must be called only once.
  std::string hex() {
    flush();
    return hash_.hex();
  }

 private:
  void flush() {
    hash_.update(std::span(fields_).first(size_));
    size_ = 0;
  }

  std::array<std::byte, 16384> fields_;
  std::size_t size_ = 0;
  Sha256 hash_;
};

void write_options(FieldHash& out, const UnigramOptions& options) {
  const WordOptions& words = options.words;
  for (const int value :
       {static_cast<int>(words.layout), static_cast<int>(words.prepend_scheme),
        static_cast<int>(words.split), static_cast<int>(words.strip_right),
        static_cast<int>(words.merge_spaces), static_cast<int>(options.pieces.byte_fallback)}) {
    out.u8(static_cast<std::uint8_t>(value));
  }
  out.u32(static_cast<std::uint32_t>(options.pieces.unk.value_or(-1)));
}

}  // namespace
}  // namespace embd::unigram

namespace embd {

Result<std::unique_ptr<const UnigramTokenizer>> UnigramTokenizer::create(
    UnigramVocabulary vocabulary, const UnigramOptions& options) try {
  // With these options, `tokenizers` treats every word that it aligns with the first character as
  // the first word.
  if (options.words.layout == unigram::Layout::words &&
      options.words.prepend_scheme == unigram::PrependScheme::first) {
    return fail(ErrorCode::unsupported,
                "the pre-tokenizer WhitespaceSplit cannot be combined with a Metaspace whose "
                "prepend_scheme is \"first\"");
  }
  const auto pieces = EMBD_TRY(unigram::Pieces::create(vocabulary.pieces, options.pieces));
  auto added = EMBD_TRY(unigram::AddedTokens::create(vocabulary.added));
  return std::unique_ptr<const UnigramTokenizer>(
      new UnigramTokenizer(std::move(vocabulary), options, pieces, std::move(added)));
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory for a Unigram tokenizer");
}

UnigramTokenizer::UnigramTokenizer(UnigramVocabulary vocabulary, const UnigramOptions& options,
                                   const unigram::Pieces& pieces, unigram::AddedTokens added_tokens)
    : Tokenizer(token_template(options.pair_template, vocabulary.special, options.has_types)),
      vocabulary_(std::move(vocabulary)),
      options_(options),
      pieces_(pieces),
      normalizer_(vocabulary_.characters),
      added_tokens_(std::move(added_tokens)) {}

std::unique_ptr<TextTokenizer> UnigramTokenizer::make_text_tokenizer() const {
  return std::make_unique<unigram::UnigramTextTokenizer>(*this);
}

std::string_view UnigramTokenizer::token(std::int32_t id) const noexcept {
  const auto texts = vocabulary_.pieces.texts;
  return id >= 0 && static_cast<std::size_t>(id) < texts.size() ? texts[id] : std::string_view();
}

std::string UnigramTokenizer::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  std::vector<std::string_view> tokens;
  for (const std::int32_t id : ids) {
    const auto is_added = [id](const unigram::AddedToken& added) { return added.id == id; };
    if (skip_special && std::ranges::any_of(vocabulary_.added, is_added)) continue;
    if (const std::string_view text = token(id); !text.empty()) tokens.push_back(text);
  }
  return unigram::decode(tokens, options_.words.prepend_scheme);
}

std::string UnigramTokenizer::hash() const {
  unigram::FieldHash description;
  description.text("embd tokenizer 1: Unigram\n");
  description.sized(unigram::character_map_rule);
  unigram::write_options(description, options_);
  for (const std::int32_t id : vocabulary_.special.ids()) {
    description.u32(static_cast<std::uint32_t>(id));
  }
  description.u32(static_cast<std::uint32_t>(vocabulary_.added.size()));
  for (const unigram::AddedToken& added : vocabulary_.added) {
    description.sized(added.text);
    description.u32(static_cast<std::uint32_t>(added.id));
    description.u8(added.lstrip ? 1 : 0);
  }
  description.sized(as_text(vocabulary_.characters.bytes()));
  for (const std::string_view token : vocabulary_.pieces.texts) {
    description.sized(token);
  }
  description.bytes(std::as_bytes(vocabulary_.pieces.scores));
  // Only some models have another, so that the hashes of the others stay as they are.
  if (options_.pair_template != usual_pair_template(TokenizerKind::unigram))
    description.sized(name_of(options_.pair_template, pair_template_names));
  return description.hex();
}

}  // namespace embd
