#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "base/bytes.h"

namespace embd {

/// The state of a hash of FIPS 180-4 over blocks of 64 bytes, with a digest of `num_words` words of
/// 32 bits, for systems where OpenSSL is not linked. `Hash` is derived from it, and its add_block()
/// adds the words of a full block to `state`.
template <class Hash, std::size_t num_words>
struct BlockHash {
  static constexpr std::size_t block_bytes = 64;

  std::array<std::uint32_t, num_words> state;
  std::uint64_t size = 0;  // bytes so far
  std::array<std::byte, block_bytes> block = {};

  /// Makes a hash in the bytes of a member, or finds it there.
  template <std::size_t room>
  static void make_in(std::array<std::byte, room>& bytes) noexcept {
    static_assert(sizeof(Hash) <= room && alignof(Hash) <= alignof(std::uint64_t));
    new (bytes.data()) Hash;
  }
  template <std::size_t room>
  static Hash& in(std::array<std::byte, room>& bytes) noexcept {
    return *std::launder(reinterpret_cast<Hash*>(bytes.data()));
  }

  /// Returns word i of the block, which has 16.
  std::uint32_t word(std::size_t i) const noexcept {
    std::uint32_t word;
    std::memcpy(&word, block.data() + sizeof(word) * i, sizeof(word));
    return std::byteswap(word);
  }

  void update(Bytes bytes) noexcept {
    while (!bytes.empty()) {
      const auto filled = static_cast<std::size_t>(size % block_bytes);
      const std::size_t count = std::min(bytes.size(), block_bytes - filled);
      std::ranges::copy(bytes.first(count), block.begin() + filled);
      size += count;
      if (filled + count == block_bytes) static_cast<Hash&>(*this).add_block();
      bytes = bytes.subspan(count);
    }
  }

  std::array<std::byte, 4 * num_words> digest() noexcept {
    const std::uint64_t bits = std::byteswap(8 * size);
    std::array<std::byte, block_bytes> padding = {std::byte{0x80}};
    const auto filled = static_cast<std::size_t>(size % block_bytes);
    update(std::span(padding).first(filled < 56 ? 56 - filled : 120 - filled));
    update(std::as_bytes(std::span(&bits, 1)));
    std::ranges::transform(state, state.begin(), std::byteswap<std::uint32_t>);
    return std::bit_cast<std::array<std::byte, 4 * num_words>>(state);
  }
};

}  // namespace embd
