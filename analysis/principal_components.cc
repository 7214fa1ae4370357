#include "analysis/principal_components.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace embd {
namespace {

/// The number of rounds. More rounds would move no place by a pixel.
constexpr int iterations = 40;
constexpr std::size_t max_sampled_rows = 4096;

using Axis = std::vector<double>;

double dot(const Axis& a, const Axis& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Rows in double precision, minus their mean.
class CentredRows {
 public:
  explicit CentredRows(MatrixView rows)
      : rows_(rows), count_(std::min(rows.rows(), max_sampled_rows)), mean_(rows.cols()) {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = 0; j < mean_.size(); ++j) mean_[j] += sampled(i)[j];
    for (double& value : mean_) value /= static_cast<double>(count_);
  }

  std::size_t dim() const noexcept { return rows_.cols(); }
  /// The rows from which the axes are found.
  std::size_t num_sampled() const noexcept { return count_; }
  std::span<const float> sampled(std::size_t i) const noexcept {
    return rows_.row(i * rows_.rows() / count_);
  }
  /// Returns the place of a row along an axis.
  double place(std::span<const float> row, const Axis& axis) const noexcept {
    double sum = 0;
    for (std::size_t j = 0; j < axis.size(); ++j) sum += (row[j] - mean_[j]) * axis[j];
    return sum;
  }
  void add(std::span<const float> row, double factor, Axis& sum) const noexcept {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += factor * (row[j] - mean_[j]);
  }

 private:
  MatrixView rows_;
  std::size_t count_;
  Axis mean_;
};

/// Scales a vector to length 1. Returns false if it is zero.
bool normalize(Axis& axis) {
  const double length = std::sqrt(dot(axis, axis));
  if (!(length > 1e-9)) return false;
  for (double& value : axis) value /= length;
  return true;
}

void remove_component(Axis& axis, const Axis& other) {
  const double part = dot(axis, other);
  for (std::size_t j = 0; j < axis.size(); ++j) axis[j] -= part * other[j];
}

/// Returns a direction to which hardly any rows are at a right angle. Its numbers have the same
/// bits on every machine.
Axis first_guess(std::size_t dim) {
  Axis axis(dim);
  for (std::size_t j = 0; j < dim; ++j) axis[j] = static_cast<double>(1 + j * 7919 % 1009) - 505.5;
  normalize(axis);
  return axis;
}

/// Finds an axis. `before` is the first axis, or empty.
Axis find_axis(const CentredRows& rows, const Axis& before) {
  Axis axis = first_guess(rows.dim());
  for (int round = 0; round < iterations; ++round) {
    Axis next(axis.size());
    for (std::size_t i = 0; i < rows.num_sampled(); ++i)
      rows.add(rows.sampled(i), rows.place(rows.sampled(i), axis), next);
    if (!before.empty()) remove_component(next, before);
    if (!normalize(next)) return Axis(axis.size());
    axis = std::move(next);
  }
  const auto greatest =
      std::ranges::max_element(axis, {}, [](double value) { return std::abs(value); });
  if (greatest != axis.end() && *greatest < 0)
    for (double& value : axis) value = -value;
  return axis;
}

}  // namespace

std::array<std::vector<float>, 2> principal_components(MatrixView rows) {
  std::array<std::vector<float>, 2> places;
  if (rows.rows() == 0) return places;
  const CentredRows centred(rows);
  const Axis first = find_axis(centred, {});
  const Axis second = find_axis(centred, first);
  // Rows may be too long for float32.
  constexpr double most = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (const auto& [axis, to] : {std::pair(&first, &places[0]), std::pair(&second, &places[1])})
      to->push_back(static_cast<float>(std::clamp(centred.place(rows.row(i), *axis), -most, most)));
  }
  return places;
}

}  // namespace embd
