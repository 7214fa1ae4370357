#pragma once

#include <bitset>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"
#include "tokenizer/double_array.h"

namespace embd::unigram {

/// SentencePiece's character map, the `precompiled_charsmap` of a tokenizer.json: a list of strings
/// and their replacements. The bytes are
///
///     u32      size of the double array in bytes, little-endian
///     units    a DoubleArray whose numbers are byte offsets into the strings
///     strings  UTF-8, each ended by a byte 0
///
/// It is a view: the bytes belong to the caller and must outlive it. Immutable.
class CharacterMap {
 public:
  /// The largest size of a replacement in bytes. The maps of SentencePiece need 33.
  static constexpr std::size_t max_replacement = 255;

  /// Makes a map without any keys, which leaves every text unchanged.
  CharacterMap() = default;

  /// Checks the bytes once, so that every replacement lies within them and is UTF-8. Fails with
  /// file_too_short, section_out_of_bounds, bad_value or invalid_utf8, each with the offset of the
  /// byte.
  static Result<CharacterMap> create(Bytes bytes);

  /// Returns the bytes of the map.
  Bytes bytes() const noexcept { return bytes_; }

  /// Returns the replacement of the shortest key at the beginning of `text`; nothing if no key is
  /// there. It is valid as long as the bytes of the map.
  std::optional<std::string_view> replacement(std::string_view text) const noexcept {
    DoubleArray::Walk walk(keys_);
    for (const char byte : text) {
      if (!walk.step(byte)) return std::nullopt;
      const std::uint32_t offset = walk.number();
      if (offset != DoubleArray::no_number) return string_at(offset);
    }
    return std::nullopt;
  }

 private:
  Result<void> check_numbers() const;
  /// Returns the string at `offset`, which must have been checked.
  std::string_view string_at(std::size_t offset) const noexcept {
    const std::string_view rest = strings_.substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

  Bytes bytes_;
  DoubleArray keys_;
  std::string_view strings_;
};

/// A character map together with the rule CharacterMapRule::clusters_of_unicode_17, and a table of
/// the code points that need no search in the map. Immutable. The bytes of the map must outlive it.
class Normalizer {
 public:
  /// Makes the table, in less than a millisecond. Throws std::bad_alloc.
  explicit Normalizer(const CharacterMap& map);

  const CharacterMap& map() const noexcept { return map_; }

  /// Returns true if a code point stays unchanged when it is looked up alone, and is neither white
  /// space nor a word mark. Returns false for some such code points above U+FFFF, which are then
  /// looked up.
  bool keeps(char32_t code_point) const noexcept {
    return code_point < num_known && kept_[code_point];
  }
  /// Returns true if a code point is plain: it stays unchanged, and there is a boundary between
  /// clusters between any two plain code points. Most letters are plain.
  bool is_plain(char32_t code_point) const noexcept {
    return code_point < num_known && plain_[code_point];
  }

 private:
  static constexpr std::size_t num_known = 0x10000;

  CharacterMap map_;
  std::bitset<num_known> kept_;
  std::bitset<num_known> plain_;
};

}  // namespace embd::unigram
