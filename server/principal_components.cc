#include "server/principal_components.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace embd::server {
namespace {

/// More change no place by as much as a pixel.
constexpr int iterations = 40;

using Axis = std::vector<double>;

double dot(std::span<const float> row, const Axis& axis) {
  return std::inner_product(row.begin(), row.end(), axis.begin(), 0.0);
}

/// False if nothing is left of it.
bool normalize(Axis& axis) {
  const double length = std::sqrt(std::inner_product(axis.begin(), axis.end(), axis.begin(), 0.0));
  if (!(length > 1e-9)) return false;
  for (double& value : axis) value /= length;
  return true;
}

void remove_component(Axis& axis, const Axis& other) {
  const double part = std::inner_product(axis.begin(), axis.end(), other.begin(), 0.0);
  for (std::size_t j = 0; j < axis.size(); ++j) axis[j] -= part * other[j];
}

/// `rows` have mean 0. `before`: the axis found first, or empty.
Axis find_axis(const Matrix& rows, const Axis& before) {
  Axis axis(rows.cols());
  for (std::size_t j = 0; j < axis.size(); ++j) axis[j] = std::sin(1.0 + static_cast<double>(j));
  for (int round = 0; round < iterations; ++round) {
    Axis next(axis.size());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double place = dot(rows.row(i), axis);
      for (std::size_t j = 0; j < next.size(); ++j) next[j] += place * rows.row(i)[j];
    }
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

std::array<std::vector<float>, 2> principal_components(const Matrix& rows) {
  Matrix centred = rows;
  std::vector<double> mean(rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j) mean[j] += rows.row(i)[j];
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j)
      centred.row(i)[j] -= static_cast<float>(mean[j] / static_cast<double>(rows.rows()));
  const Axis first = find_axis(centred, {});
  const Axis second = find_axis(centred, first);
  std::array<std::vector<float>, 2> places;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    places[0].push_back(static_cast<float>(dot(centred.row(i), first)));
    places[1].push_back(static_cast<float>(dot(centred.row(i), second)));
  }
  return places;
}

}  // namespace embd::server
