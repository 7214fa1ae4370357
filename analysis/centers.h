#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/cosine_rows.h"
#include "embd/matrix.h"

// Groups of rows around centers, which are unit vectors. No result depends on the number of
// threads, because rows are always added in their order.
namespace embd {

/// The group of each row and its distance to the group's center, 1 − cosine similarity.
struct Assignment {
  /// The number of each row's group, an array of shape [rows].
  std::vector<std::uint32_t> groups;
  /// The distance of each row from the center of its group, 1 − cosine, an array of shape [rows].
  std::vector<float> distances;
};

/// Assigns each row to the nearest of `centers` [k, dim], at equal distances to the first of them.
/// k must be at least 1.
Result<Assignment> assign_rows(const CosineRows& rows, MatrixView centers, int threads);

/// Returns the sum of all distances of an assignment.
double inertia_of(const Assignment& assignment) noexcept;

/// The rows of each group, in ascending order. Group g has rows[begins[g]] up to, but not
/// including, rows[begins[g + 1]].
struct Members {
  /// The place in `rows` where each group begins, and last the size of `rows`: [groups + 1] values.
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> rows;

  std::size_t num_groups() const noexcept { return begins.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t group) const noexcept {
    return std::span(rows).subspan(begins[group], begins[group + 1] - begins[group]);
  }
};

/// Lists the rows of each group. Rows whose group number is negative, or at least `num_groups`, are
/// left out.
template <class Group>
Members members_of(std::span<const Group> groups, std::size_t num_groups) {
  Members members;
  members.begins.assign(num_groups + 1, 0);
  for (const Group group : groups)
    if (static_cast<std::size_t>(group) < num_groups) ++members.begins[group + 1];
  for (std::size_t g = 0; g < num_groups; ++g) members.begins[g + 1] += members.begins[g];
  members.rows.resize(members.begins.back());
  std::vector<std::uint64_t> next(members.begins.begin(), members.begins.end() - 1);
  for (std::size_t row = 0; row < groups.size(); ++row)
    if (static_cast<std::size_t>(groups[row]) < num_groups)
      members.rows[next[groups[row]]++] = static_cast<std::uint32_t>(row);
  return members;
}

/// Adds the rows of each group, each scaled to length 1, to `sums` [groups, dim].
Result<void> add_members(const CosineRows& rows, const Members& members, int threads,
                         std::vector<double>& sums);

/// Returns the directions of `sums` [groups, dim] as rows of length 1. A sum without a direction
/// keeps its row of `centers` [groups, dim].
Matrix directions_of(std::span<const double> sums, MatrixView centers);

}  // namespace embd
