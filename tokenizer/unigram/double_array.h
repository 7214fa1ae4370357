#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"

namespace embd::unigram {

/// A trie of byte strings, each with a number below 2^31, in the units of the darts-clone library.
/// SentencePiece's character map is one, and so is our trie of pieces.
///
/// Unit 0 is the root. A unit is 32 bits, little-endian:
///
///     bits 0 to 7    the byte that leads to it
///     bit 8          whether a key ends here
///     bit 9          whether the offset is to be multiplied by 256
///     bits 10 to 31  the offset
///
/// A unit's index XOR its offset is its base. Its child for byte b lies at base XOR b, if the unit
/// there has the label b. Where a key ends, the unit at the base itself has bit 31 set and holds
/// the number. No key has a byte 0.
///
/// A view: the bytes belong to the caller. Any bytes will do, an index out of bounds ends the walk.
class DoubleArray {
 public:
  DoubleArray() = default;
  /// `units` are whole units; bytes left over are ignored.
  explicit DoubleArray(Bytes units) noexcept
      : units_(units.data()), size_(units.size() / sizeof(std::uint32_t)) {}

  std::size_t size() const noexcept { return size_; }
  /// `index` is below size().
  std::uint32_t unit(std::size_t index) const noexcept {
    std::uint32_t value;
    std::memcpy(&value, units_ + index * sizeof(value), sizeof(value));
    return value;
  }

  /// The bits of a unit that must equal the byte that leads to it: bit 31 is set in numbers.
  static constexpr std::uint32_t label_mask = 0x800000ffU;
  static constexpr std::uint32_t number_bit = 0x80000000U;
  static constexpr std::uint32_t ends_key_bit = 0x100U;
  static constexpr std::uint32_t offset_of(std::uint32_t unit) noexcept {
    return (unit >> 10) << ((unit & 0x200U) >> 6);
  }

  /// Stands for "no number": it is greater than any number.
  static constexpr std::uint32_t no_number = number_bit;

  class Walk;

  /// Returns the number of `key`, or no_number if it is none.
  std::uint32_t find(std::string_view key) const noexcept;

 private:
  const std::byte* units_ = nullptr;
  std::size_t size_ = 0;
};

/// A way from the root downwards. Copies are cheap.
class DoubleArray::Walk {
 public:
  explicit Walk(const DoubleArray& array) noexcept : array_(array) {
    if (array.size_ > 0) enter(0, array.unit(0));
  }

  /// Goes on by one byte. Returns false, and must not be used further, if no key continues so.
  bool step(char byte) noexcept {
    const std::uint32_t label = static_cast<std::uint8_t>(byte);
    const std::uint32_t index = base_ ^ label;
    if (index >= array_.size_ || label == 0) return false;
    const std::uint32_t unit = array_.unit(index);
    if ((unit & label_mask) != label) return false;
    enter(index, unit);
    return true;
  }

  /// Returns the number of the key that the bytes so far spell, or no_number.
  std::uint32_t number() const noexcept {
    if (!ends_key_ || base_ >= array_.size_) return no_number;
    return array_.unit(base_) & ~number_bit;
  }

 private:
  void enter(std::uint32_t index, std::uint32_t unit) noexcept {
    base_ = index ^ offset_of(unit);
    ends_key_ = (unit & ends_key_bit) != 0;
  }

  DoubleArray array_;
  std::uint32_t base_ = 0;
  bool ends_key_ = false;
};

inline std::uint32_t DoubleArray::find(std::string_view key) const noexcept {
  Walk walk(*this);
  for (const char byte : key) {
    if (!walk.step(byte)) return no_number;
  }
  return walk.number();
}

static_assert(std::endian::native == std::endian::little, "units are read as they lie in files");

}  // namespace embd::unigram
