#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace embd {

/// Returns the CRC-32 (IEEE 802.3, as in zlib) of `bytes`, continuing from `seed`, which is the
/// CRC-32 of the bytes before.
std::uint32_t crc32(Bytes bytes, std::uint32_t seed = 0) noexcept;

/// Returns the CRC-32 of two pieces of memory, one after the other, from the CRC-32 of each.
std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second,
                            std::size_t second_size) noexcept;

/// Returns the 32-bit FNV-1a hash of a text: offset basis 2166136261, prime 16777619.
constexpr std::uint32_t fnv1a32(std::string_view text) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619U;
  return hash;
}

/// Computes the SHA-256 of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256() noexcept;

  void update(Bytes bytes) noexcept;
  void update(std::string_view text) noexcept { update(as_bytes(text)); }
  /// Returns the digest of all bytes so far. May be called only once, and not after hex().
  std::array<std::byte, 32> digest() noexcept;
  /// Returns the digest of all bytes so far as 64 lower-case hex digits. May be called only once,
  /// and not after digest().
  std::string hex() noexcept { return to_hex(digest()); }

 private:
  // OpenSSL's SHA256_CTX. Its header is not included here.
  alignas(std::uint64_t) std::array<std::byte, 112> context_;
};

inline std::string sha256_hex(Bytes bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

/// Computes the SHA-1 of bytes that arrive in pieces. It is no protection against forged content.
class Sha1 {
 public:
  Sha1() noexcept;

  void update(Bytes bytes) noexcept;
  void update(std::string_view text) noexcept { update(as_bytes(text)); }
  /// Returns the digest of all bytes so far as 40 lower-case hex digits. May be called only once.
  std::string hex() noexcept;

 private:
  // OpenSSL's SHA_CTX, as above.
  alignas(std::uint64_t) std::array<std::byte, 96> context_;
};

/// Returns true if the bytes of `a` and `b`, which have equal sizes, are the same. The time it
/// takes depends on their size alone, so it tells nobody where they differ.
bool equal_in_constant_time(Bytes a, Bytes b) noexcept;

}  // namespace embd

namespace embd::pclmul {

/// Folds `count` whole blocks of 64 bytes, at least one, into 16 bytes with the same remainder
/// modulo the polynomial of CRC-32. The CRC register after the blocks, beginning at `state`, equals
/// the register after the 16 bytes, beginning at 0, both without the inversion of CRC-32. Needs
/// CpuFeatures::pclmul.
void fold_crc32(const unsigned char* blocks, std::size_t count, std::uint32_t state,
                unsigned char folded[16]) noexcept;

}  // namespace embd::pclmul
