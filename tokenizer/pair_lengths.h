#pragma once

#include <algorithm>
#include <cstdint>

namespace embd {

/// The number of tokens of each text of a pair.
struct PairLengths {
  std::int64_t first;
  std::int64_t second;

  bool operator==(const PairLengths&) const = default;
};

/// Cuts two texts to `room` tokens together, the longer one first, as the strategy `longest_first`
/// of Hugging Face's tokenizers does. A text of at most half of the room stays whole. If both are
/// longer, the shorter one gets half of the room, rounded down, and the longer one the rest. Of two
/// equally long texts, the second counts as the longer one.
constexpr PairLengths cut_longest_first(PairLengths lengths, std::int64_t room) noexcept {
  const auto [first, second] = lengths;
  if (first + second <= room) return lengths;
  const std::int64_t shorter = std::min({first, second, room / 2});
  const std::int64_t longer = room - shorter;
  return first > second ? PairLengths{longer, shorter} : PairLengths{shorter, longer};
}

}  // namespace embd
