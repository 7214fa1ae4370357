#include "analysis/centers.h"

#include <algorithm>
#include <cmath>

#include "analysis/blocks.h"
#include "base/try.h"

namespace embd {
namespace {

/// The number of rows whose distances to all centers are in memory at a time.
constexpr std::size_t assigned_at_once = 192;
/// The number of members of a group that one task adds up. The sum of a group is the sum of such
/// parts, in their order, on any number of threads.
constexpr std::size_t members_of_part = 8192;

struct Part {
  std::size_t group;
  std::span<const std::uint32_t> members;
};

std::vector<Part> parts_of(const Members& members) {
  std::vector<Part> parts;
  for (std::size_t g = 0; g < members.num_groups(); ++g) {
    const auto of_group = members.of(g);
    for (std::size_t first = 0; first < of_group.size(); first += members_of_part)
      parts.push_back(
          {g, of_group.subspan(first, std::min(members_of_part, of_group.size() - first))});
  }
  return parts;
}

void add_unit_row(const CosineRows& rows, std::size_t row, std::span<double> unit,
                  std::span<double> sum) {
  const auto scale = static_cast<double>(rows.inverse_norm(row));
  const std::span<const float> values = rows.row(row);
  if (!std::isnan(scale)) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(values[i]) * scale;
    return;
  }
  unit_row(values, unit);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += unit[i];
}

}  // namespace

Result<Assignment> assign_rows(const CosineRows& rows, MatrixView centers, int threads) {
  const CosineRows of_centers = EMBD_TRY(CosineRows::create(centers, 1));
  Assignment assignment = {std::vector<std::uint32_t>(rows.size()),
                           std::vector<float>(rows.size())};
  const std::size_t k = centers.rows();
  EMBD_TRY(for_blocks(
      rows.size(), threads,
      [&](Block block) -> Result<void> {
        std::vector<float> distances(block.size() * k);
        rows.distance().tile(rows.stored(block.first), block.size(), of_centers.stored(), 0, k,
                             {distances.data(), k});
        for (std::size_t i = 0; i < block.size(); ++i) {
          const auto line = std::span(distances).subspan(i * k, k);
          const auto nearest = std::ranges::min_element(line);
          assignment.groups[block.first + i] = static_cast<std::uint32_t>(nearest - line.begin());
          assignment.distances[block.first + i] = *nearest;
        }
        return {};
      },
      assigned_at_once));
  return assignment;
}

double inertia_of(const Assignment& assignment) noexcept {
  double sum = 0;
  for (const float distance : assignment.distances) sum += static_cast<double>(distance);
  return sum;
}

Result<void> add_members(const CosineRows& rows, const Members& members, int threads,
                         std::vector<double>& sums) {
  const std::size_t dim = rows.dim();
  const std::vector<Part> parts = parts_of(members);
  std::vector<double> of_parts(parts.size() * dim);
  EMBD_TRY(parallel_for(parts.size(), threads, [&](std::size_t p) -> Result<void> {
    std::vector<double> unit(dim);
    const auto sum = std::span(of_parts).subspan(p * dim, dim);
    for (const std::uint32_t row : parts[p].members) add_unit_row(rows, row, unit, sum);
    return {};
  }));
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t i = 0; i < dim; ++i) sums[parts[p].group * dim + i] += of_parts[p * dim + i];
  return {};
}

Matrix directions_of(std::span<const double> sums, MatrixView centers) {
  Matrix directions(centers.rows(), centers.cols());
  for (std::size_t g = 0; g < centers.rows(); ++g) {
    const auto sum = sums.subspan(g * centers.cols(), centers.cols());
    double squares = 0;
    for (const double value : sum) squares += value * value;
    const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (std::size_t i = 0; i < sum.size(); ++i)
      directions.row(g)[i] = scale > 0 ? static_cast<float>(sum[i] * scale) : centers.row(g)[i];
  }
  return directions;
}

}  // namespace embd
