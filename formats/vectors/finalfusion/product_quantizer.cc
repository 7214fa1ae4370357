#include "formats/vectors/finalfusion/product_quantizer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/os/cpu.h"
#include "base/parallel.h"
#include "base/try.h"

namespace embd::finalfusion {
namespace {

/// Finds the nearest centroid of one slice. The centroids are stored as columns, [dim, centroids].
/// Their number is filled up to a multiple of four with centroids that are never nearest.
class NearestCentroid {
 public:
  /// Takes `centroids` of shape [num_centroids, dim].
  NearestCentroid(std::span<const float> centroids, std::size_t num_centroids);

  /// Returns the number of the centroid nearest to `point`, [dim]; of equally near centroids, the
  /// first.
  std::uint8_t operator()(const float* point) const noexcept;

 private:
  std::size_t dim_;
  std::size_t width_;
  std::vector<float> columns_;     // [dim, width]
  std::vector<float> half_norms_;  // [width], |c|² / 2
};

/// The points of one slice of a matrix. Point i is at data + i × stride and has dim values. Not
/// owned.
struct Points {
  const float* data;
  std::size_t count;
  std::size_t stride;
  std::size_t dim;

  const float* at(std::size_t i) const noexcept { return data + i * stride; }
};

constexpr std::size_t lanes = 4;
using Floats = float __attribute__((vector_size(lanes * sizeof(float))));
using Ints = std::int32_t __attribute__((vector_size(lanes * sizeof(std::int32_t))));

Floats load(const float* from) {
  Floats values;
  std::memcpy(&values, from, sizeof(values));
  return values;
}

double squared_distance(const float* a, const float* b, std::size_t dim) {
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return sum;
}

/// Returns a random number in [0, 1) that is the same on every platform, unlike the distributions
/// of the standard library.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

NearestCentroid::NearestCentroid(std::span<const float> centroids, std::size_t num_centroids)
    : dim_(centroids.size() / num_centroids),
      width_((num_centroids + lanes - 1) / lanes * lanes),
      columns_(dim_ * width_),
      half_norms_(width_, std::numeric_limits<float>::infinity()) {
  for (std::size_t c = 0; c < num_centroids; ++c) {
    double norm = 0;
    for (std::size_t j = 0; j < dim_; ++j) {
      const float value = centroids[c * dim_ + j];
      columns_[j * width_ + c] = value;
      norm += double{value} * value;
    }
    half_norms_[c] = static_cast<float>(norm / 2);
  }
}

std::uint8_t NearestCentroid::operator()(const float* point) const noexcept {
  // |x − c|² is smallest where x·c − |c|²/2 is greatest.
  Floats best = load(half_norms_.data());
  Ints best_at = {};
  for (std::size_t c = 0; c < width_; c += lanes) {
    Floats score = -load(half_norms_.data() + c);
    for (std::size_t j = 0; j < dim_; ++j) score += point[j] * load(&columns_[j * width_ + c]);
    const Ints better = c == 0 ? ~Ints{} : score > best;
    best = better ? score : best;
    best_at = better ? Ints{} + static_cast<std::int32_t>(c) : best_at;
  }
  std::size_t nearest = static_cast<std::size_t>(best_at[0]);
  float nearest_score = best[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) {
    const std::size_t c = static_cast<std::size_t>(best_at[lane]) + lane;
    if (best[lane] > nearest_score || (best[lane] == nearest_score && c < nearest)) {
      nearest = c;
      nearest_score = best[lane];
    }
  }
  return static_cast<std::uint8_t>(nearest);
}

/// Chooses `num_centroids` of the points by k-means++ (Arthur, Vassilvitskii, 2007).
std::vector<float> choose_centroids(const Points& points, std::size_t num_centroids,
                                    std::uint64_t seed) {
  std::vector<float> centroids(num_centroids * points.dim);
  if (points.count == 0) return centroids;
  std::mt19937_64 random(seed);
  std::vector<double> distances(points.count, std::numeric_limits<double>::max());
  std::size_t chosen = random() % points.count;
  for (std::size_t c = 0; c < num_centroids; ++c) {
    const float* centroid = points.at(chosen);
    std::copy_n(centroid, points.dim, centroids.begin() + c * points.dim);
    double total = 0;
    for (std::size_t i = 0; i < points.count; ++i) {
      distances[i] = std::min(distances[i], squared_distance(points.at(i), centroid, points.dim));
      total += distances[i];
    }
    double left = uniform(random) * total;
    for (chosen = 0; chosen + 1 < points.count; ++chosen) {
      left -= distances[chosen];
      if (left < 0) break;
    }
  }
  return centroids;
}

/// Runs one round of k-means. Writes the nearest centroid of each point to `codes`, then moves each
/// centroid to the mean of its points. A centroid without points moves to the point that is
/// farthest from its own centroid. Returns the sum of squared distances before the move.
double k_means_round(const Points& points, std::span<float> centroids,
                     std::span<std::uint8_t> codes) {
  const std::size_t num_centroids = centroids.size() / points.dim;
  const NearestCentroid nearest(centroids, num_centroids);
  std::vector<double> sums(centroids.size());
  std::vector<std::size_t> counts(num_centroids);
  std::vector<double> distances(points.count);
  double loss = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    const float* point = points.at(i);
    const std::size_t c = codes[i] = nearest(point);
    distances[i] = squared_distance(point, &centroids[c * points.dim], points.dim);
    loss += distances[i];
    ++counts[c];
    for (std::size_t j = 0; j < points.dim; ++j) sums[c * points.dim + j] += point[j];
  }
  for (std::size_t c = 0; c < num_centroids; ++c) {
    float* centroid = &centroids[c * points.dim];
    if (counts[c] != 0) {
      for (std::size_t j = 0; j < points.dim; ++j)
        centroid[j] = static_cast<float>(sums[c * points.dim + j] / static_cast<double>(counts[c]));
    } else if (const auto worst = std::ranges::max_element(distances); worst != distances.end()) {
      std::copy_n(points.at(worst - distances.begin()), points.dim, centroid);
      *worst = 0;
    }
  }
  return loss;
}

/// Runs rounds of k-means until one improves the sum by less than one part in 10,000, and at most
/// `max_rounds`.
void k_means(const Points& points, std::span<float> centroids, int max_rounds) {
  std::vector<std::uint8_t> codes(points.count);
  double before = std::numeric_limits<double>::max();
  for (int round = 0; round < max_rounds; ++round) {
    const double loss = k_means_round(points, centroids, codes);
    if (before - loss <= 1e-4 * loss) break;
    before = loss;
  }
}

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
    return fail(ErrorCode::invalid_argument,
                "{} subquantizers were asked for, expected a number that divides the dimension, {}",
                options.num_slices, rows.cols());
  }
  if (options.bits == 0 || options.bits > 8) {
    return fail(ErrorCode::invalid_argument,
                "{} bits for each code were asked for, expected 1 to 8", options.bits);
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
