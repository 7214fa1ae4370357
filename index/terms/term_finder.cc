#include "index/terms/term_finder.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/try.h"
#include "base/utf8.h"
#include "tokenizer/unicode_class.h"

namespace embd {
namespace {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

/// Blocks whose letters are paired: Thai, Lao, Khmer, Hangul, Hiragana, Katakana and Han. The
/// planes 2 and 3 have Han characters only.
constexpr auto paired_blocks = std::to_array<CodePointRange>({
    {0x0e00, 0x0eff},    // Thai, Lao
    {0x1100, 0x11ff},    // Hangul Jamo
    {0x1780, 0x17ff},    // Khmer
    {0x3005, 0x3007},    // marks of repetition, and zero
    {0x3040, 0x30ff},    // Hiragana, Katakana
    {0x31f0, 0x31ff},    // Katakana
    {0x3400, 0x4dbf},    // Han
    {0x4e00, 0x9fff},    // Han
    {0xa960, 0xa97f},    // Hangul Jamo
    {0xac00, 0xd7ff},    // Hangul
    {0xf900, 0xfaff},    // Han
    {0x1aff0, 0x1b16f},  // Kana
    {0x20000, 0x3ffff},  // Han
});

bool is_paired_script(char32_t c) noexcept {
  if (c < paired_blocks.front().first) return false;
  const auto after = std::ranges::upper_bound(paired_blocks, c, {}, &CodePointRange::first);
  return c <= std::prev(after)->last;
}

bool is_joiner(char32_t c) noexcept {
  return c == '\'' || c == '.' || c == '_' || c == '-' || c == '/';
}

/// Returns true for a code point that may change together with the one before: a mark, a part of a
/// Hangul syllable, or a mark of voice of half width.
bool continues_unit(char32_t c) noexcept {
  if (c < 0x300) return false;
  if ((c >= 0x1160 && c <= 0x11ff) || (c >= 0xd7b0 && c <= 0xd7ff) || c == 0xff9e || c == 0xff9f)
    return true;
  return is_word_character(c) && unicode_class(c) == UnicodeClass::other;
}

/// Returns true for a code point that the form NFKC keeps, and a reader sees, if no part follows
/// it.
bool stays(char32_t c) noexcept {
  const utf8proc_property_t& property = *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  return property.decomp_seqindex == UINT16_MAX && !property.ignorable;
}

bool is_ascii(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x80;
}

/// Returns the character that stands for `c` in words: there are two apostrophes and three hyphens.
char32_t plain_joiner(char32_t c) noexcept {
  return c == 0x2019 ? '\'' : c == 0x2010 ? '-' : c;
}

}  // namespace

bool is_word_part(char32_t c) noexcept {
  if (c < 0x80) return (c >= '0' && c <= '9') || ((c | 0x20U) >= 'a' && (c | 0x20U) <= 'z');
  // Unicode's words also have connectors: '_' is a joiner here, and the others divide.
  if (c == 0x203f || c == 0x2040 || c == 0x2054) return false;
  return is_word_character(c) || unicode_class(c) == UnicodeClass::number;
}

std::optional<Character> CharacterReader::next() {
  while (unit_at_ == unit_.size()) {
    if (at_ == text_.size()) return std::nullopt;
    if (is_ascii(text_[at_]) && (at_ + 1 == text_.size() || is_ascii(text_[at_ + 1]))) {
      const std::size_t begin = at_++;
      return Character{static_cast<unsigned char>(text_[begin]), {begin, at_}};
    }
    read_unit();
  }
  return unit_[unit_at_++];
}

/// Normalizes the code point at the current place and those that may change together with it.
void CharacterReader::read_unit() {
  unit_.clear();
  unit_at_ = 0;
  const char* const end = text_.data() + text_.size();
  const std::size_t begin = at_;
  const DecodedCodePoint first = decode_utf8(text_.data() + at_, end);
  at_ += first.size;
  if (first.code_point == 0xfffd) {
    unit_.push_back({0xfffd, {begin, at_}});
    return;
  }
  for (std::size_t count = 1; at_ < text_.size() && count < max_unit; ++count) {
    const DecodedCodePoint part = decode_utf8(text_.data() + at_, end);
    if (!continues_unit(part.code_point)) break;
    at_ += part.size;
  }
  if (at_ == begin + first.size && stays(first.code_point)) {
    unit_.push_back({plain_joiner(first.code_point), {begin, at_}});
    return;
  }

  constexpr std::size_t longest = 18;  // the most code points that one becomes, U+FDFA
  std::array<utf8proc_int32_t, max_unit * longest> code_points{};
  constexpr auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                          UTF8PROC_COMPOSE | UTF8PROC_IGNORE);
  utf8proc_ssize_t size = utf8proc_decompose(
      reinterpret_cast<const utf8proc_uint8_t*>(text_.data() + begin),
      static_cast<utf8proc_ssize_t>(at_ - begin), code_points.data(), code_points.size(), options);
  if (size > 0) size = utf8proc_normalize_utf32(code_points.data(), size, options);
  for (utf8proc_ssize_t i = 0; i < size; ++i)
    unit_.push_back({plain_joiner(static_cast<char32_t>(code_points[i])), {begin, at_}});
}

