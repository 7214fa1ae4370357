#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace embd::finalfusion {

/// A hash table of strings that are stored elsewhere. It maps a text to its position;
/// `at(position)` must return the text at a position. A slot has 8 bytes, and there are 4/3 to 8/3
/// slots per string. The hash has a new seed in each process, so that no file can be made to have
/// many collisions. Results do not depend on the seed.
class StringTable {
 public:
  /// Makes room for `expected` strings. The table grows if there are more.
  explicit StringTable(std::uint64_t expected = 0);

  /// Adds `text` at `position`, which is below 2^40. Returns nothing, or the position of an equal
  /// text that the table had already.
  template <std::invocable<std::uint64_t> At>
  std::optional<std::uint64_t> insert(std::string_view text, std::uint64_t position, const At& at) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow(at);
    const std::uint64_t hash = hash_of(text);
    std::uint64_t slot = hash & mask();
    for (; slots_[slot] != 0; slot = (slot + 1) & mask())
      if (same_tag(slots_[slot], hash) && at(position_in(slots_[slot])) == text)
        return position_in(slots_[slot]);
    slots_[slot] = filled(hash, position);
    ++size_;
    return std::nullopt;
  }

  template <std::invocable<std::uint64_t> At>
  std::optional<std::uint64_t> find(std::string_view text, const At& at) const {
    const std::uint64_t hash = hash_of(text);
    for (std::uint64_t slot = hash & mask(); slots_[slot] != 0; slot = (slot + 1) & mask())
      if (same_tag(slots_[slot], hash) && at(position_in(slots_[slot])) == text)
        return position_in(slots_[slot]);
    return std::nullopt;
  }

 private:
  // A slot is 0 if it is free. Otherwise it has the upper 24 bits of the hash, and the position
  // plus one.
  static constexpr int position_bits = 40;
  static constexpr std::uint64_t position_mask = (std::uint64_t{1} << position_bits) - 1;

  static std::uint64_t hash_of(std::string_view text) noexcept;
  static std::uint64_t filled(std::uint64_t hash, std::uint64_t position) {
    return (hash & ~position_mask) | (position + 1);
  }
  static bool same_tag(std::uint64_t slot, std::uint64_t hash) {
    return ((slot ^ hash) >> position_bits) == 0;
  }
  static std::uint64_t position_in(std::uint64_t slot) { return (slot & position_mask) - 1; }
  std::uint64_t mask() const { return slots_.size() - 1; }

  template <class At>
  void grow(const At& at) {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint64_t filled_slot : old) {
      if (filled_slot == 0) continue;
      std::uint64_t slot = hash_of(at(position_in(filled_slot))) & mask();
      while (slots_[slot] != 0) slot = (slot + 1) & mask();
      slots_[slot] = filled_slot;
    }
  }

  std::vector<std::uint64_t> slots_;  // The size is a power of two.
  std::uint64_t size_ = 0;
};

}  // namespace embd::finalfusion
