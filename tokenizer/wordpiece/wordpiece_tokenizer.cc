#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/try.h"
#include "base/utf8.h"
#include "tokenizer/field_hash.h"
#include "tokenizer/wordpiece/pretokenize.h"
#include "tokenizer/wordpiece/short_word.h"

namespace embd::wordpiece {
namespace {

/// A cache of the ids of short words, because texts repeat the same words. Each word has one
/// possible place, where the last word that was stored stays.
class WordCache {
 public:
  /// The largest number of ids of a word; words with more ids are too rare to keep.
  static constexpr std::size_t max_ids = 3;

  struct Entry {
    ShortWord word;  ///< all zero: empty
    std::array<std::int32_t, max_ids> ids;
    std::uint32_t num_ids;

    std::span<const std::int32_t> found() const noexcept { return {ids.data(), num_ids}; }
  };
  static_assert(sizeof(Entry) == 32, "two to a cache line");

  WordCache() : entries_(std::size_t{1} << num_bits) {}

  /// Returns the place of a word, which may hold another word.
  Entry& operator[](const ShortWord& word) noexcept {
    const std::uint64_t hash = word.low * 0x9e3779b97f4a7c15U + word.high * 0xc2b2ae3d27d4eb4fU;
    return entries_[hash >> (64 - num_bits)];
  }

 private:
  static constexpr int num_bits = 14;  // 512 KB, within a core's own cache

  std::vector<Entry> entries_;
};

class WordPieceTextTokenizer final : public TextTokenizer {
 public:
  explicit WordPieceTextTokenizer(const WordPieceTokenizer& tokenizer) : tokenizer_(tokenizer) {}

  Result<void> tokenize(std::string_view text, TokenSink& sink) override;

 private:
  /// Adds the words of a text without the tokens that are cut out of it as it is, and the
  /// normalized tokens between them.
  void add_text(std::string_view text, TokenSink& sink);
  /// Adds the words of a text without any of these.
  void add_words(std::string_view text, TokenSink& sink);
  /// Adds the token behind a stretch of text, if there is one.
  void add_token(const AddedTokens::Cuts& cuts, TokenSink& sink) const;
  /// Adds the tokens of word_ and returns their ids, which are valid until the next word.
  std::span<const std::int32_t> add_word(TokenSink& sink);
  /// Adds the ranges of a word's tokens. `text` begins at or before the word and ends after it.
  void add_ranges(std::string_view text, std::span<const std::int32_t> ids, TokenSink& sink) const;

  const WordPieceTokenizer& tokenizer_;
  AlignedText aligned_;  ///< the text that is read, if normalized tokens are looked for in it
  Word word_;
  WordPieces pieces_;
  WordCache cache_;
};

Result<void> WordPieceTextTokenizer::tokenize(std::string_view text, TokenSink& sink) {
  for (AddedTokens::Cuts cuts(tokenizer_.added_tokens(), text); cuts.next();) {
    add_text(cuts.before(), sink);
    add_token(cuts, sink);
  }
  return {};
}

void WordPieceTextTokenizer::add_text(std::string_view text, TokenSink& sink) {
  const NormalizedTokens& normalized = tokenizer_.normalized_tokens();
  if (!normalized.may_be_in(text, tokenizer_.normalizer())) return add_words(text, sink);
  normalize(tokenizer_.normalizer(), text, aligned_);
  for (AddedTokens::Cuts cuts(normalized.tokens(), aligned_.text()); cuts.next();) {
    add_words(cuts.before(), sink);
    add_token(cuts, sink);
  }
  aligned_.shrink();
}

void WordPieceTextTokenizer::add_token(const AddedTokens::Cuts& cuts, TokenSink& sink) const {
  if (cuts.token() == nullptr) return;
  sink.add(cuts.token()->id);
  if (sink.wants_ranges()) sink.add_range(aligned_.source_of(cuts.token_text()));
}

void WordPieceTextTokenizer::add_words(std::string_view text, TokenSink& sink) {
  const Normalizer& normalizer = tokenizer_.normalizer();
  const bool lower_case = normalizer.lower_case();
  for (std::size_t position = 0; position < text.size();) {
    // A short ASCII word that was met before needs no more than this.
    AsciiWord ascii{{static_cast<std::uint8_t>(text[position]), 0}, 1};
    bool whole = false;
    switch (tokenizer_.byte_class(text[position])) {
      case CharacterClass::space:
        ++position;
        continue;
      case CharacterClass::alone:
        whole = true;
        break;
      case CharacterClass::word: {
        ascii = read_ascii_word(text.data() + position, text.size() - position, lower_case);
        const std::size_t end = position + ascii.size;
        whole = ascii.size < ShortWord::max_size &&
                (end == text.size() || tokenizer_.byte_class(text[end]) != CharacterClass::dropped);
        break;
      }
      case CharacterClass::dropped:
        break;
    }
    if (whole) [[likely]] {
      const WordCache::Entry& entry = cache_[ascii.word];
      if (entry.word == ascii.word) [[likely]] {
        sink.add_first(entry.num_ids, entry.ids);
        if (sink.wants_ranges()) {
          add_ranges(text.substr(position, ascii.size), entry.found(), sink);
        }
        position += ascii.size;
        continue;
      }
    }
    const std::size_t begin = position;
    if (!next_word(normalizer, text, position, word_)) break;
    const std::span<const std::int32_t> ids = add_word(sink);
    if (sink.wants_ranges()) add_ranges(text.substr(begin, position - begin), ids, sink);
  }
}

std::span<const std::int32_t> WordPieceTextTokenizer::add_word(TokenSink& sink) {
  const bool is_short = !word_.too_long() && word_.text().size() <= ShortWord::max_size;
  const ShortWord word = is_short ? short_word(word_.text()) : ShortWord{};
  WordCache::Entry& entry = cache_[word];
  if (is_short && entry.word == word) {
    sink.add_first(entry.num_ids, entry.ids);
    return entry.found();
  }
  const std::size_t count = split_word(tokenizer_.vocabulary(), word_, pieces_);
  sink.add(std::span(pieces_.data(), count));
  if (is_short && count <= WordCache::max_ids) {
    entry.word = word;
    entry.num_ids = static_cast<std::uint32_t>(count);
    std::ranges::copy_n(pieces_.begin(), count, entry.ids.begin());
  }
  return std::span(pieces_.data(), count);
}

void WordPieceTextTokenizer::add_ranges(std::string_view text, std::span<const std::int32_t> ids,
                                        TokenSink& sink) const {
  const Normalizer& normalizer = tokenizer_.normalizer();
  const char* const text_end = text.data() + text.size();
  const char* begin = nullptr;  // of the token that is under way
  const char* end = nullptr;    // of the last character that is in the word
  std::size_t normalized = 0;   // bytes of the word so far
  std::size_t token_end = 0;    // of the first of `ids`, in bytes of the word
  const auto part = [](const char* from, const char* to) {
    return std::string_view(from, static_cast<std::size_t>(to - from));
  };
  const auto take_next = [&] {
    token_end += Vocabulary::piece_size(tokenizer_.vocabulary().token(ids.front()));
  };
  take_next();
  for (const char* at = text.data(); at < text_end;) {
    const DecodedCodePoint decoded = decode_utf8(at, text_end);
    const char* const character = std::exchange(at, at + decoded.size);
    const NormalizedCharacter& kept = normalizer[decoded.code_point];
    if (kept.size == 0) continue;
    if (begin == nullptr) begin = character;
    end = at;
    normalized += kept.size;
    // The last token covers the rest of the word. So an unknown token, which is the only one,
    // covers the whole word.
    for (; ids.size() > 1 && normalized >= token_end; ids = ids.subspan(1), take_next()) {
      sink.add_range(aligned_.source_of(part(begin, end)));
      begin = normalized > token_end ? character : nullptr;
    }
  }
  sink.add_range(aligned_.source_of(part(begin, end)));
}

}  // namespace
}  // namespace embd::wordpiece

