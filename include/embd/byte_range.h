#pragma once

#include <cstddef>

namespace embd {

/// A range of bytes in a text: from offset `begin` up to, but not including, offset `end`.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

/// A range of characters (Unicode code points) in a text: from character number `begin`, counted
/// from 0, up to, but not including, number `end`.
struct CharacterRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const CharacterRange&) const = default;
};

/// The place of a piece of a text, given both in bytes and in characters.
struct TextPlace {
  ByteRange bytes;
  CharacterRange characters;

  bool operator==(const TextPlace&) const = default;
};

}  // namespace embd
