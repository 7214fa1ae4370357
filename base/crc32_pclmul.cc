// Compiled for PCLMULQDQ: it may include nothing whose inline code other files share.
#include "base/checksum.h"

#include <emmintrin.h>
#include <wmmintrin.h>

// CRC-32 reads bits least significant first, so a register of 128 bits is a polynomial whose
// highest coefficient, of x^127, is bit 0. The carry-less product of two reflected 64-bit halves is
// one bit too low, that is, multiplied by x. The constants are therefore one power of x lower. To
// move a register forward over D bits, its first half (with the higher powers) is multiplied by
// x^(D + 64) and its second half by x^D, each modulo the polynomial. The sum of the products has
// the same remainder and has 128 bits again.
namespace embd::pclmul {
namespace {

constexpr std::uint64_t reflected_power(int exponent) {
  std::uint32_t power = 1;  // x^0, bit i is the coefficient of x^i
  for (int i = 0; i < exponent; ++i) power = (power << 1) ^ (power >> 31 ? 0x04c11db7U : 0U);
  std::uint64_t reflected = 0;
  for (int i = 0; i < 32; ++i) reflected |= static_cast<std::uint64_t>(power >> i & 1U) << (63 - i);
  return reflected;
}

__m128i forward_constants(std::uint64_t first_half, std::uint64_t second_half) {
  return _mm_set_epi64x(static_cast<long long>(second_half), static_cast<long long>(first_half));
}

__m128i forward(__m128i value, __m128i constants) {
  return _mm_xor_si128(_mm_clmulepi64_si128(value, constants, 0x00),
                       _mm_clmulepi64_si128(value, constants, 0x11));
}

__m128i load(const unsigned char* block, int i) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i);
}

}  // namespace

void fold_crc32(const unsigned char* blocks, std::size_t count, std::uint32_t state,
                unsigned char folded[16]) noexcept {
  constexpr std::uint64_t over_512_first = reflected_power(512 + 64 - 1);
  constexpr std::uint64_t over_512_second = reflected_power(512 - 1);
  constexpr std::uint64_t over_128_first = reflected_power(128 + 64 - 1);
  constexpr std::uint64_t over_128_second = reflected_power(128 - 1);

  const __m128i over_512 = forward_constants(over_512_first, over_512_second);
  __m128i a = _mm_xor_si128(load(blocks, 0), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i b = load(blocks, 1);
  __m128i c = load(blocks, 2);
  __m128i d = load(blocks, 3);
  while (--count > 0) {
    blocks += 64;
    a = _mm_xor_si128(forward(a, over_512), load(blocks, 0));
    b = _mm_xor_si128(forward(b, over_512), load(blocks, 1));
    c = _mm_xor_si128(forward(c, over_512), load(blocks, 2));
    d = _mm_xor_si128(forward(d, over_512), load(blocks, 3));
  }
  const __m128i over_128 = forward_constants(over_128_first, over_128_second);
  b = _mm_xor_si128(b, forward(a, over_128));
  c = _mm_xor_si128(c, forward(b, over_128));
  d = _mm_xor_si128(d, forward(c, over_128));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(folded), d);
}

}  // namespace embd::pclmul
