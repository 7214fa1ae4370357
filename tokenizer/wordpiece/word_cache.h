#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/wordpiece/short_word.h"

namespace embd::wordpiece {

/// A cache of the ids of short words, because texts repeat the same words. Each word has one
/// possible place, where the last word that was stored stays.
class WordCache {
 public:
  /// The largest number of ids of a word; words with more ids are too rare to keep.
  static constexpr std::size_t max_ids = 3;

  struct Entry {
    ShortWord word;  ///< all zero: empty
    std::array<std::int32_t, max_ids> ids;
    std::uint32_t num_ids;

    std::span<const std::int32_t> found() const noexcept { return {ids.data(), num_ids}; }
  };
  static_assert(sizeof(Entry) == 32, "two to a cache line");

  WordCache() : entries_(std::size_t{1} << num_bits) {}

  /// Returns the place of a word, which may hold another word.
  Entry& operator[](const ShortWord& word) noexcept {
    const std::uint64_t hash = word.low * 0x9e3779b97f4a7c15U + word.high * 0xc2b2ae3d27d4eb4fU;
    return entries_[hash >> (64 - num_bits)];
  }

 private:
  static constexpr int num_bits = 14;  // 512 KB, within a core's own cache

  std::vector<Entry> entries_;
};

}  // namespace embd::wordpiece
