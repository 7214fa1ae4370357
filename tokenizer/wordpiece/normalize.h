#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace embd::wordpiece {

/// The effect of a code point on the words around it.
enum class CharacterClass : std::uint8_t {
  dropped,  ///< it vanishes without ending a word: control characters, stripped marks
  space,    ///< it ends a word
  word,     ///< it is part of a word
  alone,    ///< it is a word by itself: punctuation, ideographs
};

/// A code point after normalization. Its text is empty, except in the classes word and alone.
struct NormalizedCharacter {
  /// The longest canonical decomposition that keeps its marks has three code points of four bytes.
  static constexpr std::size_t max_size = 12;

  CharacterClass character_class = CharacterClass::dropped;
  std::uint8_t code_points = 0;
  std::uint8_t size = 0;  ///< bytes used of utf8
  std::array<char, max_size + 1> utf8{};

  std::string_view text() const noexcept { return {utf8.data(), size}; }
};
static_assert(sizeof(NormalizedCharacter) == 16);

/// BERT's text normalization as Hugging Face's tokenizers perform it, as a map of single code
/// points. It cleans up control characters and white space, separates ideographs, decomposes
/// canonically, strips marks (Mn) and converts to lower case. The order of combining marks depends
/// on several code points and is ignored, because it cannot change a token.
///
/// Categories are those of Unicode 8, as in Hugging Face's tokenizers. Decomposition and lower case
/// come from utf8proc.
///
/// The map is computed in pages of 256 code points, each when it is first used. Any number of
/// threads may use it at the same time.
class Normalizer {
 public:
  /// Texts are decomposed and their marks stripped if `strip_accents` is true, and converted to
  /// lower case if `lower_case` is true.
  Normalizer(bool lower_case, bool strip_accents) noexcept
      : lower_case_(lower_case), strip_accents_(strip_accents) {}
  /// Strips accents if `lower_case` is true, as nearly all models do.
  explicit Normalizer(bool lower_case) noexcept : Normalizer(lower_case, lower_case) {}
  ~Normalizer();
  Normalizer(const Normalizer&) = delete;
  Normalizer& operator=(const Normalizer&) = delete;

  bool lower_case() const noexcept { return lower_case_; }
  bool strip_accents() const noexcept { return strip_accents_; }

  /// Returns the normalization of a code point, which must be at most U+10FFFF. The reference is
  /// valid as long as this object. Throws std::bad_alloc if 4 KB for the page cannot be allocated.
  const NormalizedCharacter& operator[](char32_t code_point) const {
    const Page* page = pages_[code_point >> 8].load(std::memory_order_acquire);
    if (page == nullptr) [[unlikely]]
      page = build_page(code_point >> 8);
    return (*page)[code_point & 0xff];
  }

 private:
  using Page = std::array<NormalizedCharacter, 256>;
  const Page* build_page(std::size_t index) const;

  bool lower_case_;
  bool strip_accents_;
  mutable std::array<std::atomic<const Page*>, 0x1100> pages_{};
};

/// Returns true for a code point in the blocks whose characters BERT separates. They do not include
/// Hangul, kana and the newer extensions, and they have a gap before U+2B920.
bool is_ideograph(char32_t code_point) noexcept;

}  // namespace embd::wordpiece
