#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "tokenizer/aligned_text.h"
#include "tokenizer/bpe/composition_table.h"

namespace embd::bpe {

/// The effect of normalization on a code point.
enum class Composition : std::uint8_t {
  inert,      ///< It is not decomposed, and no code point before it can be joined with it.
  composite,  ///< The same, except that it is decomposed before marks are joined with it.
  changes,    ///< Normalization may change it or move it.
};

/// No code point below is a mark.
inline constexpr char32_t first_mark = 0x300;

/// Returns the last run that begins at a code point or before it.
inline std::uint32_t run_of(char32_t code_point) noexcept {
  constexpr std::uint32_t all_properties = 0x3ff;
  const auto after = std::ranges::upper_bound(
      composition_runs, static_cast<std::uint32_t>(code_point) << 10 | all_properties);
  return *std::prev(after);
}

/// Returns the effect of normalization on a code point.
inline Composition composition_of(char32_t code_point) noexcept {
  if (code_point < 0x80) return Composition::inert;
  return static_cast<Composition>(run_of(code_point) >> 8 & 3U);
}

/// Returns the class by which marks are ordered; 0 if a code point is no mark.
inline unsigned combining_class(char32_t code_point) noexcept {
  return code_point < first_mark ? 0 : run_of(code_point) & 0xffU;
}

/// The parts of the syllables of Hangul, which are composed by arithmetic (Unicode, 3.12).
struct Hangul {
  static constexpr char32_t first_syllable = 0xac00;
  static constexpr char32_t first_initial = 0x1100;
  static constexpr char32_t first_vowel = 0x1161;
  static constexpr char32_t before_finals = 0x11a7;
  static constexpr char32_t num_initials = 19;
  static constexpr char32_t num_vowels = 21;
  static constexpr char32_t num_finals = 28;  // with that of syllables that have none
  static constexpr char32_t num_syllables = num_initials * num_vowels * num_finals;

  static std::optional<char32_t> compose(char32_t first, char32_t second) noexcept {
    const char32_t initial = first - first_initial;
    const char32_t vowel = second - first_vowel;
    if (initial < num_initials && vowel < num_vowels)
      return first_syllable + (initial * num_vowels + vowel) * num_finals;
    const char32_t syllable = first - first_syllable;
    const char32_t final = second - before_finals;
    if (syllable < num_syllables && syllable % num_finals == 0 && final > 0 && final < num_finals)
      return first + final;
    return std::nullopt;
  }
};

/// Returns the composition of two code points, if they have one.
inline std::optional<char32_t> composite_of(char32_t first, char32_t second) noexcept {
  if (const auto syllable = Hangul::compose(first, second)) return syllable;
  const auto key = [](const ComposedPair& pair) { return std::tuple(pair.first, pair.second); };
  const auto found = std::ranges::lower_bound(composed_pairs, std::tuple(first, second), {}, key);
  if (found == composed_pairs.end() || key(*found) != std::tuple(first, second))
    return std::nullopt;
  return found->composite;
}

/// Composes texts: the normalization form NFC with the tables of Unicode 9, which `tokenizers` has.
/// A code point of a later version stands for itself. Not for several threads at the same time.
class Composer {
 public:
  /// Returns true if a text has a code point that its normalization may change.
  static bool may_change(std::string_view text) noexcept;

  /// Replaces the content of `out` by the normalization of a text, which is valid UTF-8. Takes time
  /// proportional to the length of the text, and n log n of its longest run of marks. Throws
  /// std::bad_alloc.
  void normalize(std::string_view text, AlignedText& out);

 private:
  /// A code point of a decomposed stretch.
  struct Part {
    char32_t code_point;
    unsigned combining_class;
  };

  /// Adds the decomposition of a code point to parts_.
  void decompose(char32_t code_point);
  /// Brings marks into the order of their classes.
  void reorder();
  /// Joins the parts that have a composition.
  void compose();

  std::vector<Part> parts_;
};

}  // namespace embd::bpe
