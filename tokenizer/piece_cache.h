#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace embd {

/// A cache of the ids of short words, because texts repeat the same words. Each word has one
/// possible place, where the last word that was stored stays. The constructor throws std::bad_alloc
/// if 512 KB cannot be allocated.
class PieceCache {
 public:
  /// The largest size of a word in bytes; enough for ten letters of three bytes.
  static constexpr std::size_t max_size = 32;
  /// The largest number of ids of a word.
  static constexpr std::size_t max_ids = 7;

  PieceCache() : entries_(std::size_t{1} << num_bits) {}

  /// Returns the ids of a word, which must not be empty; nothing if they are not in the cache. The
  /// ids are valid until store() is called.
  std::optional<std::span<const std::int32_t>> find(std::string_view word) const noexcept {
    if (word.size() > max_size) return std::nullopt;
    const Bytes bytes = padded(word);
    const Entry& entry = entries_[place(bytes)];
    if (entry.bytes != bytes || entry.size != word.size()) return std::nullopt;
    return std::span(entry.ids.data(), entry.num_ids);
  }

  /// Stores the ids of a word, which must not be empty, if both are short enough.
  void store(std::string_view word, std::span<const std::int32_t> ids) noexcept {
    if (word.size() > max_size || ids.size() > max_ids) return;
    const Bytes bytes = padded(word);
    Entry& entry = entries_[place(bytes)];
    entry.bytes = bytes;
    entry.size = static_cast<std::uint8_t>(word.size());
    entry.num_ids = static_cast<std::uint8_t>(ids.size());
    std::ranges::copy(ids, entry.ids.begin());
  }

 private:
  using Bytes = std::array<std::uint64_t, max_size / sizeof(std::uint64_t)>;

  struct Entry {
    Bytes bytes;  ///< the word, padded with zeros
    /// The size of the word, which may have zeros at its end; 0 for an empty place.
    std::uint8_t size;
    std::uint8_t num_ids;
    std::array<std::int32_t, max_ids> ids;
  };
  static_assert(sizeof(Entry) == 64, "one to a cache line");

  static constexpr int num_bits = 13;  // 512 KB, within a core's own cache

  static Bytes padded(std::string_view word) noexcept {
    Bytes bytes{};
    std::memcpy(bytes.data(), word.data(), word.size());
    return bytes;
  }
  static std::size_t place(const Bytes& bytes) noexcept {
    const std::uint64_t hash = bytes[0] * 0x9e3779b97f4a7c15U + bytes[1] * 0xc2b2ae3d27d4eb4fU +
                               bytes[2] * 0x165667b19e3779f9U + bytes[3] * 0x27d4eb2f165667c5U;
    return hash >> (64 - num_bits);
  }

  std::vector<Entry> entries_;
};

}  // namespace embd
