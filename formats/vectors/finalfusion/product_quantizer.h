#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"

namespace embd::finalfusion {

struct QuantizerOptions {
  std::uint32_t num_slices = 0;  ///< The number of slices of a row, a divisor of the dimension.
  /// The bits of a code, 1 to 8. Fewer are used if there are fewer rows than centroids.
  std::uint32_t bits = 8;
  bool projection = false;  ///< True to learn a rotation, too (OPQ).
};

/// Product quantization (Jégou, Douze, Schmid, 2011). A row is cut into slices, and each slice is
/// replaced by the nearest of up to 256 centroids. With a projection (OPQ; Ge, He, Ke, Sun, 2013)
/// rows are rotated first: a row x is encoded as x·P, and the decoded row y becomes y·Pᵀ.
///
/// Training is deterministic: k-means++ from a fixed seed, and sums in a fixed order, whatever the
/// number of threads.
class ProductQuantizer {
 public:
  /// Learns a quantizer from `rows`, [rows, dim]. Time and memory grow with the rows, so give it a
  /// sample. Fails with invalid_argument if the options do not fit the rows.
  static Result<ProductQuantizer> train(MatrixView rows, const QuantizerOptions& options);

  std::uint32_t num_slices() const noexcept { return num_slices_; }
  std::uint32_t num_centroids() const noexcept { return num_centroids_; }
  /// Returns the rotation P, [dim, dim]; empty if there is none.
  std::span<const float> projection() const noexcept { return projection_; }
  /// Returns the centroids, [slices, centroids, dim / slices].
  std::span<const float> codebooks() const noexcept { return codebooks_; }

  /// Encodes `rows` to `codes`, [rows, slices].
  Result<void> encode(MatrixView rows, std::span<std::uint8_t> codes) const;
  /// Decodes `codes`, [rows, slices], to `rows`, [rows, dim].
  void decode(std::span<const std::uint8_t> codes, std::span<float> rows) const;

 private:
  std::uint64_t dim_ = 0;
  std::uint32_t num_slices_ = 0;
  std::uint32_t num_centroids_ = 0;
  std::vector<float> projection_;
  std::vector<float> codebooks_;
};

/// Returns the number of centroids: 2^bits, or the largest power of two that is at most `rows`.
std::uint32_t centroids_for(std::uint32_t bits, std::uint64_t rows) noexcept;

// The decompositions of matrices that training needs. They are in a source of their own, because
// Eigen's templates for them take longer to compile than the rest of this folder.

struct Eigenbasis {
  Eigen::VectorXd values;   ///< The eigenvalues, [dim], ascending.
  Eigen::MatrixXd vectors;  ///< The eigenvectors, [dim, dim]: column i belongs to values[i].
};

/// Returns the eigenvalues and eigenvectors of a symmetric matrix [dim, dim].
Eigenbasis eigenbasis_of(const Eigen::MatrixXd& symmetric);

/// Returns U·Vᵀ of the singular value decomposition U·S·Vᵀ of a square matrix: the orthogonal
/// matrix that is nearest to it.
Eigen::MatrixXd nearest_orthogonal(const Eigen::MatrixXd& matrix);

}  // namespace embd::finalfusion