std::optional<WordRun> WordRunReader::next() {
  run_.clear();
  if (!ahead_) ahead_ = characters_.next();
  while (ahead_ && !is_word_part(ahead_->code_point)) ahead_ = characters_.next();
  if (!ahead_) return std::nullopt;
  const bool is_paired = is_paired_script(ahead_->code_point);
  collect(is_paired);
  if (is_joiner(run_.back().code_point)) run_.pop_back();
  return WordRun{run_, is_paired};
}

/// Collects characters, from the one ahead on, as long as they belong to one run.
void WordRunReader::collect(bool is_paired) {
  for (; ahead_ && run_.size() < max_characters; ahead_ = characters_.next()) {
    const char32_t c = ahead_->code_point;
    const bool belongs = is_word_part(c)
                             ? is_paired_script(c) == is_paired
                             : !is_paired && is_joiner(c) && !is_joiner(run_.back().code_point);
    if (!belongs) return;
    run_.push_back(*ahead_);
  }
}

namespace {

/// The words that Lucene leaves out of English texts, sorted.
constexpr auto stop_words = std::to_array<std::string_view>(
    {"a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
     "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
     "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"});
static_assert(std::ranges::is_sorted(stop_words));

/// Returns true for the accents and other marks that are combined with letters of Europe.
bool is_accent(utf8proc_int32_t c) noexcept {
  return c >= 0x300 && c <= 0x36f;
}

bool is_digit(char32_t c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_capital(char32_t c) noexcept {
  if (c < 0x80) return c >= 'A' && c <= 'Z';
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_LU;
}
bool is_small(char32_t c) noexcept {
  if (c < 0x80) return c >= 'a' && c <= 'z';
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_LL;
}

/// Returns true if no word goes on at `i`, which may lie behind the run.
bool ends_word_at(std::span<const Character> run, std::size_t i) noexcept {
  return i >= run.size() || !is_word_part(run[i].code_point);
}

/// Returns true if the character at `i` divides a run into words. A dot does not if it stands
/// between two digits (3.14) or two single letters (U.S.A).
bool divides(std::span<const Character> run, std::size_t i) noexcept {
  const char32_t c = run[i].code_point;
  if (c != '.') return c == '_' || c == '-' || c == '/';
  if (is_digit(run[i - 1].code_point) && is_digit(run[i + 1].code_point)) return false;
  return (i >= 2 && !ends_word_at(run, i - 2)) || !ends_word_at(run, i + 2);
}

/// Returns true for a run that is a term itself if it is divided. Words that only '-' and '/' join
/// are not, unless there is a digit (utf-8): most of them are words of English.
bool is_identifier(std::span<const Character> run) noexcept {
  return std::ranges::any_of(run, [](const Character& character) {
    const char32_t c = character.code_point;
    return c == '_' || c == '.' || unicode_class(c) == UnicodeClass::number;
  });
}

/// Returns true if a part of a word begins with the capital at `i`: after a small letter
/// (TermIndex), or after a capital and before two small letters (HTTPServer, but not URLs).
bool begins_part(std::span<const Character> word, std::size_t i) noexcept {
  if (!is_capital(word[i].code_point)) return false;
  if (is_small(word[i - 1].code_point)) return true;
  return is_capital(word[i - 1].code_point) && i + 2 < word.size() &&
         is_small(word[i + 1].code_point) && is_small(word[i + 2].code_point);
}

ByteRange place_of(std::span<const Character> characters) noexcept {
  return {characters.front().place.begin, characters.back().place.end};
}

bool uses_stemmer(const TermOptions& options) noexcept {
  return options.kind == TermKind::stems && options.stemmer == Stemmer::english;
}

}  // namespace

Result<TermFinder> TermFinder::create(const TermOptions& options) {
  TermFinder finder(options);
  if (options.kind == TermKind::tokens && options.model == nullptr)
    return fail(ErrorCode::invalid_argument, "terms that are tokens need the model of the tokens");
  if (uses_stemmer(options)) finder.stemmer_ = EMBD_TRY(EnglishStemmer::create());
  return finder;
}

Result<void> TermFinder::find(std::string_view text, const Take& take) {
  if (options_.kind == TermKind::tokens) return find_tokens(text, take);
  WordRunReader runs(text);
  while (const auto run = runs.next()) {
    if (run->is_paired)
      take_pairs(run->characters, take);
    else
      take_identifier(run->characters, take);
  }
  return {};
}

Result<void> TermFinder::find_tokens(std::string_view text, const Take& take) const {
  const Tokens tokens =
      EMBD_TRY(options_.model->tokenize(text, {.max_length = 0, .prompt = std::string()}));
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    if (!tokens.is_special(i)) take(options_.model->token(tokens.ids[i]), tokens.ranges[i]);
  }
  return {};
}

