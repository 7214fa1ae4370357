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
