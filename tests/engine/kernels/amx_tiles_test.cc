#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/os/cpu.h"
#include "base/tile_products.h"
#include "tests/engine/kernels/bf16.h"
#include "tests/engine/kernels/random_bits.h"

// The model of AMX against the definition of docs/arithmetic.md, which every machine can do, and
// against the instructions, where the machine has them. EMBD_AMX_TILES says how many random tiles
// of each kind are compared with the instructions.

namespace embd::kernels {
namespace {

namespace model {
#include "base/fused.inc"

#include "base/bf16_scalar.inc"

#include "base/amx_tiles_model.inc"
}  // namespace model

#if defined(__x86_64__)
namespace instructions {
#include "base/amx_tiles.inc"
}
#endif

#include "base/tile_product.inc"

constexpr int kSide = 16;

using Operands = TileOperands;

Operands random_bytes(Random& random) {
  Operands operands;
  for (auto& row : operands.sums) {
    for (std::uint32_t& sum : row) sum = static_cast<std::uint32_t>(random());
  }
  for (auto& row : operands.x) {
    for (std::uint8_t& byte : row) byte = static_cast<std::uint8_t>(random());
  }
  for (auto& row : operands.weights) {
    for (std::uint8_t& byte : row) byte = static_cast<std::uint8_t>(random());
  }
  return operands;
}

std::uint16_t bits_of(const std::uint8_t* p) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, p, sizeof(bits));
  return bits;
}

/// Sums and elements of kinds 0 to 3 of random_bits.h.
Operands random_bfloats(Random& random, int sum_kind, int kind) {
  Operands operands;
  const auto fill = [&](std::uint8_t(&tile)[kSide][64]) {
    for (auto& row : tile) {
      for (int k = 0; k < 64; k += 2) {
        const std::uint16_t bits = element(random, kind);
        std::memcpy(row + k, &bits, sizeof(bits));
      }
    }
  };
  fill(operands.x);
  fill(operands.weights);
  for (auto& row : operands.sums) {
    for (std::uint32_t& sum : row) sum = std::bit_cast<std::uint32_t>(sum_so_far(random, sum_kind));
  }
  return operands;
}

/// Returns the sums after the product of tiles of which only the first `rows` rows are used.
template <class Element, class Tiles>
Operands multiplied(Operands operands, std::int64_t rows) {
  multiply_rows<Tiles, Element>(operands, rows);
  return operands;
}

/// Whether two sums of bfloat16 have the same bits. A NaN is a NaN.
bool is_same(std::uint32_t a, std::uint32_t b) {
  return a == b || (std::isnan(std::bit_cast<float>(a)) && std::isnan(std::bit_cast<float>(b)));
}

float defined_sum(const Operands& operands, int row, int column) {
  float x[32];
  float w[32];
  for (int k = 0; k < 32; ++k) {
    x[k] = bf16_of_bits(bits_of(operands.x[row] + 2 * k));
    w[k] = bf16_of_bits(bits_of(operands.weights[k / 2] + 4 * column + 2 * (k % 2)));
  }
  const float before = without_denormal(std::bit_cast<float>(operands.sums[row][column]));
  return fused_without_denormals(before, 1, bf16_sum_of_block(x, w));
}

TEST(AmxModel, AddsBytesAsIntegers) {
  Random random;
  for (int round = 0; round < 50; ++round) {
    const Operands operands = random_bytes(random);
    const Operands got = multiplied<std::uint8_t, model::Tiles>(operands, kSide);
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        std::uint32_t sum = operands.sums[row][column];
        for (int k = 0; k < 64; ++k) {
          const auto weight = static_cast<std::int8_t>(operands.weights[k / 4][4 * column + k % 4]);
          sum += static_cast<std::uint32_t>(operands.x[row][k] * weight);
        }
        ASSERT_EQ(got.sums[row][column], sum);
      }
    }
  }
}

TEST(AmxModel, AddsBfloatsAsTheDefinition) {
  Random random;
  for (int round = 0; round < 16 * 20; ++round) {
    const Operands operands = random_bfloats(random, round % 4, round / 4 % 4);
    const Operands got = multiplied<std::uint16_t, model::Tiles>(operands, kSide);
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        const float expected = defined_sum(operands, row, column);
        ASSERT_TRUE(is_same(got.sums[row][column], std::bit_cast<std::uint32_t>(expected)))
            << std::hexfloat << std::bit_cast<float>(got.sums[row][column]) << ", expected "
            << expected;
      }
    }
  }
}

/// The others stay as they are.
TEST(AmxModel, WritesOnlyTheRowsThatItIsConfiguredFor) {
  Random random;
  for (std::int64_t rows = 1; rows <= kSide; ++rows) {
    const Operands operands = random_bytes(random);
    const Operands all = multiplied<std::uint8_t, model::Tiles>(operands, kSide);
    const Operands some = multiplied<std::uint8_t, model::Tiles>(operands, rows);
    for (int row = 0; row < kSide; ++row) {
      const Operands& expected = row < rows ? all : operands;
      ASSERT_TRUE(std::ranges::equal(some.sums[row], expected.sums[row])) << row << " of " << rows;
    }
  }
}

#if defined(__x86_64__)

long tiles_of_each_kind() {
  const char* wanted = std::getenv("EMBD_AMX_TILES");
  return wanted == nullptr ? 300 : std::atol(wanted);
}

TEST(AmxInstruction, AddsBytesAsTheModel) {
  if (!cpu_features().amx) GTEST_SKIP() << "this machine has no AMX";
  Random random;
  for (long done = 0; done < tiles_of_each_kind(); ++done) {
    const Operands operands = random_bytes(random);
    const std::int64_t rows = 1 + done % kSide;
    const Operands expected = multiplied<std::uint8_t, model::Tiles>(operands, rows);
    const Operands got = multiplied<std::uint8_t, instructions::Tiles>(operands, rows);
    ASSERT_EQ(std::memcmp(got.sums, expected.sums, sizeof(got.sums)), 0) << done;
  }
}

TEST(AmxInstruction, AddsBfloatsAsTheModel) {
  if (!cpu_features().amx) GTEST_SKIP() << "this machine has no AMX";
  Random random;
  for (long done = 0; done < 16 * tiles_of_each_kind(); ++done) {
    const Operands operands =
        random_bfloats(random, static_cast<int>(done % 4), static_cast<int>(done / 4 % 4));
    const std::int64_t rows = 1 + done / 16 % kSide;
    const Operands expected = multiplied<std::uint16_t, model::Tiles>(operands, rows);
    const Operands got = multiplied<std::uint16_t, instructions::Tiles>(operands, rows);
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        ASSERT_TRUE(is_same(got.sums[row][column], expected.sums[row][column]))
            << std::hexfloat << std::bit_cast<float>(operands.sums[row][column]) << " becomes "
            << std::bit_cast<float>(got.sums[row][column]) << ", in the model "
            << std::bit_cast<float>(expected.sums[row][column]);
      }
    }
  }
}

#endif

}  // namespace
}  // namespace embd::kernels
