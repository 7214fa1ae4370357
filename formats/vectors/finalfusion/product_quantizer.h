#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"

namespace embd::finalfusion {

struct QuantizerOptions {
  std::uint32_t num_slices = 0;  ///< a divisor of the dimension
  std::uint32_t bits = 8;   ///< a code, 1 to 8; fewer where there are fewer rows than centroids
  bool projection = false;  ///< OPQ: learn a rotation too
};

/// Product quantization (Jégou, Douze, Schmid, 2011): a row is cut into slices, each replaced by
/// the nearest of up to 256 centroids. With a projection (OPQ; Ge, He, Ke, Sun, 2013) the row is
/// turned first: codes are of x·P, and a row is decoded as y·Pᵀ.
///
/// Training is deterministic: k-means++ from a fixed seed, a fixed number of rounds, sums in a
/// fixed order whatever the number of threads.
class ProductQuantizer {
 public:
  /// Learns from `rows`, [rows, dim]; what it costs grows with them, so give a sample. The options
  /// must fit. Errors: invalid_argument.
  static Result<ProductQuantizer> train(MatrixView rows, const QuantizerOptions& options);

  std::uint32_t num_slices() const noexcept { return num_slices_; }
  std::uint32_t num_centroids() const noexcept { return num_centroids_; }
  /// [dim, dim], or empty.
  std::span<const float> projection() const noexcept { return projection_; }
  /// [slices, centroids, dim / slices].
  std::span<const float> codebooks() const noexcept { return codebooks_; }

  /// Codes of `rows`, [rows, slices].
  Result<void> encode(MatrixView rows, std::span<std::uint8_t> codes) const;
  /// Decodes codes [rows, slices] into the vectors that they stand for, [rows, dim].
  void decode(std::span<const std::uint8_t> codes, std::span<float> rows) const;

 private:
  std::uint64_t dim_ = 0;
  std::uint32_t num_slices_ = 0;
  std::uint32_t num_centroids_ = 0;
  std::vector<float> projection_;
  std::vector<float> codebooks_;
};

/// 2^bits, or the largest power of two that is no more than `rows`.
std::uint32_t centroids_for(std::uint32_t bits, std::uint64_t rows) noexcept;

}  // namespace embd::finalfusion
