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

namespace embd::server {

/// Vectors of texts seen before. A text's vector depends on nothing but the text and the options,
/// so a kept one is the answer, byte for byte. Texts are known by their SHA-256 and not kept. The
/// one unused for longest goes first. Any thread may call any member.
class Cache {
 public:
  using Key = std::array<std::byte, 32>;
  /// `options`: what else the vector depends on, such as the prompt and the dimensions.
  static Key key(std::string_view options, std::string_view text);

  /// 0 keeps nothing.
  explicit Cache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  bool enabled() const noexcept { return max_bytes_ > 0; }
  /// Copies the vector to `out` and returns true, or false.
  bool find(const Key& key, std::span<float> out);
  void insert(const Key& key, std::span<const float> row);

  struct State {
    std::size_t bytes = 0;
    std::size_t entries = 0;
  };
  State state() const;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      std::size_t value = 0;
      std::memcpy(&value, key.data(), sizeof value);
      return value;
    }
  };
  struct Entry {
    Key key;
    std::vector<float> row;
  };
  static std::size_t bytes_of(std::size_t values) noexcept;

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< the last used first
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> places_;
  std::size_t bytes_ = 0;
};

}  // namespace embd::server
