#include "base/checksum.h"

#include <bit>

#include "base/block_hash.h"

// SHA-1, and a comparison, without OpenSSL. base/sha256.cc has SHA-256.
namespace embd {
namespace {

/// The state of a Sha1 (FIPS 180-4).
struct Context : BlockHash<Context, 5> {
  Context() noexcept : BlockHash{{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}} {}
  void add_block() noexcept;
};

void Context::add_block() noexcept {
  std::array<std::uint32_t, 80> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = word(i);
  for (std::size_t i = 16; i < 80; ++i)
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t chosen = b ^ c ^ d;
    if (i < 20) chosen = (b & c) | (~b & d);
    if (i >= 40 && i < 60) chosen = (b & c) | (b & d) | (c & d);
    constexpr std::array<std::uint32_t, 4> constants = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc,
                                                        0xca62c1d6};
    const std::uint32_t sum = std::rotl(a, 5) + chosen + e + constants[i / 20] + w[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = sum;
  }
  const std::array<std::uint32_t, 5> added = {a, b, c, d, e};
  for (std::size_t i = 0; i < added.size(); ++i) state[i] += added[i];
}

}  // namespace

Sha1::Sha1() noexcept {
  Context::make_in(context_);
}

void Sha1::update(Bytes bytes) noexcept {
  Context::in(context_).update(bytes);
}

std::string Sha1::hex() noexcept {
  return to_hex(Context::in(context_).digest());
}

bool equal_in_constant_time(Bytes a, Bytes b) noexcept {
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = difference | std::to_integer<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace embd