namespace embd {

WordPieceTokenizer::WordPieceTokenizer(wordpiece::Vocabulary vocabulary,
                                       const WordPieceOptions& options)
    : Tokenizer(token_template(options.pair_template, vocabulary.special(), options.has_types)),
      vocabulary_(std::move(vocabulary)),
      normalizer_(options.lower_case, options.strip_accents.value_or(options.lower_case)),
      options_(options) {
  for (char32_t c = 0; c < 0x80; ++c) byte_classes_[c] = normalizer_[c].character_class;
  const std::vector<AddedToken> all = with_special_tokens(vocabulary_.special(), options.added);
  added_tokens_ = added_tokens_of(vocabulary_.tokens(), all, false).value();
  normalized_tokens_ = wordpiece::NormalizedTokens::create(vocabulary_, normalizer_, all).value();
}

Result<void> WordPieceTokenizer::check_options(const wordpiece::Vocabulary& vocabulary,
                                               const WordPieceOptions& options) {
  const std::vector<AddedToken> all = with_special_tokens(vocabulary.special(), options.added);
  static_cast<void>(EMBD_TRY(added_tokens_of(vocabulary.tokens(), all, false)));
  static_cast<void>(EMBD_TRY(added_tokens_of(vocabulary.tokens(), all, true)));
  const wordpiece::Normalizer normalizer(options.lower_case,
                                         options.strip_accents.value_or(options.lower_case));
  static_cast<void>(EMBD_TRY(wordpiece::NormalizedTokens::create(vocabulary, normalizer, all)));
  return {};
}

std::unique_ptr<TextTokenizer> WordPieceTokenizer::make_text_tokenizer() const {
  return std::make_unique<wordpiece::WordPieceTextTokenizer>(*this);
}

std::string WordPieceTokenizer::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  if (!skip_special || options_.added.empty())
    return wordpiece::decode(vocabulary_, ids, skip_special);
  std::vector<std::int32_t> kept(ids.begin(), ids.end());
  const std::vector<std::int32_t> special = special_ids(options_.added);
  std::erase_if(kept, [&](std::int32_t id) { return std::ranges::binary_search(special, id); });
  return wordpiece::decode(vocabulary_, kept, skip_special);
}

std::string WordPieceTokenizer::hash() const {
  ByteWriter description;
  description.text("embd tokenizer 1: BERT WordPiece, ## continues, 100 code points a word\n");
  description.u8(normalizer_.lower_case() ? 1 : 0);
  for (const std::int32_t id : vocabulary_.special().ids()) {
    description.u32(static_cast<std::uint32_t>(id));
  }
  for (const std::string_view token : vocabulary_.tokens()) {
    description.u32(static_cast<std::uint32_t>(token.size()));
    description.text(token);
  }
  // The rules that only some models have follow, so that the hashes of the others stay as they are.
  if (options_.pair_template != usual_pair_template(TokenizerKind::wordpiece))
    description.text(name_of(options_.pair_template, pair_template_names));
  for (const AddedToken& token : options_.added) {
    description.u32(static_cast<std::uint32_t>(token.id));
    description.u8(
        static_cast<std::uint8_t>((rule_bits(token) & ~2U) << 1 | (token.normalized ? 1 : 0)));
  }
  if (normalizer_.strip_accents() != normalizer_.lower_case())
    description.text(normalizer_.strip_accents() ? "accents stripped" : "accents kept");
  return sha256_hex(description.view());
}

}  // namespace embd
