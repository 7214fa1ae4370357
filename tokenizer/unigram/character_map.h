#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"
#include "tokenizer/unigram/double_array.h"

namespace embd::unigram {

/// SentencePiece's character map, the `precompiled_charsmap` of a tokenizer.json: strings and what
/// becomes of them. The bytes are
///
///     u32      size of the double array in bytes, little-endian
///     units    a DoubleArray whose numbers are byte offsets into the strings
///     strings  UTF-8, each ended by a byte 0
///
/// A view: the bytes belong to the caller and must outlive it. Immutable.
class CharacterMap {
 public:
  /// Bytes of the longest string that anything may become. The maps of SentencePiece need 33.
  static constexpr std::size_t max_replacement = 255;

  /// A map that leaves every text as it is.
  CharacterMap() = default;

  /// Checks the bytes once, so that every answer lies within them and is UTF-8. Errors:
  /// file_too_short, section_out_of_bounds, bad_value, invalid_utf8, each with the byte's offset.
  static Result<CharacterMap> create(Bytes bytes);

  /// The whole map.
  Bytes bytes() const noexcept { return bytes_; }

  /// Returns what becomes of the shortest key at the front of `text`, valid as long as the map's
  /// bytes; nothing if no key is there.
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
  /// `offset` was checked.
  std::string_view string_at(std::size_t offset) const noexcept {
    const std::string_view rest = strings_.substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

  Bytes bytes_;
  DoubleArray keys_;
  std::string_view strings_;
};

}  // namespace embd::unigram
