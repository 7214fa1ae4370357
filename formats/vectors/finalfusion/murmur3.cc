#include "formats/vectors/finalfusion/murmur3.h"

#include <bit>
#include <cstring>

namespace embd::finalfusion {
namespace {

constexpr std::uint64_t c1 = 0x87c37b91114253d5;
constexpr std::uint64_t c2 = 0x4cf5ad432745937f;

std::uint64_t mix_low(std::uint64_t k) {
  return std::rotl(k * c1, 31) * c2;
}

std::uint64_t mix_high(std::uint64_t k) {
  return std::rotl(k * c2, 33) * c1;
}

std::uint64_t avalanche(std::uint64_t k) {
  k = (k ^ (k >> 33)) * 0xff51afd7ed558ccd;
  k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

}  // namespace

Hash128 murmur3(std::string_view text, std::uint64_t seed) noexcept {
  Hash128 h = {seed, seed};
  std::uint64_t block[2];
  std::string_view rest = text;
  for (; rest.size() >= sizeof(block); rest.remove_prefix(sizeof(block))) {
    std::memcpy(block, rest.data(), sizeof(block));
    h.low = (std::rotl(h.low ^ mix_low(block[0]), 27) + h.high) * 5 + 0x52dce729;
    h.high = (std::rotl(h.high ^ mix_high(block[1]), 31) + h.low) * 5 + 0x38495ab5;
  }
  // The remaining bytes, as if zeros followed. A half of zeros does not change the hash.
  block[0] = block[1] = 0;
  if (!rest.empty()) std::memcpy(block, rest.data(), rest.size());
  h.low ^= mix_low(block[0]);
  h.high ^= mix_high(block[1]);

  h.low ^= text.size();
  h.high ^= text.size();
  h.low += h.high;
  h.high += h.low;
  h.low = avalanche(h.low);
  h.high = avalanche(h.high);
  h.low += h.high;
  h.high += h.low;
  return h;
}

}  // namespace embd::finalfusion
