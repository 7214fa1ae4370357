#pragma once

#include <cstddef>

namespace embd {

/// Bytes [begin, end) of a text.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

/// Characters (code points) [begin, end) of a text.
struct CharacterRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const CharacterRange&) const = default;
};

/// A piece of a text, measured in bytes and in characters.
struct TextPlace {
  ByteRange bytes;
  CharacterRange characters;

  bool operator==(const TextPlace&) const = default;
};

}  // namespace embd
