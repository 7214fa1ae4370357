#include "base/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <span>

// SHA-1, and a comparison, without OpenSSL. base/sha256.cc has SHA-256.
namespace embd {
namespace {

constexpr std::size_t block_bytes = 64;

/// The state of a Sha1 (FIPS 180-4).
struct Context {
  std::array<std::uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::uint64_t size = 0;  // bytes so far
  std::array<std::byte, block_bytes> block = {};

  void add_block() noexcept;
};

void Context::add_block() noexcept {
  std::array<std::uint32_t, 80> w;
  std::memcpy(w.data(), block.data(), block_bytes);
  for (std::size_t i = 0; i < 16; ++i) w[i] = std::byteswap(w[i]);
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
  static_assert(sizeof(Context) <= sizeof(context_) && alignof(Context) <= alignof(std::uint64_t));
  new (context_.data()) Context;
}

void Sha1::update(Bytes bytes) noexcept {
  Context& context = *std::launder(reinterpret_cast<Context*>(context_.data()));
  while (!bytes.empty()) {
    const auto filled = static_cast<std::size_t>(context.size % block_bytes);
    const std::size_t count = std::min(bytes.size(), block_bytes - filled);
    std::ranges::copy(bytes.first(count), context.block.begin() + filled);
    context.size += count;
    if (filled + count == block_bytes) context.add_block();
    bytes = bytes.subspan(count);
  }
}

std::string Sha1::hex() noexcept {
  Context& context = *std::launder(reinterpret_cast<Context*>(context_.data()));
  const std::uint64_t bits = std::byteswap(8 * context.size);
  std::array<std::byte, block_bytes> padding = {std::byte{0x80}};
  const auto filled = static_cast<std::size_t>(context.size % block_bytes);
  update(std::span(padding).first(filled < 56 ? 56 - filled : 120 - filled));
  update(std::as_bytes(std::span(&bits, 1)));
  std::ranges::transform(context.state, context.state.begin(), std::byteswap<std::uint32_t>);
  return to_hex(std::as_bytes(std::span(context.state)));
}

bool equal_in_constant_time(Bytes a, Bytes b) noexcept {
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = difference | std::to_integer<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace embd
