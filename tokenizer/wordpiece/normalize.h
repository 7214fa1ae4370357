#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace embd::wordpiece {

/// The effect of a code point on the words around it.
enum class CharacterClass : std::uint8_t {
  dropped,  ///< vanishes, without ending a word: controls, stripped marks
  space,    ///< ends a word
  word,     ///< part of a word
  alone,    ///< a word by itself: punctuation, an ideograph
};

/// A code point after normalization. Its text is empty unless the class is word or alone.
struct NormalizedCharacter {
  /// Three code points of four bytes is the longest canonical decomposition that keeps its marks.
  static constexpr std::size_t max_size = 12;

  CharacterClass character_class = CharacterClass::dropped;
  std::uint8_t code_points = 0;
  std::uint8_t size = 0;  ///< bytes used of utf8
  std::array<char, max_size + 1> utf8{};

  std::string_view text() const noexcept { return {utf8.data(), size}; }
};
static_assert(sizeof(NormalizedCharacter) == 16);

/// BERT's text normalization as Hugging Face's tokenizers performs it, as a map from single code
/// points: clean-up of controls and white space, ideographs set apart, canonical decomposition,
/// stripping of marks (Mn), lower case. The order of combining marks, the one part that is not a
/// matter of single code points, cannot change a token.
///
/// Categories are those of Unicode 8, as there; decomposition and lower case come from utf8proc.
///
/// The map is computed in pages of 256 code points, each on its first use. Any number of threads
/// may look up at once.
class Normalizer {
 public:
  /// `lower_case` false keeps case and accents: no decomposition, no stripping, no lower-casing.
  explicit Normalizer(bool lower_case) noexcept : lower_case_(lower_case) {}
  ~Normalizer();
  Normalizer(const Normalizer&) = delete;
  Normalizer& operator=(const Normalizer&) = delete;

  bool lower_case() const noexcept { return lower_case_; }

  /// `code_point` is at most U+10FFFF. The reference lives as long as this object. Throws
  /// std::bad_alloc if the page's 4 KB cannot be had.
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
  mutable std::array<std::atomic<const Page*>, 0x1100> pages_{};
};

}  // namespace embd::wordpiece
