#include "formats/vectors/finalfusion/product_quantizer.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/os/cpu.h"
#include "base/parallel.h"
#include "base/try.h"
#include "formats/vectors/finalfusion/decompositions.h"
#include "formats/vectors/finalfusion/k_means.h"

namespace embd::finalfusion {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMatrix>;

constexpr std::uint64_t seed = 42;
constexpr int max_rounds = 60;
constexpr int first_rounds = 10;  // Rounds of k-means before the projection is learned.
constexpr int projection_rounds = 25;
constexpr std::size_t block_rows = 1024;

Eigen::Index signed_size(std::size_t size) {
  return static_cast<Eigen::Index>(size);
}

ConstMap map(const float* data, std::size_t rows, std::size_t cols) {
  return {data, signed_size(rows), signed_size(cols)};
}

/// Calls `use(first, count)` for blocks of rows, on all threads.
Result<void> for_each_block(std::size_t rows, const auto& use) {
  return parallel_for((rows + block_rows - 1) / block_rows, available_threads(),
                      [&](std::size_t block) -> Result<void> {
                        const std::size_t first = block * block_rows;
                        use(first, std::min(block_rows, rows - first));
                        return {};
                      });
}

/// Returns x·P for every row x.
Result<Matrix> turn(MatrixView rows, const RowMatrix& projection) {
  Matrix turned(rows.rows(), rows.cols());
  EMBD_TRY(for_each_block(rows.rows(), [&](std::size_t first, std::size_t count) {
    Eigen::Map<RowMatrix>(turned.row(first).data(), signed_size(count), signed_size(rows.cols()))
        .noalias() = map(rows.row(first).data(), count, rows.cols()) * projection;
  }));
  return turned;
}

/// Returns aᵀ·b, [cols, cols]. Partial sums of blocks are added in a fixed order.
Result<Eigen::MatrixXd> transposed_product(MatrixView a, MatrixView b) {
  const auto cols = signed_size(a.cols());
  const std::size_t rows_a_part = std::max<std::size_t>(block_rows, (a.rows() + 15) / 16);
  const std::size_t parts = (a.rows() + rows_a_part - 1) / rows_a_part;
  std::vector<RowMatrix> sums(parts);
  EMBD_TRY(parallel_for(parts, available_threads(), [&](std::size_t part) -> Result<void> {
    const std::size_t first = part * rows_a_part;
    const std::size_t count = std::min(rows_a_part, a.rows() - first);
    sums[part].noalias() = map(a.row(first).data(), count, a.cols()).transpose() *
                           map(b.row(first).data(), count, b.cols());
    return {};
  }));
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(cols, cols);
  for (const RowMatrix& sum : sums) product += sum.cast<double>();
  return product;
}

/// Returns a rotation of the eigenvectors of the rows' covariance. They are distributed over the
/// slices so that the products of the eigenvalues of each slice are nearly equal. This is optimal
/// for Gaussian data (Ge et al., 2013, section 3.2).
Result<RowMatrix> gaussian_projection(MatrixView rows, std::size_t num_slices) {
  const auto dim = signed_size(rows.cols());
  const auto count = static_cast<double>(std::max<std::size_t>(rows.rows(), 1));
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(dim);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    mean += map(rows.row(i).data(), 1, rows.cols()).row(0).transpose().cast<double>() / count;
  const Eigen::MatrixXd covariance =
      EMBD_TRY(transposed_product(rows, rows)) / count - mean * mean.transpose();
  const Eigenbasis basis = eigenbasis_of(covariance);

  // Only the ratios of eigenvalues matter. They are scaled so that the smallest is 1; so a product
  // grows with every eigenvalue that a slice gets.
  const double largest = basis.values[dim - 1];
  const double least_value = std::max({basis.values[0], 1e-10 * largest, 1e-30});
  const std::size_t slice_dim = rows.cols() / num_slices;
  std::vector<std::vector<Eigen::Index>> slices(num_slices);
  std::vector<double> log_products(num_slices);
  for (Eigen::Index i = dim - 1; i >= 0; --i) {  // Beginning with the largest.
    std::size_t least = num_slices;
    for (std::size_t s = 0; s < num_slices; ++s)
      if (slices[s].size() < slice_dim &&
          (least == num_slices || log_products[s] < log_products[least]))
        least = s;
    slices[least].push_back(i);
    log_products[least] += std::log(std::max(basis.values[i] / least_value, 1.0));
  }
  RowMatrix projection(dim, dim);
  Eigen::Index column = 0;
  for (const auto& slice : slices)
    for (const Eigen::Index i : slice)
      projection.col(column++) = basis.vectors.col(i).cast<float>();
  return projection;
}

/// Returns the rotation that brings `rows` nearest to `target` (orthogonal Procrustes).
Result<RowMatrix> procrustes(MatrixView rows, MatrixView target) {
  const Eigen::MatrixXd product = EMBD_TRY(transposed_product(rows, target));
  return RowMatrix(nearest_orthogonal(product).cast<float>());
}

/// The slices of a matrix and their centroids.
class Slices {
 public:
  Slices(MatrixView rows, std::size_t num_slices, std::size_t num_centroids)
      : num_slices_(num_slices),
        slice_dim_(rows.cols() / num_slices),
        codebook_size_(num_centroids * slice_dim_),
        codebooks_(num_slices * codebook_size_) {}

  Result<void> choose(MatrixView rows) {
    return for_each([&](std::size_t slice) {
      std::ranges::copy(
          choose_centroids(points(rows, slice), codebook_size_ / slice_dim_, seed + slice),
          codebook(slice).begin());
    });
  }

