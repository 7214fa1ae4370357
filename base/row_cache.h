#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"

namespace embd {

/// Rows of texts seen before, so that a text that comes again is not computed again. A row depends
/// on nothing but the text and the options, so a kept one is the same, byte for byte. Texts are
/// known by their SHA-256 and not kept. The row unused for longest goes first. Any thread may call
/// any member.
class RowCache {
 public:
  /// A SHA-256.
  using Key = std::array<std::byte, 32>;
  /// For maps of one's own: the bytes of a SHA-256 are as good as random.
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      std::size_t value = 0;
      std::memcpy(&value, key.data(), sizeof value);
      return value;
    }
  };
  /// `text`: its characters or its ids; `options`: what else the row depends on, such as the prompt
  /// and the dimensions.
  static Key key(std::string_view options, Bytes text) noexcept;

  /// 0 keeps nothing.
  explicit RowCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  bool enabled() const noexcept { return max_bytes_ > 0; }
  /// Copies the row to `out` and returns true, or false if it is not there or of another length.
  bool find(const Key& key, std::span<float> out);
  /// Where there is no memory for it, it is not kept.
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
  std::list<Entry> entries_;  ///< the last used first
  std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> places_;
  std::size_t bytes_ = 0;
};

}  // namespace embd