void TermFinder::take_pairs(Characters run, const Take& take) {
  const std::size_t size = std::min<std::size_t>(run.size(), 2);
  for (std::size_t i = 0; i + size <= run.size(); ++i) {
    folded_.clear();
    for (const Character& character : run.subspan(i, size))
      append_utf8(character.code_point, folded_);
    take(folded_, place_of(run.subspan(i, size)));
  }
}

/// Takes the words that a run is divided into, and before them the whole if it is an identifier.
void TermFinder::take_identifier(Characters run, const Take& take) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i + 1 < run.size(); ++i) {
    if (!divides(run, i)) continue;
    if (begin == 0 && is_identifier(run)) {
      fold(run);
      if (folded_.size() <= max_term_bytes) take(folded_, place_of(run));
    }
    take_word(run.subspan(begin, i - begin), take);
    begin = i + 1;
  }
  take_word(run.subspan(begin), take);
}

/// Takes a word, and its parts if it has capitals inside.
void TermFinder::take_word(Characters word, const Take& take) {
  take_stem(word, take);
  std::size_t begin = 0;
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (!begins_part(word, i)) continue;
    take_stem(word.subspan(begin, i - begin), take);
    begin = i;
  }
  if (begin > 0) take_stem(word.subspan(begin), take);
}

void TermFinder::take_stem(Characters word, const Take& take) {
  fold(word);
  if (folded_.empty() || folded_.size() > max_term_bytes) return;
  if (!stemmer_) return take(folded_, place_of(word));
  if (std::ranges::binary_search(stop_words, std::string_view(folded_))) return;
  take(stemmer_->stem(folded_), place_of(word));
}

void TermFinder::fold(Characters characters) {
  folded_.clear();
  bool is_ascii_only = true;
  for (const Character& character : characters) {
    const char32_t c = character.code_point;
    is_ascii_only = is_ascii_only && c < 0x80;
    append_utf8(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c, folded_);
  }
  if (is_ascii_only) return;

  constexpr auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(folded_.data());
  const auto num_bytes = static_cast<utf8proc_ssize_t>(folded_.size());
  std::vector<utf8proc_int32_t> code_points(4 * characters.size());
  auto size = utf8proc_decompose(bytes, num_bytes, code_points.data(),
                                 static_cast<utf8proc_ssize_t>(code_points.size()), options);
  if (size > static_cast<utf8proc_ssize_t>(code_points.size())) {
    code_points.resize(static_cast<std::size_t>(size));
    size = utf8proc_decompose(bytes, num_bytes, code_points.data(), size, options);
  }
  code_points.resize(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(size, 0)));
  if (stemmer_) std::erase_if(code_points, is_accent);
  size = utf8proc_normalize_utf32(code_points.data(),
                                  static_cast<utf8proc_ssize_t>(code_points.size()), options);
  folded_.clear();
  for (utf8proc_ssize_t i = 0; i < size; ++i)
    append_utf8(static_cast<char32_t>(code_points[static_cast<std::size_t>(i)]), folded_);
}

Result<TermRecipe> term_recipe(const TermOptions& options) {
  TermRecipe recipe{.kind = options.kind, .stemmer = Stemmer::none};
  if (options.kind == TermKind::tokens) {
    recipe.tokenizer_sha256 = EMBD_TRY(options.model->recipe()).tokenizer_sha256;
    return recipe;
  }
  recipe.unicode = utf8proc_unicode_version();
  if (!uses_stemmer(options)) {
    recipe.kind = TermKind::words;
    return recipe;
  }
  recipe.stemmer = Stemmer::english;
  recipe.stemmer_release = stemmer_release;
  return recipe;
}

Result<Terms> terms(std::string_view text, const TermOptions& options) {
  return guarded([&]() -> Result<Terms> {
    TermFinder finder = EMBD_TRY(TermFinder::create(options));
    Terms found;
    EMBD_TRY(finder.find(text, [&](std::string_view term, ByteRange place) {
      found.texts.emplace_back(term);
      found.ranges.push_back(place);
    }));
    return found;
  });
}

}  // namespace embd
