#include "tokenizer/bpe/bpe_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"
#include "tokenizer/aligned_text.h"
#include "tokenizer/bpe/byte_letters.h"
#include "tokenizer/bpe/merger.h"
#include "tokenizer/bpe/nfc.h"
#include "tokenizer/field_hash.h"
#include "tokenizer/piece_cache.h"
#include "tokenizer/unigram/options.h"

namespace embd::bpe {
namespace {

constexpr std::string_view replacement_character = "\xef\xbf\xbd";

/// Replaces the content of `out` by a text in which each malformed part is U+FFFD.
void repair(std::string_view text, AlignedText& out) {
  out.clear();
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const DecodedCodePoint decoded = decode_utf8(at, end);
    const std::string_view source(at, decoded.size);
    out.append(decoded.code_point == 0xfffd ? replacement_character : source, source);
    at += decoded.size;
  }
}

bool continues_character(char byte) noexcept {
  return (static_cast<std::uint8_t>(byte) & 0xc0U) == 0x80U;
}

/// Returns bytes [begin, end) of a text with the whole of the characters that they belong to.
std::string_view characters(std::string_view text, std::size_t begin, std::size_t end) noexcept {
  while (begin > 0 && continues_character(text[begin])) --begin;
  while (end < text.size() && continues_character(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::string_view without_spaces(std::string_view text) noexcept {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Replaces the content of `out` by a text whose spaces are the marks of SentencePiece.
void mark_spaces(std::string_view text, AlignedText& out) {
  out.clear();
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (space > 0) out.append(text.substr(0, space), text.substr(0, space));
    if (space < text.size()) out.append(unigram::word_mark, text.substr(space, 1));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
}

class BpeTextTokenizer final : public TextTokenizer {
 public:
  explicit BpeTextTokenizer(const BpeTokenizer& tokenizer)
      : tokenizer_(tokenizer),
        merger_(tokenizer.vocabulary(), tokenizer.unknown_byte(),
                tokenizer.rules().is_sentencepiece()) {}

  Result<void> tokenize(std::string_view text, TokenSink& sink) override {
    repaired_.clear();
    if (find_invalid_utf8(text)) {
      repair(text, repaired_);
      text = repaired_.text();
    }
    Result<void> done = add_text(text, sink);
    repaired_.shrink();
    composed_.shrink();
    prefixed_.shrink();
    merger_.shrink();
    return done;
  }

 private:
  /// Adds the tokens of a text, which is valid UTF-8: its added tokens, and the words between them.
  Result<void> add_text(std::string_view text, TokenSink& sink);
  /// Adds the words of a text without added tokens.
  Result<void> add_words(std::string_view text, TokenSink& sink);
  Result<void> add_word(std::string_view text, std::size_t begin, std::size_t end, TokenSink& sink);
  void add_token(const AddedTokens::Cuts& cuts, TokenSink& sink) const;
  /// Returns the normalization of a text.
  std::string_view normalize(std::string_view text);
  /// Returns the part of the original text that a part of what was made of it comes from.
  std::string_view source_of(std::string_view part) const noexcept {
    return repaired_.source_of(composed_.source_of(prefixed_.source_of(part)));
  }
  /// Returns the characters of the original text to which bytes [begin, end) of a part belong,
  /// without spaces at both ends.
  std::string_view range_of(std::string_view text, std::size_t begin, std::size_t end) const {
    return without_spaces(source_of(characters(text, begin, end)));
  }

  const BpeTokenizer& tokenizer_;
  AlignedText repaired_;  ///< the text, if it was not valid UTF-8
  AlignedText composed_;  ///< a text between added tokens, if normalization changed it
  AlignedText prefixed_;  ///< a text between added tokens behind a space, if one was put there
  Composer composer_;
  Merger merger_;
  PieceCache cache_;
};

Result<void> BpeTextTokenizer::add_text(std::string_view text, TokenSink& sink) {
  composed_.clear();
  prefixed_.clear();
  for (AddedTokens::Cuts raw(tokenizer_.added_tokens(), text); raw.next();) {
    const std::string_view part = normalize(raw.before());
    for (AddedTokens::Cuts cuts(tokenizer_.normalized_tokens(), part); cuts.next();) {
      EMBD_TRY(add_words(cuts.before(), sink));
      add_token(cuts, sink);
    }
    add_token(raw, sink);
  }
  return {};
}

std::string_view BpeTextTokenizer::normalize(std::string_view text) {
  if (tokenizer_.rules().is_sentencepiece()) {
    if (text.find(' ') == std::string_view::npos) return text;
    mark_spaces(text, composed_);
    return composed_.text();
  }
  if (!tokenizer_.rules().composes || !Composer::may_change(text)) return text;
  composer_.normalize(text, composed_);
  return composed_.text();
}

void BpeTextTokenizer::add_token(const AddedTokens::Cuts& cuts, TokenSink& sink) const {
  if (cuts.token() == nullptr) return;
  sink.add(cuts.token()->id);
  if (sink.wants_ranges()) sink.add_range(source_of(cuts.token_text()));
}

Result<void> BpeTextTokenizer::add_words(std::string_view text, TokenSink& sink) {
  if (tokenizer_.rules().add_prefix_space && !text.empty() && text.front() != ' ') {
    prefixed_.clear();
    prefixed_.append(" ", text.substr(0, 0));
    prefixed_.append(text, text);
    text = prefixed_.text();
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = word_end(tokenizer_.rules().pattern, text, begin);
    EMBD_TRY(add_word(text, begin, end, sink));
    begin = end;
  }
  return {};
}

Result<void> BpeTextTokenizer::add_word(std::string_view text, std::size_t begin, std::size_t end,
                                        TokenSink& sink) {
  const std::string_view word = text.substr(begin, end - begin);
  // The cache has ids alone.
  const bool wants_ranges = sink.wants_ranges();
  if (!wants_ranges) {
    if (const auto kept = cache_.find(word)) {
      sink.add(*kept);
      return {};
    }
  }
  if (tokenizer_.rules().ignore_merges) {
    if (const auto whole = tokenizer_.vocabulary().find(ByteLetters::spell(word))) {
      sink.add(*whole);
      if (wants_ranges) sink.add_range(range_of(text, begin, end));
      cache_.store(word, std::span(&*whole, 1));
      return {};
    }
  }
  const std::span<const Symbol> symbols = EMBD_TRY(merger_.merge(word));
  std::array<std::int32_t, PieceCache::max_ids> first;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    sink.add(symbol.id);
    if (wants_ranges) sink.add_range(range_of(text, begin + symbol.begin, begin + symbol.end));
    if (i < first.size()) first[i] = symbol.id;
  }
  if (symbols.size() <= first.size()) cache_.store(word, std::span(first).first(symbols.size()));
  return {};
}

}  // namespace
}  // namespace embd::bpe

namespace embd {
namespace {

/// Checks that added tokens that are looked for in normalized texts can be found there.
Result<void> check_composed(std::span<const std::string_view> tokens,
                            std::span<const AddedToken> added) {
  for (const AddedToken& token : added) {
    if (!token.normalized || !bpe::Composer::may_change(tokens[token.id])) continue;
    return fail(ErrorCode::unsupported,
                "the added token {} is \"{}\", expected a composed text (NFC), because it is "
                "looked for in composed texts",
                token.id, tokens[token.id]);
  }
  return {};
}

/// Checks that added tokens that are looked for in texts without spaces can be found there.
Result<void> check_spaces(std::span<const std::string_view> tokens,
                          std::span<const AddedToken> added) {
  for (const AddedToken& token : added) {
    if (!token.normalized || !tokens[token.id].contains(' ')) continue;
    return fail(ErrorCode::unsupported,
                "the added token {} is \"{}\", expected one without spaces, because it is looked "
                "for in texts whose spaces were replaced",
                token.id, tokens[token.id]);
  }
  return {};
}

/// Appends the text that a token of SentencePiece stands for.
void append_piece(std::string_view piece, std::string& bytes) {
  unsigned byte = 0;
  if (piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>') &&
      std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16).ptr == piece.data() + 5) {
    bytes += static_cast<char>(byte);
    return;
  }
  while (!piece.empty()) {
    const bool is_mark = piece.starts_with(unigram::word_mark);
    bytes += is_mark ? ' ' : piece.front();
    piece.remove_prefix(is_mark ? unigram::word_mark.size() : 1);
  }
}

}  // namespace

Result<std::unique_ptr<const BpeTokenizer>> BpeTokenizer::create(const BpeVocabulary& vocabulary,
                                                                 const BpeOptions& options) try {
  const auto tokens = vocabulary.tables.tokens;
  const std::int32_t unk = vocabulary.special.unk;
  if (unk < 0 || static_cast<std::size_t>(unk) >= tokens.size()) {
    return fail(
        ErrorCode::special_token_id,
        "the id of the unknown token is {}, but the vocabulary has {} tokens, counted from 0", unk,
        tokens.size());
  }
  const bool is_sentencepiece = options.rules.is_sentencepiece();
  auto made =
      EMBD_TRY(bpe::Vocabulary::create(vocabulary.tables, vocabulary.added, is_sentencepiece));
  auto tokenizer = std::unique_ptr<BpeTokenizer>(
      new BpeTokenizer(std::move(made), vocabulary.special, vocabulary.added, options));
  tokenizer->added_tokens_ = EMBD_TRY(added_tokens_of(tokens, vocabulary.added, false));
  tokenizer->normalized_tokens_ = EMBD_TRY(added_tokens_of(tokens, vocabulary.added, true));
  if (options.rules.composes) EMBD_TRY(check_composed(tokens, vocabulary.added));
  if (is_sentencepiece) EMBD_TRY(check_spaces(tokens, vocabulary.added));
  return tokenizer;
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory for a BPE tokenizer");
}

BpeTokenizer::BpeTokenizer(bpe::Vocabulary vocabulary, const SpecialTokenIds& special,
                           const std::vector<AddedToken>& added, const BpeOptions& options)
    : Tokenizer(token_template(options.pair_template, special, options.has_types)),
      vocabulary_(std::move(vocabulary)),
      special_(special),
      added_(added),
      options_(options) {}

std::unique_ptr<TextTokenizer> BpeTokenizer::make_text_tokenizer() const {
  return std::make_unique<bpe::BpeTextTokenizer>(*this);
}

std::string BpeTokenizer::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  const std::vector<std::int32_t> special = special_ids(added_);
  std::string bytes;
  for (const std::int32_t id : ids) {
    if (skip_special && std::ranges::binary_search(special, id)) continue;
    if (rules().is_sentencepiece()) {
      append_piece(token(id), bytes);
      continue;
    }
    // A token with other characters is an added one, and stands for itself.
    if (!bpe::ByteLetters::read(token(id), bytes)) bytes += token(id);
  }
  if (!find_invalid_utf8(bytes)) return bytes;
  AlignedText repaired;
  bpe::repair(bytes, repaired);
  return std::string(repaired.text());
}

std::string BpeTokenizer::hash() const {
  FieldHash description;
  description.text("embd tokenizer 1: byte-level BPE\n");
  const bpe::Rules& rules = options_.rules;
  for (const int value :
       {static_cast<int>(rules.pattern), static_cast<int>(rules.add_prefix_space),
        static_cast<int>(rules.ignore_merges), static_cast<int>(rules.keeps_unknown)}) {
    description.u8(static_cast<std::uint8_t>(value));
  }
  for (const std::int32_t id : special_.ids()) description.u32(static_cast<std::uint32_t>(id));
  description.u32(static_cast<std::uint32_t>(added_.size()));
  for (const AddedToken& added : added_) {
    description.u32(static_cast<std::uint32_t>(added.id));
    description.u8(rule_bits(added));
  }
  for (const std::string_view token : vocabulary_.tokens()) description.sized(token);
  description.bytes(std::as_bytes(vocabulary_.merges()));
  if (rules.composes) description.sized("NFC");
  if (options_.pair_template != usual_pair_template(TokenizerKind::bpe))
    description.sized(name_of(options_.pair_template, pair_template_names));
  return description.hex();
}

}  // namespace embd
