#pragma once

#include <cstdint>

// Instructions of x86-64 that multiply tiles, and what they must compute. Most machines on which
// embd is tested lack these instructions, so a process that finds them compares some of their
// products with the definition before it uses them.
namespace embd {

/// The operands of a product of two tiles: sums [16, 16] += x [16, 64 bytes] · weights. A row of
/// `weights` has four bytes of depth of each of 16 columns.
struct TileOperands {
  std::uint32_t sums[16][16];  ///< The bits of int32 or float.
  std::uint8_t x[16][64];
  std::uint8_t weights[16][64];
};

/// A function that computes such a product. It changes only `sums`.
using TileProduct = void (*)(TileOperands& operands) noexcept;

/// The product of unsigned bytes of x by signed bytes of the weights, and of bfloat16 by bfloat16.
struct TileProducts {
  TileProduct bytes;
  TileProduct bfloats = nullptr;  ///< nullptr if there is none.
};

/// The definition of both products in plain C++ (docs/arithmetic.md).
extern const TileProducts defined_tile_products;

/// The instructions of AMX and of AVX-VNNI. They may be called only if the processor has them.
extern const TileProducts amx_tile_products;
extern const TileProducts avx_vnni_tile_products;

/// Returns true if the products of three random tiles of each kind have the bits of the definition.
/// For bfloat16, one tile has values of any bits, one has values of moderate size, and one has
/// values whose products are near the least normal number.
bool are_as_defined(const TileProducts& products) noexcept;

}  // namespace embd
