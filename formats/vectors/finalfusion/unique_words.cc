#include "formats/vectors/finalfusion/unique_words.h"

#include <fmt/format.h>

#include "formats/vectors/finalfusion/murmur3.h"

namespace embd::finalfusion {
namespace {

/// The seed of the hash. Any seed gives the same counts.
constexpr std::uint64_t hash_seed = 0x656d6264;

}  // namespace

TextCounts::Slot& TextCounts::find(std::uint64_t low, std::uint32_t high) {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t i = low & mask;
  while (slots_[i].count != 0 && (slots_[i].low != low || slots_[i].high != high))
    i = (i + 1) & mask;
  return slots_[i];
}

std::uint32_t TextCounts::add(std::string_view text) {
  if ((size_ + 1) * 4 > slots_.size() * 3) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.count != 0) find(slot.low, slot.high) = slot;
  }
  const Hash128 hash = murmur3(text, hash_seed);
  const auto high = static_cast<std::uint32_t>(hash.high);
  Slot& slot = find(hash.low, high);
  if (slot.count == 0) {
    slot = {.low = hash.low, .high = high, .count = 0};
    ++size_;
  }
  return slot.count++;
}

std::string UniqueWords::name(std::string_view text) {
  std::uint32_t before = counts_.add(text);
  if (before == 0) return std::string(text);
  ++num_renamed_;
  for (;;) {
    std::string name = fmt::format("{}#{}", text, before + 1);
    if (counts_.add(name) == 0) return name;
    before = counts_.add(text);
  }
}

}  // namespace embd::finalfusion
