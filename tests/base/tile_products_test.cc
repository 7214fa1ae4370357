#include "base/tile_products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/kernel_profile.h"
#include "base/os/cpu.h"

namespace embd {
namespace {

int weight_of(const TileOperands& operands, int k, int column) {
  return static_cast<std::int8_t>(operands.weights[k / 4][4 * column + k % 4]);
}

/// Adds pairs of products in 16 bits, where they saturate, as vpmaddubsw does.
void saturate(TileOperands& operands) noexcept {
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      for (int k = 0; k < 64; k += 2) {
        const int pair = operands.x[row][k] * weight_of(operands, k, column) +
                         operands.x[row][k + 1] * weight_of(operands, k + 1, column);
        operands.sums[row][column] += static_cast<std::uint32_t>(std::clamp(pair, -32768, 32767));
      }
    }
  }
}

/// Reads the bytes of x with a sign.
void take_signed_bytes(TileOperands& operands) noexcept {
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      for (int k = 0; k < 64; ++k) {
        operands.sums[row][column] += static_cast<std::uint32_t>(
            static_cast<std::int8_t>(operands.x[row][k]) * weight_of(operands, k, column));
      }
    }
  }
}

void do_nothing(TileOperands& /*operands*/) noexcept {}

void leave_the_last_row_out(TileOperands& operands) noexcept {
  TileOperands before = operands;
  defined_tile_products.bytes(operands);
  std::ranges::copy(before.sums[15], operands.sums[15]);
}

TEST(TileProducts, BytesThatAreAddedOtherwiseAreNoticed) {
  for (const TileProduct wrong : {saturate, take_signed_bytes, do_nothing, leave_the_last_row_out})
    EXPECT_FALSE(are_as_defined({wrong}));
}

float bfloat(const std::uint8_t* p) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, p, sizeof(bits));
  return std::bit_cast<float>(std::uint32_t{bits} << 16U);
}

/// Adds products of bfloat16 to float sums, `chains` of them side by side. Denormal numbers stay.
template <int chains>
void add_in_chains(TileOperands& operands) noexcept {
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      float chain[chains] = {};
      for (int k = 0; k < 32; ++k) {
        chain[k % chains] += bfloat(operands.x[row] + 2 * k) *
                             bfloat(operands.weights[k / 2] + 4 * column + 2 * (k % 2));
      }
      float sum = std::bit_cast<float>(operands.sums[row][column]);
      for (const float part : chain) sum += part;
      operands.sums[row][column] = std::bit_cast<std::uint32_t>(sum);
    }
  }
}

/// Computes the defined sums, except for those that are 0 because they are below the least normal
/// number.
void keep_denormals(TileOperands& operands) noexcept {
  TileOperands kept = operands;
  add_in_chains<2>(kept);
  defined_tile_products.bfloats(operands);
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      std::uint32_t& sum = operands.sums[row][column];
      if (std::bit_cast<float>(sum) == 0) sum = kept.sums[row][column];
    }
  }
}

TEST(TileProducts, BfloatsThatAreAddedOtherwiseAreNoticed) {
  for (const TileProduct wrong :
       {add_in_chains<1>, add_in_chains<2>, add_in_chains<4>, keep_denormals, do_nothing})
    EXPECT_FALSE(are_as_defined({defined_tile_products.bytes, wrong}));
}

TEST(TileProducts, TheDefinitionIsAsDefined) {
  EXPECT_TRUE(are_as_defined(defined_tile_products));
}

TEST(TileProducts, InstructionsOfThisProcessorAreAsDefined) {
  EXPECT_FALSE(cpu_features().wrong_amx);
  EXPECT_FALSE(cpu_features().wrong_avx_vnni);
}

TEST(KernelProfiles, WrongProductsRuleTheirKernelsOut) {
  using enum KernelProfile;
  EXPECT_EQ(wrong_kernel_profiles({}), std::vector<KernelProfile>());
  EXPECT_EQ(wrong_kernel_profiles({.wrong_amx = true}), std::vector({avx512_amx}));
  EXPECT_EQ(wrong_kernel_profiles({.wrong_avx_vnni = true}), std::vector({avx2_vnni}));
  // The products in the encoding of AVX-512 take their place.
  EXPECT_EQ(wrong_kernel_profiles({.avx512_vnni = true, .wrong_avx_vnni = true}),
            std::vector<KernelProfile>());
}

}  // namespace
}  // namespace embd
