#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd {

/// A trie of byte strings, each with a number below 2^31, in the format of the darts-clone library.
/// SentencePiece's character map contains one, and the trie of the pieces is one, too.
///
/// Unit 0 is the root. A unit has 32 bits, little-endian:
///
///     bits 0 to 7    the byte that leads to it
///     bit 8          set if a key ends here
///     bit 9          set if the offset is to be multiplied by 256
///     bits 10 to 31  the offset
///
/// The base of a unit is its index XOR its offset. Its child for byte b is the unit at base XOR b,
/// if that unit has the label b. If a key ends at a unit, the unit at its base has bit 31 set and
/// holds the number of the key. No key contains a byte 0.
///
/// It is a view: the bytes belong to the caller. Any bytes are safe, because an index out of bounds
/// ends the walk.
class DoubleArray {
 public:
  DoubleArray() = default;
  /// `units` should be whole units; a rest of less than four bytes is ignored.
  explicit DoubleArray(Bytes units) noexcept
      : units_(units.data()), size_(units.size() / sizeof(std::uint32_t)) {}

  std::size_t size() const noexcept { return size_; }
  /// Returns a unit. `index` must be below size().
  std::uint32_t unit(std::size_t index) const noexcept {
    std::uint32_t value;
    std::memcpy(&value, units_ + index * sizeof(value), sizeof(value));
    return value;
  }

  /// The bits of a unit that must equal the byte that leads to it. They include bit 31, which is
  /// set in numbers only.
  static constexpr std::uint32_t label_mask = 0x800000ffU;
  static constexpr std::uint32_t number_bit = 0x80000000U;
  static constexpr std::uint32_t ends_key_bit = 0x100U;
  static constexpr std::uint32_t offset_of(std::uint32_t unit) noexcept {
    return (unit >> 10) << ((unit & 0x200U) >> 6);
  }

  /// The value that stands for "no number". It is greater than every number.
  static constexpr std::uint32_t no_number = number_bit;

  class Walk;

  /// Returns the number of `key`; no_number if it is not in the trie.
  std::uint32_t find(std::string_view key) const noexcept;

 private:
  const std::byte* units_ = nullptr;
  std::size_t size_ = 0;
};

/// A walk from the root downwards, byte by byte. It is cheap to copy.
class DoubleArray::Walk {
 public:
  explicit Walk(const DoubleArray& array) noexcept : array_(array) {
    if (array.size_ > 0) enter(0, array.unit(0));
  }

  /// Moves on by one byte. Returns false if no key continues with this byte; the walk must not be
  /// used after that.
  bool step(char byte) noexcept {
    const std::uint32_t label = static_cast<std::uint8_t>(byte);
    const std::uint32_t index = base_ ^ label;
    if (index >= array_.size_ || label == 0) return false;
    const std::uint32_t unit = array_.unit(index);
    if ((unit & label_mask) != label) return false;
    enter(index, unit);
    return true;
  }

  /// Returns the number of the key that consists of the bytes so far; no_number if there is no such
  /// key.
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

/// Returns the units of a DoubleArray in which the number of each key is its index in `keys`. Of
/// equal keys, the last one counts; empty keys are left out. The same keys give the same units on
/// every machine. 250,000 pieces take about 0.2 s.
///
/// Fails with bad_value for a key that contains a byte 0, with bad_count if there are too many keys
/// for ids of 31 bits or too many units for the offsets, and with out_of_memory.
Result<std::vector<std::uint32_t>> build_double_array(std::span<const std::string_view> keys);

/// Proves that `units` contain exactly these keys with these numbers, as build_double_array() makes
/// them: every key is found, and no walk leads anywhere else. Takes a few bytes of memory for each
/// unit. Fails with bad_value, naming the first key or unit that is wrong, and with out_of_memory.
Result<void> check_double_array(std::span<const std::uint32_t> units,
                                std::span<const std::string_view> keys);

}  // namespace embd
