#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tokenizer/unigram/grapheme_table.h"

namespace embd::unigram {

/// The property of a code point that determines where grapheme clusters begin:
/// Grapheme_Cluster_Break of Unicode 17, with additional classes for Extended_Pictographic and for
/// the values of Indic_Conjunct_Break.
enum class GraphemeClass : std::uint8_t {
  other,
  carriage_return,
  line_feed,
  control,
  extend,         ///< Extend without Indic_Conjunct_Break
  conjunct_mark,  ///< Extend with Indic_Conjunct_Break=Extend
  linker,         ///< Extend with Indic_Conjunct_Break=Linker: a virama
  zero_width_joiner,
  spacing_mark,
  prepend,
  regional_indicator,
  hangul_l,
  hangul_v,
  hangul_t,
  hangul_lv,
  hangul_lvt,
  pictographic,
  consonant,  ///< Indic_Conjunct_Break=Consonant
};
inline constexpr std::size_t num_grapheme_classes = 18;

namespace internal {

/// The classes of all code points, in blocks of 256. The first block has only `other`.
struct GraphemeTable {
  std::array<std::uint8_t, 0x1100> block_of = {};
  std::array<std::array<GraphemeClass, 256>, 127> blocks = {};
  std::uint8_t num_blocks = 1;

  constexpr void set(char32_t c, GraphemeClass to) noexcept {
    std::uint8_t& block = block_of[c >> 8];
    if (block == 0) block = num_blocks++;
    blocks[block][c & 0xff] = to;
  }
  constexpr void set(std::span<const CodePointRange> ranges, GraphemeClass to) noexcept {
    for (const CodePointRange& range : ranges)
      for (char32_t c = range.first; c <= range.last; ++c) set(c, to);
  }
  /// Every 28th Hangul syllable is an LV, so blocks repeat after 7 blocks.
  constexpr void set_hangul_syllables() noexcept {
    for (char32_t c = 0xac00; c <= 0xd7a3; ++c) {
      if (c >= 0xb300 && c < 0xd700)
        block_of[c >> 8] = block_of[(c >> 8) - 7];
      else
        set(c, (c - 0xac00) % 28 == 0 ? GraphemeClass::hangul_lv : GraphemeClass::hangul_lvt);
    }
  }
};

inline constexpr GraphemeTable grapheme_table = [] {
  using enum GraphemeClass;
  GraphemeTable table;
  table.set(carriage_return_ranges, carriage_return);
  table.set(line_feed_ranges, line_feed);
  table.set(control_ranges, control);
  table.set(extend_ranges, extend);
  table.set(conjunct_mark_ranges, conjunct_mark);
  table.set(linker_ranges, linker);
  table.set(zero_width_joiner_ranges, zero_width_joiner);
  table.set(spacing_mark_ranges, spacing_mark);
  table.set(prepend_ranges, prepend);
  table.set(regional_indicator_ranges, regional_indicator);
  table.set(hangul_l_ranges, hangul_l);
  table.set(hangul_v_ranges, hangul_v);
  table.set(hangul_t_ranges, hangul_t);
  table.set(pictographic_ranges, pictographic);
  table.set(consonant_ranges, consonant);
  table.set_hangul_syllables();
  return table;
}();

}  // namespace internal

/// Returns the class of a code point, which must be at most U+10FFFF.
inline GraphemeClass grapheme_class(char32_t code_point) noexcept {
  const std::size_t block = internal::grapheme_table.block_of[code_point >> 8];
  return internal::grapheme_table.blocks[block][code_point & 0xff];
}

namespace internal {

/// The state of a cluster, which determines the code points that may follow within it.
enum class ClusterState : std::uint8_t {
  any,  ///< only code points that may follow in every cluster
  carriage_return,
  control,
  prepend,
  hangul_l,
  hangul_v,                ///< after a V or an LV
  hangul_t,                ///< after a T or an LVT
  odd_regional_indicator,  ///< the first half of a flag
  pictographic,            ///< a pictograph, then any number of Extend
  joined_pictographic,     ///< a pictograph, any number of Extend, then a zero width joiner
  consonant,               ///< a consonant, then marks
  linked_consonant,        ///< a consonant, then marks that include a linker
};
inline constexpr std::size_t num_cluster_states = 12;

/// Returns true if a code point belongs to the cluster before it: the rules GB3 to GB999 of
/// Unicode's annex 29.
constexpr bool joins(ClusterState state, GraphemeClass next) noexcept {
  using enum GraphemeClass;
  if (state == ClusterState::carriage_return && next == line_feed) return true;
  if (state == ClusterState::carriage_return || state == ClusterState::control) return false;
  switch (next) {
    case carriage_return:
    case line_feed:
    case control:
      return false;
    case extend:
    case conjunct_mark:
    case linker:
    case zero_width_joiner:
    case spacing_mark:
      return true;
    default:
      break;
  }
  switch (state) {
    case ClusterState::prepend:
      return true;
    case ClusterState::hangul_l:
      return next == hangul_l || next == hangul_v || next == hangul_lv || next == hangul_lvt;
    case ClusterState::hangul_v:
      return next == hangul_v || next == hangul_t;
    case ClusterState::hangul_t:
      return next == hangul_t;
    case ClusterState::odd_regional_indicator:
      return next == regional_indicator;
    case ClusterState::joined_pictographic:
      return next == pictographic;
    case ClusterState::linked_consonant:
      return next == consonant;
    default:
      return false;
  }
}

/// Returns the state after a code point, whether it continued the cluster or began a new one.
constexpr ClusterState state_behind(ClusterState state, GraphemeClass next) noexcept {
  using enum GraphemeClass;
  const bool in_conjunct =
      state == ClusterState::consonant || state == ClusterState::linked_consonant;
  switch (next) {
    case carriage_return:
      return ClusterState::carriage_return;
    case line_feed:
    case control:
      return ClusterState::control;
    case prepend:
      return ClusterState::prepend;
    case hangul_l:
      return ClusterState::hangul_l;
    case hangul_v:
    case hangul_lv:
      return ClusterState::hangul_v;
    case hangul_t:
    case hangul_lvt:
      return ClusterState::hangul_t;
    case regional_indicator:
      return state == ClusterState::odd_regional_indicator ? ClusterState::any
                                                           : ClusterState::odd_regional_indicator;
    case pictographic:
      return ClusterState::pictographic;
    case consonant:
      return ClusterState::consonant;
    case extend:
      return state == ClusterState::pictographic ? state : ClusterState::any;
    case conjunct_mark:
      return state == ClusterState::pictographic || in_conjunct ? state : ClusterState::any;
    case linker:
      if (in_conjunct) return ClusterState::linked_consonant;
      return state == ClusterState::pictographic ? state : ClusterState::any;
    case zero_width_joiner:
      if (state == ClusterState::pictographic) return ClusterState::joined_pictographic;
      return in_conjunct ? state : ClusterState::any;
    default:
      return ClusterState::any;
  }
}

struct ClusterStep {
  ClusterState state;
  bool joins;
};

inline constexpr auto cluster_steps = [] {
  std::array<std::array<ClusterStep, num_grapheme_classes>, num_cluster_states> steps{};
  for (std::size_t i = 0; i < num_cluster_states; ++i) {
    for (std::size_t j = 0; j < num_grapheme_classes; ++j) {
      const auto state = static_cast<ClusterState>(i);
      const auto next = static_cast<GraphemeClass>(j);
      steps[i][j] = {state_behind(state, next), joins(state, next)};
    }
  }
  return steps;
}();

}  // namespace internal

/// Finds where extended grapheme clusters begin (Unicode 17, annex 29), reading one code point
/// after the other. It remembers everything that a rule needs of earlier code points, so it takes
/// time linear in the text.
class ClusterBreaks {
 public:
  /// Begins with the first code point of a text, or of any cluster.
  explicit ClusterBreaks(char32_t first) noexcept
      : state_(internal::state_behind(internal::ClusterState::any, grapheme_class(first))) {}

  /// Reads the next code point. Returns true if it belongs to the same cluster as the code point
  /// before it.
  bool joins(char32_t next) noexcept {
    const internal::ClusterStep step =
        internal::cluster_steps[static_cast<std::size_t>(state_)]
                               [static_cast<std::size_t>(grapheme_class(next))];
    state_ = step.state;
    return step.joins;
  }

 private:
  internal::ClusterState state_;
};

}  // namespace embd::unigram
