#pragma once

#include <cstddef>
#include <cstdint>

// Dot products and squared distances of rows, one table of functions per instruction set. Plain C
// types only: the files behind the table are compiled with flags that no other file may see.
//
// Every table gives the same bits. A float sum is kept in 16 lanes, element i in lane i % 16, each
// lane one chain of fused multiply-adds in the order of i; then lanes are added in halves (i and
// i + 8, i and i + 4, …). So a distance depends neither on the processor, nor on which function
// computed it, nor on the rows beside it. Integer sums are exact.

namespace embd::distances {

/// Rows of one kind, row i at data + i · stride. Need not be aligned.
struct RowArray {
  const void* data;
  std::size_t stride;  // bytes
};

/// Distances of queries and rows: that of query q and row r is values[q · stride + r].
struct DistanceMatrix {
  float* values;
  std::size_t stride;
};

/// out[i] of one query and the rows in `slots`, `count` of them. The rows of the next slots are
/// prefetched while the present ones are computed.
using GatherFn = void (*)(const void* query, RowArray rows, const std::uint32_t* slots,
                          std::size_t count, std::size_t dim, float* out) noexcept;
/// Fills `out` for every query and every row.
using TileFn = void (*)(RowArray queries, std::size_t num_queries, RowArray rows,
                        std::size_t num_rows, std::size_t dim, DistanceMatrix out) noexcept;

struct Pairwise {
  GatherFn gather;
  TileFn tile;
};

/// Both sums for one element type.
struct Sums {
  Pairwise dot;   // Σ a·b
  Pairwise l2sq;  // Σ (a − b)²
};

struct Kernels {
  const char* name;  // As name_of(KernelProfile) has it.
  Sums f32;
  Sums f16;
  Sums bf16;
  Sums i8;  // dim ≤ kMaxIntegerDim
  Sums u8;  // the same
  /// Σ a·b of a query of 16 bits and rows of 8. No sum of |a·b| may reach 2^31.
  GatherFn dot_i16_i8;
  /// Bits set in both, and in either: counts[2i], counts[2i + 1]; `bytes` a row.
  void (*bits)(const void* query, RowArray rows, const std::uint32_t* slots, std::size_t count,
               std::size_t bytes, std::uint32_t* counts) noexcept;

  /// dots[i] = max(0, 1 − dots[i] · (query_norm · norms[i])), norms being inverse lengths.
  void (*cosine)(float* dots, const float* norms, float query_norm, std::size_t count) noexcept;
  /// Writes the i with values[i] < bound, ascending; returns how many.
  std::size_t (*below)(const float* values, std::size_t count, float bound,
                       std::uint32_t* indices) noexcept;

  /// Whether this machine runs it.
  bool supported() const noexcept;
};

/// Longest row of integers whose sums cannot overflow 32 bits: 255² · 2^15 < 2^31.
inline constexpr std::size_t kMaxIntegerDim = std::size_t{1} << 15;

extern const Kernels kPortableKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx512VnniKernels;  // the same, products of bytes by VNNI
/// Of bytes with a sign.
void avx512_vnni_dot_i8(const void* query, RowArray rows, const std::uint32_t* slots,
                        std::size_t count, std::size_t dim, float* out) noexcept;
#endif

/// The tables this build holds, best first; the last runs everywhere.
struct KernelList {
  const Kernels* const* begin;
  const Kernels* const* end;
};
KernelList all_kernels() noexcept;

/// The table of choose_kernel_profile(), or the portable one where that profile has none. Read
/// once; a name that is no profile is an error of Distance::create().
const Kernels& kernels() noexcept;

}  // namespace embd::distances
