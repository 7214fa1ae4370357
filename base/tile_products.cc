#include "base/tile_products.h"

#include <algorithm>
#include <iterator>

namespace embd {
namespace {

#include "base/fused.inc"

#include "base/bf16_scalar.inc"

#include "base/amx_tiles_model.inc"

#include "base/tile_product.inc"

/// A random number generator (xorshift) with the same numbers on every machine.
class Random {
 public:
  std::uint32_t operator()() noexcept {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<std::uint32_t>(state_ >> 16U);
  }

 private:
  std::uint64_t state_ = 88172645463325252U;
};

/// The exponents of random numbers: from `first` on, `count` of them.
struct Exponents {
  std::uint32_t first;
  std::uint32_t count;
};

/// The exponents of the elements and of the sums of a tile.
struct Kind {
  Exponents elements;
  Exponents sums;
};
constexpr Kind kinds[] = {{{0, 256}, {0, 256}}, {{64, 128}, {64, 128}}, {{54, 10}, {0, 4}}};

/// Returns random bits of a float with one of the exponents.
std::uint32_t random_float(Exponents exponents, Random& random) noexcept {
  const std::uint32_t exponent = exponents.first + random() % exponents.count;
  return (random() & 0x807FFFFFU) | exponent << 23U;
}

/// Fills a tile with random bfloat16, which are also random bytes.
void fill(std::uint8_t (&tile)[16][64], Exponents exponents, Random& random) noexcept {
  for (auto& row : tile) {
    for (std::size_t k = 0; k < std::size(row); k += 2) {
      const std::uint32_t bits = random_float(exponents, random) >> 16U;
      row[k] = static_cast<std::uint8_t>(bits);
      row[k + 1] = static_cast<std::uint8_t>(bits >> 8U);
    }
  }
}

TileOperands random_operands(const Kind& kind, Random& random) noexcept {
  TileOperands operands;
  fill(operands.x, kind.elements, random);
  fill(operands.weights, kind.elements, random);
  for (auto& row : operands.sums)
    for (std::uint32_t& sum : row) sum = random_float(kind.sums, random);
  return operands;
}

constexpr bool is_nan(std::uint32_t bits) noexcept {
  return (bits & 0x7FFFFFFFU) > 0x7F800000U;
}

/// Compares one product with its definition. A sum that is NaN may have the bits of any NaN.
bool is_as_defined(TileProduct product, TileProduct definition, bool is_float) noexcept {
  const auto is_same = [&](std::uint32_t a, std::uint32_t b) {
    return a == b || (is_float && is_nan(a) && is_nan(b));
  };
  Random random;
  for (const Kind& kind : kinds) {
    TileOperands expected = random_operands(kind, random);
    TileOperands found = expected;
    product(found);
    definition(expected);
    for (int row = 0; row < 16; ++row)
      if (!std::ranges::equal(found.sums[row], expected.sums[row], is_same)) return false;
  }
  return true;
}

}  // namespace

const TileProducts defined_tile_products = {multiply_tile<Tiles, std::uint8_t>,
                                            multiply_tile<Tiles, std::uint16_t>};

bool are_as_defined(const TileProducts& products) noexcept {
  return is_as_defined(products.bytes, defined_tile_products.bytes, false) &&
         (products.bfloats == nullptr ||
          is_as_defined(products.bfloats, defined_tile_products.bfloats, true));
}

}  // namespace embd
