#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace embd {

/// CRC-32 (IEEE 802.3, as in zlib) of `bytes`, continuing from `seed`.
std::uint32_t crc32(Bytes bytes, std::uint32_t seed = 0) noexcept;

/// FNV-1a, 32 bit, offset basis 2166136261, prime 16777619.
constexpr std::uint32_t fnv1a32(std::string_view text) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619U;
  return hash;
}

/// SHA-256 of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256() noexcept;

  void update(Bytes bytes) noexcept;
  void update(std::string_view text) noexcept { update(as_bytes(text)); }
  /// The digest of what came so far. Call once.
  std::array<std::byte, 32> digest() noexcept;
  /// The same, as 64 lower-case hex digits. Call once, instead of digest().
  std::string hex() noexcept;

 private:
  // OpenSSL's SHA256_CTX, whose header stays out of here.
  alignas(std::uint64_t) std::array<std::byte, 112> context_;
};

std::string sha256_hex(Bytes bytes);

}  // namespace embd
