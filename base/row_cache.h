#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <list>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"

namespace embd {

/// A cache of the rows of texts, so that a text that is repeated is not computed again. A row
/// depends only on the text and the options, so a cached row has the same bytes as a computed one.
/// Texts are identified by their SHA-256 and not stored. If the cache is full, the least recently
/// used row is dropped. Any number of threads may call any function.
class RowCache {
 public:
  /// The SHA-256 of a text and its options.
  using Key = std::array<std::byte, 32>;
  /// A hash function for maps with such keys. It takes some bytes of the SHA-256, which are as good
  /// as random.
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      std::size_t value = 0;
      std::memcpy(&value, key.data(), sizeof value);
      return value;
    }
  };
  /// Makes a key. `text` is the bytes of the text or of its token ids; `options` is everything else
  /// that the row depends on, such as the prompt and the dimension.
  static Key key(std::string_view options, Bytes text) noexcept;

  /// Makes a cache of at most `max_bytes`. A cache of 0 bytes stores nothing.
  explicit RowCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  bool enabled() const noexcept { return max_bytes_ > 0; }
  /// Copies a row into `out` and returns true. Returns false if the row is not there or has another
  /// length.
  bool find(const Key& key, std::span<float> out);
  /// Stores a row, unless there is no memory for it.
  void insert(const Key& key, std::span<const float> row) noexcept;

  struct State {
    std::size_t bytes = 0;
    std::size_t entries = 0;
  };
  State state() const;

 private:
  struct Entry {
    Key key;
    std::vector<float> row;
  };
  static std::size_t bytes_of(std::size_t values) noexcept;

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< least recently used last
  std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> places_;
  std::size_t bytes_ = 0;
};

}  // namespace embd
