#include "tokenizer/unigram/unigram_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "base/try.h"
#include "tokenizer/aligned_text.h"
#include "tokenizer/field_hash.h"
#include "tokenizer/piece_cache.h"
#include "tokenizer/unigram/viterbi.h"
#include "tokenizer/unigram/word_reader.h"

namespace embd::unigram {
namespace {

/// Appends a piece with `space` in place of each word mark.
void append(std::string& text, std::string_view piece, std::string_view space) {
  for (std::size_t mark; (mark = piece.find(word_mark)) != std::string_view::npos;) {
    text.append(piece.substr(0, mark)).append(space);
    piece.remove_prefix(mark + word_mark.size());
  }
  text.append(piece);
}

/// Returns the text that pieces stand for, as the Metaspace decoder of `tokenizers` does. Each word
/// mark becomes a space. The word marks of the first piece are removed, because they were put
/// before the text, unless the scheme is `never`.
std::string decode(std::span<const std::string_view> pieces, PrependScheme scheme) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    append(text, pieces[i], i == 0 && scheme != PrependScheme::never ? "" : " ");
  }
  return text;
}

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
  /// Adds the words of a text without the tokens of add_parts(), and the normalized tokens in it.
  /// `begins_text` is true if nothing stands before it.
  Result<void> add_normalized(std::string_view text, bool begins_text, TokenSink& sink);
  /// Adds the words of a text without added tokens.
  Result<void> add_words(WordReader words, TokenSink& sink);
  /// Adds the tokens of word_.
  Result<void> add_word(TokenSink& sink);
  void add_token(const AddedTokens::Cuts& cuts, TokenSink& sink) const;

  const UnigramTokenizer& tokenizer_;
  AlignedText aligned_;  ///< the text between added tokens, if normalized tokens are looked for
  Word word_;
  Viterbi viterbi_;
  PieceCache cache_;
};

Result<void> UnigramTextTokenizer::add_parts(std::string_view text, TokenSink& sink) {
  const bool has_normalized = !tokenizer_.normalized_tokens().empty();
  for (AddedTokens::Cuts cuts(tokenizer_.added_tokens(), text); cuts.next();) {
    const std::string_view part = cuts.before();
    const bool begins_text = part.data() == text.data();
    EMBD_TRY(has_normalized ? add_normalized(part, begins_text, sink)
                            : add_words(WordReader(tokenizer_.normalizer(),
                                                   tokenizer_.word_options(), part, begins_text),
                                        sink));
    add_token(cuts, sink);
  }
  return {};
}

Result<void> UnigramTextTokenizer::add_normalized(std::string_view text, bool begins_text,
                                                  TokenSink& sink) {
  aligned_.clear();
  NormalizedText reader(tokenizer_.normalizer(), text);
  for (NormalizedCharacter character; reader.next(character);)
    aligned_.append(character.text, character.source);
  for (AddedTokens::Cuts cuts(tokenizer_.normalized_tokens(), aligned_.text()); cuts.next();) {
    WordOptions options = tokenizer_.word_options();
    options.strip_right = options.strip_right && cuts.token() == nullptr;
    const bool begins = begins_text && cuts.before().data() == aligned_.text().data();
    EMBD_TRY(add_words(WordReader(tokenizer_.unchanged(), options, cuts.before(), begins), sink));
    add_token(cuts, sink);
  }
  aligned_.shrink();
  return {};
}

void UnigramTextTokenizer::add_token(const AddedTokens::Cuts& cuts, TokenSink& sink) const {
  if (cuts.token() == nullptr) return;
  sink.add(cuts.token()->id);
  if (sink.wants_ranges()) sink.add_range(aligned_.source_of(cuts.token_text()));
}

Result<void> UnigramTextTokenizer::add_words(WordReader words, TokenSink& sink) {
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
    if (wants_ranges) sink.add_range(aligned_.source_of(word_.take_source(piece.size)));
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
  if (vocabulary.tokens.empty()) vocabulary.tokens = vocabulary.pieces.texts;
  auto tokenizer = std::unique_ptr<UnigramTokenizer>(
      new UnigramTokenizer(std::move(vocabulary), options, pieces));
  EMBD_TRY(tokenizer->find_added_tokens());
  return tokenizer;
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory for a Unigram tokenizer");
}

