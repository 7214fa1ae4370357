#pragma once

#include <algorithm>
#include <cstdint>

namespace embd {

/// How many tokens of the two texts of a pair are kept.
struct PairLengths {
  std::int64_t first;
  std::int64_t second;

  bool operator==(const PairLengths&) const = default;
};

/// Cuts texts of so many tokens to `room` tokens together, the longer one first, as `longest_first`
/// of Hugging Face's tokenizers does: the shorter one stays whole where it takes at most half of
/// the room. Else the shorter one gets half, rounded down, and the longer one the rest; of two that
/// are equally long the second counts as the longer one.
constexpr PairLengths cut_longest_first(PairLengths lengths, std::int64_t room) noexcept {
  const auto [first, second] = lengths;
  if (first + second <= room) return lengths;
  const std::int64_t shorter = std::min({first, second, room / 2});
  const std::int64_t longer = room - shorter;
  return first > second ? PairLengths{longer, shorter} : PairLengths{shorter, longer};
}

}  // namespace embd
