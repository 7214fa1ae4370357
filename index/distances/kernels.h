#pragma once

#include <cstddef>
#include <cstdint>

// Dot products and squared distances of rows, in one table of functions for each instruction set.
// Only plain C types are used, because the files that implement a table are compiled with flags
// that no other file may use.
//
// All tables give the same bits. A float sum is kept in 16 lanes. Element i is added to lane i % 16
// with a fused multiply-add, in the order of i. Then the lanes are added in halves (i and i + 8, i
// and i + 4, …). So a distance depends neither on the processor, nor on the function that computed
// it, nor on other rows. Integer sums are exact.

namespace embd::distances {

/// A view of rows of one type; row i is at data + i · stride. They need not be aligned.
struct RowArray {
  const void* data;
  std::size_t stride;  // The distance between the beginnings of two rows in bytes.
};

/// Distances of queries to rows: the distance of query q to row r is values[q · stride + r].
struct DistanceMatrix {
  float* values;
  std::size_t stride;
};

/// Computes out[i] for one query and the `count` rows in `slots`. Rows of later slots are
/// prefetched meanwhile.
using GatherFn = void (*)(const void* query, RowArray rows, const std::uint32_t* slots,
                          std::size_t count, std::size_t dim, float* out) noexcept;
/// Writes the sums of all queries and all rows to `out`.
using TileFn = void (*)(RowArray queries, std::size_t num_queries, RowArray rows,
                        std::size_t num_rows, std::size_t dim, DistanceMatrix out) noexcept;

struct Pairwise {
  GatherFn gather;
  TileFn tile;
};

/// The functions for both sums, for one element type.
struct Sums {
  Pairwise dot;   // Σ a·b
  Pairwise l2sq;  // Σ (a − b)²
};

struct Kernels {
  const char* name;  // The name that name_of(KernelProfile) returns.
  Sums f32;
  Sums f16;
  Sums bf16;
  Sums i8;  // dim ≤ kMaxIntegerDim
  Sums u8;  // the same
  /// Computes Σ a·b for queries of 16 bits and rows of 8 bits. The sum of |a·b| must be below 2^31.
  GatherFn dot_i16_i8;
  /// Counts the bits set in both rows and in either row: counts[2i] and counts[2i + 1]. Rows have
  /// `bytes` bytes.
  void (*bits)(const void* query, RowArray rows, const std::uint32_t* slots, std::size_t count,
               std::size_t bytes, std::uint32_t* counts) noexcept;

  /// Computes dots[i] = max(0, 1 − dots[i] · (query_norm · norms[i])), where norms are inverse
  /// lengths.
  void (*cosine)(float* dots, const float* norms, float query_norm, std::size_t count) noexcept;
  /// Writes the indices i with values[i] < bound, ascending, and returns their number.
  std::size_t (*below)(const float* values, std::size_t count, float bound,
                       std::uint32_t* indices) noexcept;

  /// Returns true if this machine can run the functions.
  bool supported() const noexcept;
};

/// The largest dimension of integer rows whose sums cannot overflow 32 bits: 255² · 2^15 < 2^31.
inline constexpr std::size_t kMaxIntegerDim = std::size_t{1} << 15;

extern const Kernels kPortableKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx512VnniKernels;  // the same, products of bytes by VNNI
/// Computes the dot products of signed bytes with VNNI, as a GatherFn.
void avx512_vnni_dot_i8(const void* query, RowArray rows, const std::uint32_t* slots,
                        std::size_t count, std::size_t dim, float* out) noexcept;
#endif

/// Returns the tables that this build contains, best first. The last one runs on every processor.
struct KernelList {
  const Kernels* const* begin;
  const Kernels* const* end;
};
KernelList all_kernels() noexcept;

/// Returns the table for choose_kernel_profile(), or the portable table if there is none for that
/// profile. The profile is read once; a name that is no profile makes Distance::create() fail.
const Kernels& kernels() noexcept;

}  // namespace embd::distances