UnigramTokenizer::UnigramTokenizer(UnigramVocabulary vocabulary, const UnigramOptions& options,
                                   const unigram::Pieces& pieces)
    : Tokenizer(token_template(options.pair_template, vocabulary.special, options.has_types)),
      vocabulary_(std::move(vocabulary)),
      options_(options),
      pieces_(pieces),
      normalizer_(vocabulary_.characters) {}

Result<void> UnigramTokenizer::find_added_tokens() {
  added_tokens_ = EMBD_TRY(added_tokens_of(vocabulary_.tokens, vocabulary_.added, false));
  static_cast<void>(EMBD_TRY(added_tokens_of(vocabulary_.tokens, vocabulary_.added, true)));
  std::vector<std::string> texts;
  std::vector<AddedToken> tokens;
  for (const AddedToken& token : vocabulary_.added) {
    if (!token.normalized) continue;
    std::string& text = texts.emplace_back();
    unigram::NormalizedText reader(normalizer_, vocabulary_.tokens[token.id]);
    for (unigram::NormalizedCharacter c; reader.next(c);) text += c.text;
    tokens.push_back(token);
  }
  if (tokens.empty()) return {};
  // Steps of the layout `spaces` change white space before `tokenizers` looks for these tokens.
  const bool changes_spaces = options_.words.layout == unigram::Layout::spaces &&
                              (options_.words.strip_right || options_.words.merge_spaces);
  std::vector<AddedText> normalized;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const AddedToken& token = tokens[i];
    const bool has_space = texts[i].contains(' ') || texts[i].contains(unigram::word_mark);
    if (changes_spaces && (has_space || token.lstrip || token.rstrip)) {
      return fail(ErrorCode::unsupported,
                  "the added token {}, \"{}\", is normalized and has or takes white space, which "
                  "the steps of the normalizer change",
                  token.id, texts[i]);
    }
    normalized.push_back({texts[i], token});
  }
  normalized_tokens_ = EMBD_TRY(AddedTokens::create(normalized));
  unchanged_.emplace(unigram::CharacterMap());
  return {};
}

std::unique_ptr<TextTokenizer> UnigramTokenizer::make_text_tokenizer() const {
  return std::make_unique<unigram::UnigramTextTokenizer>(*this);
}

std::string_view UnigramTokenizer::token(std::int32_t id) const noexcept {
  const auto texts = vocabulary_.tokens;
  return id >= 0 && static_cast<std::size_t>(id) < texts.size() ? texts[id] : std::string_view();
}

std::string UnigramTokenizer::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  const std::vector<std::int32_t> special = special_ids(vocabulary_.added);
  std::vector<std::string_view> tokens;
  for (const std::int32_t id : ids) {
    if (skip_special && std::ranges::binary_search(special, id)) continue;
    if (const std::string_view text = token(id); !text.empty()) tokens.push_back(text);
  }
  return unigram::decode(tokens, options_.words.prepend_scheme);
}

std::string UnigramTokenizer::hash() const {
  FieldHash description;
  description.text("embd tokenizer 1: Unigram\n");
  description.sized(unigram::character_map_rule);
  unigram::write_options(description, options_);
  for (const std::int32_t id : vocabulary_.special.ids()) {
    description.u32(static_cast<std::uint32_t>(id));
  }
  description.u32(static_cast<std::uint32_t>(vocabulary_.added.size()));
  for (const AddedToken& added : vocabulary_.added) {
    description.sized(token(added.id));
    description.u32(static_cast<std::uint32_t>(added.id));
    description.u8(rule_bits(added));
  }
  description.sized(as_text(vocabulary_.characters.bytes()));
  for (const std::string_view token : vocabulary_.pieces.texts) {
    description.sized(token);
  }
  std::visit([&](auto scores) { description.bytes(std::as_bytes(scores)); },
             vocabulary_.pieces.scores);
  // Only some models have another, so that the hashes of the others stay as they are.
  if (options_.pair_template != usual_pair_template(TokenizerKind::unigram))
    description.sized(name_of(options_.pair_template, pair_template_names));
  return description.hex();
}

}  // namespace embd