  Result<void> refine(MatrixView rows, int rounds) {
    return for_each(
        [&](std::size_t slice) { k_means(points(rows, slice), codebook(slice), rounds); });
  }

  /// Runs one round of k-means. `nearest` becomes the rows that the moved centroids give for the
  /// codes.
  Result<void> refine_once(MatrixView rows, Matrix& nearest) {
    return for_each([&](std::size_t slice) {
      std::vector<std::uint8_t> codes(rows.rows());
      k_means_round(points(rows, slice), codebook(slice), codes);
      for (std::size_t i = 0; i < codes.size(); ++i)
        std::ranges::copy(codebook(slice).subspan(codes[i] * slice_dim_, slice_dim_),
                          nearest.row(i).begin() + slice * slice_dim_);
    });
  }

  std::vector<float> codebooks() && { return std::move(codebooks_); }

 private:
  Result<void> for_each(const auto& use) {
    return parallel_for(num_slices_, available_threads(), [&](std::size_t slice) -> Result<void> {
      use(slice);
      return {};
    });
  }
  Points points(MatrixView rows, std::size_t slice) const {
    return {.data = rows.data() + slice * slice_dim_,
            .count = rows.rows(),
            .stride = rows.cols(),
            .dim = slice_dim_};
  }
  std::span<float> codebook(std::size_t slice) {
    return std::span(codebooks_).subspan(slice * codebook_size_, codebook_size_);
  }

  std::size_t num_slices_;
  std::size_t slice_dim_;
  std::size_t codebook_size_;
  std::vector<float> codebooks_;
};

}  // namespace

std::uint32_t centroids_for(std::uint32_t bits, std::uint64_t rows) noexcept {
  const std::uint64_t wanted = std::uint64_t{1} << bits;
  return static_cast<std::uint32_t>(
      std::min(wanted, std::bit_floor(std::max<std::uint64_t>(rows, 1))));
}

Result<ProductQuantizer> ProductQuantizer::train(MatrixView rows, const QuantizerOptions& options) {
  if (rows.cols() == 0 || options.num_slices == 0 || rows.cols() % options.num_slices != 0) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format(
            "{} subquantizers were asked for, expected a number that divides the dimension, {}",
            options.num_slices, rows.cols()));
  }
  if (options.bits == 0 || options.bits > 8) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} bits for each code were asked for, expected 1 to 8", options.bits));
  }
  // Eigen splits products by the sizes of the caches that it finds, which changes the last bits.
  // Fixed sizes make them the same on every machine.
  Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20);

  ProductQuantizer quantizer;
  quantizer.dim_ = rows.cols();
  quantizer.num_slices_ = options.num_slices;
  quantizer.num_centroids_ = centroids_for(options.bits, rows.rows());
  Slices slices(rows, options.num_slices, quantizer.num_centroids_);
  if (!options.projection) {
    EMBD_TRY(slices.choose(rows));
    EMBD_TRY(slices.refine(rows, max_rounds));
    quantizer.codebooks_ = std::move(slices).codebooks();
    return quantizer;
  }
  RowMatrix projection = EMBD_TRY(gaussian_projection(rows, options.num_slices));
  Matrix turned = EMBD_TRY(turn(rows, projection));
  EMBD_TRY(slices.choose(turned));
  EMBD_TRY(slices.refine(turned, first_rounds));
  Matrix nearest(rows.rows(), rows.cols());
  for (int round = 0; round < projection_rounds; ++round) {
    EMBD_TRY(slices.refine_once(turned, nearest));
    projection = EMBD_TRY(procrustes(rows, nearest));
    turned = EMBD_TRY(turn(rows, projection));
  }
  EMBD_TRY(slices.refine(turned, max_rounds));
  quantizer.codebooks_ = std::move(slices).codebooks();
  quantizer.projection_.assign(projection.data(), projection.data() + projection.size());
  return quantizer;
}

Result<void> ProductQuantizer::encode(MatrixView rows, std::span<std::uint8_t> codes) const {
  const std::size_t slice_dim = dim_ / num_slices_;
  const std::size_t codebook_size = num_centroids_ * slice_dim;
  std::vector<NearestCentroid> nearest;
  for (std::size_t slice = 0; slice < num_slices_; ++slice)
    nearest.emplace_back(std::span(codebooks_).subspan(slice * codebook_size, codebook_size),
                         num_centroids_);
  return for_each_block(rows.rows(), [&](std::size_t first, std::size_t count) {
    RowMatrix turned = map(rows.row(first).data(), count, dim_);
    if (!projection_.empty()) turned = (turned * map(projection_.data(), dim_, dim_)).eval();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t slice = 0; slice < num_slices_; ++slice)
        codes[(first + i) * num_slices_ + slice] =
            nearest[slice](turned.data() + i * dim_ + slice * slice_dim);
  });
}

void ProductQuantizer::decode(std::span<const std::uint8_t> codes, std::span<float> rows) const {
  const std::size_t slice_dim = dim_ / num_slices_;
  const std::size_t count = codes.size() / num_slices_;
  RowMatrix nearest(signed_size(count), signed_size(dim_));
  for (std::size_t i = 0; i < codes.size(); ++i)
    std::copy_n(&codebooks_[((i % num_slices_) * num_centroids_ + codes[i]) * slice_dim], slice_dim,
                nearest.data() + i * slice_dim);
  Eigen::Map<RowMatrix> out(rows.data(), signed_size(count), signed_size(dim_));
  if (projection_.empty()) {
    out = nearest;
  } else {
    out.noalias() = nearest * map(projection_.data(), dim_, dim_).transpose();
  }
}

}  // namespace embd::finalfusion
