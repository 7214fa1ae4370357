#include <algorithm>
#include <iterator>
#include <span>

#include "tokenizer/wordpiece/unicode.h"

namespace embd::wordpiece::unicode_table {
namespace {

/// A run of code points with the same category, from `first` up to the next run.
struct CategoryRun {
  char32_t first : 24;
  Category category : 8;
};

/// A run of upper-case code points: every `step`-th one from `first` to `last`. The lower case of
/// each is `shift` code points after it.
struct LowerCaseRun {
  char32_t first;
  char32_t last;
  std::int32_t shift;
  std::uint32_t step;
};

/// A run of code points, from `first` to `last`, that decompose into `size` parts each. The parts
/// stand one after the other in `parts`, from `begin` on.
struct DecompositionRun {
  char32_t first;
  char32_t last;
  std::uint16_t begin;
  std::uint16_t size;
};

#include "unicode_table.inc"

/// Returns the last entry of a list that begins at a code point or before it; nullptr if there is
/// none.
template <class Entry>
const Entry* find(std::span<const Entry> entries, char32_t code_point) noexcept {
  const auto after = std::ranges::upper_bound(
      entries, code_point, {}, [](const Entry& entry) { return char32_t{entry.first}; });
  return after == entries.begin() ? nullptr : &*std::prev(after);
}

/// The constants for the syllables of Hangul, which decompose by arithmetic (Unicode, 3.12).
constexpr char32_t first_syllable = 0xac00;
constexpr char32_t num_syllables = 11172;
constexpr char32_t num_vowels = 21;
constexpr char32_t num_finals = 28;  // with that of syllables that have none

Decomposition decompose_syllable(char32_t index) noexcept {
  const char32_t final = index % num_finals;
  return {
      .code_points = {0x1100 + index / num_finals / num_vowels,
                      0x1161 + index / num_finals % num_vowels, final == 0 ? 0 : 0x11a7 + final},
      .size = final == 0 ? 2U : 3U};
}

}  // namespace

Category category(char32_t code_point) noexcept {
  return find<CategoryRun>(category_runs, code_point)->category;
}

Decomposition decompose(char32_t code_point) noexcept {
  if (const char32_t index = code_point - first_syllable; index < num_syllables)
    return decompose_syllable(index);
  const DecompositionRun* run = find<DecompositionRun>(decomposition_runs, code_point);
  if (run == nullptr || code_point > run->last) return {.code_points = {code_point}, .size = 1};
  Decomposition result{.size = run->size};
  std::copy_n(parts + run->begin + (code_point - run->first) * run->size, run->size,
              result.code_points.begin());
  return result;
}

char32_t lower_case(char32_t code_point) noexcept {
  const LowerCaseRun* run = find<LowerCaseRun>(lower_case_runs, code_point);
  if (run == nullptr || code_point > run->last || (code_point - run->first) % run->step != 0)
    return code_point;
  return code_point + static_cast<char32_t>(run->shift);
}

}  // namespace embd::wordpiece::unicode_table
