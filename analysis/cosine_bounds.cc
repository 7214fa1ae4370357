#include "analysis/cosine_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/blocks.h"
#include "analysis/dot.h"
#include "analysis/seeded_random.h"
#include "base/try.h"

namespace embd {
namespace {

/// The number of rows from which the basis is computed.
constexpr std::size_t basis_sample = 1024;
/// The number of times that a basis is turned towards the directions in which the sample has large
/// components.
constexpr int turns = 3;
/// The length of the rest for a row whose bounds must rule out nothing. Its product with the
/// shortest rest is still greater than any cosine.
constexpr float unbounded_rest = 1e4F;

/// Returns by how much rounding may reduce a square that is at most 1.
double lost_square(std::size_t dim) noexcept {
  return 1e-5 + 2e-7 * static_cast<double>(dim);
}

using Vectors = std::vector<std::vector<double>>;

/// Makes the vectors orthonormal, one after another. A vector that depends on those before becomes
/// 0.
void orthonormalize(Vectors& vectors) {
  for (std::size_t j = 0; j < vectors.size(); ++j) {
    std::vector<double>& vector = vectors[j];
    for (int time = 0; time < 2; ++time) {  // Twice, to remove what rounding leaves.
      for (std::size_t i = 0; i < j; ++i) {
        const double along = dot(vector, vectors[i]);
        for (std::size_t d = 0; d < vector.size(); ++d) vector[d] -= along * vectors[i][d];
      }
    }
    const double length = std::sqrt(dot(vector, vector));
    for (double& value : vector) value = length > 1e-9 ? value / length : 0;
  }
}

Vectors sample_of(const CosineRows& rows) {
  const std::size_t count = std::min(basis_sample, rows.size());
  Vectors sample(count, std::vector<double>(rows.dim()));
  for (std::size_t i = 0; i < count; ++i) unit_row(rows.row(i * rows.size() / count), sample[i]);
  return sample;
}

/// Turns vectors towards the directions in which the sample has large components.
Vectors turned(const Vectors& vectors, const Vectors& sample) {
  Vectors next(vectors.size(), std::vector<double>(vectors.front().size()));
  for (const std::vector<double>& row : sample) {
    for (std::size_t j = 0; j < vectors.size(); ++j) {
      const double along = dot(vectors[j], row);
      for (std::size_t d = 0; d < row.size(); ++d) next[j][d] += along * row[d];
    }
  }
  return next;
}

/// Replaces the dot products of a row and the directions by the short row.
void shorten(std::span<float> dots, float inverse_norm, std::size_t dim) {
  if (std::isnan(inverse_norm) || inverse_norm == 0) {
    std::ranges::fill(dots, 0.0F);
    dots.back() = unbounded_rest;
    return;
  }
  double squares = 0;
  for (float& value : dots.first(dots.size() - 1)) {
    value *= inverse_norm;
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  dots.back() = static_cast<float>(std::sqrt(std::max(0.0, 1 - squares) + lost_square(dim)));
}

}  // namespace

Matrix long_directions(const CosineRows& rows, std::size_t num_directions) {
  Random random(0);
  Vectors vectors(num_directions, std::vector<double>(rows.dim()));
  for (std::vector<double>& vector : vectors)
    for (double& value : vector) value = random.real() - 0.5;
  orthonormalize(vectors);
  const Vectors sample = sample_of(rows);
  for (int turn = 0; turn < turns; ++turn) {
    vectors = turned(vectors, sample);
    orthonormalize(vectors);
  }
  Matrix directions(num_directions, rows.dim());
  for (std::size_t j = 0; j < num_directions; ++j)
    std::ranges::transform(vectors[j], directions.row(j).begin(),
                           [](double value) { return static_cast<float>(value); });
  return directions;
}

float CosineBounds::slack(std::size_t dim) noexcept {
  return 1e-4F + 2e-7F * static_cast<float>(dim);
}

Result<CosineBounds> CosineBounds::create(const CosineRows& rows,
                                          std::span<const std::uint32_t> chosen,
                                          MatrixView directions, int threads) {
  CosineBounds bounds;
  bounds.rows_.resize(chosen.size() * width);
  const std::size_t stride = sizeof(float) * rows.dim();
  EMBD_TRY(for_blocks(chosen.size(), threads, [&](Block block) -> Result<void> {
    for (std::size_t i = block.first; i < block.end; ++i) {
      const auto row = std::span(bounds.rows_).subspan(i * width, width);
      distances::kernels().f32.dot.tile({rows.row(chosen[i]).data(), stride}, 1,
                                        {directions.data(), stride}, directions.rows(), rows.dim(),
                                        {row.data(), width});
      shorten(row, rows.inverse_norm(chosen[i]), rows.dim());
    }
    return {};
  }));
  return bounds;
}

}  // namespace embd
