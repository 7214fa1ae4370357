#include "analysis/choose_k.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/blocks.h"
#include "analysis/cosine_rows.h"
#include "analysis/seeded_random.h"
#include "base/try.h"

namespace embd {
namespace {

/// The number of rows from which the number of groups is chosen.
constexpr std::size_t chosen_from_rows = 10'000;
constexpr std::uint32_t most_groups = 128;
/// Every number of groups up to this one is tried; after it, each next number is a fifth greater.
constexpr std::uint32_t last_single_step = 12;

/// The rounds of a trial. The silhouette of groups that are nearly settled is close to the final
/// one.
constexpr std::uint32_t trial_rounds = 8;
/// The number of best trials that are followed further, because more groups take longer to settle.
constexpr std::size_t last_trials = 4;
constexpr std::uint32_t last_rounds = 24;

/// Returns the first rows of a matrix.
Matrix first_rows(const Matrix& rows, std::size_t count) {
  Matrix first(count, rows.cols());
  for (std::size_t i = 0; i < count; ++i) std::ranges::copy(rows.row(i), first.row(i).begin());
  return first;
}

/// Returns the silhouette of a unit row. Its mean distance from a group is 1 − row · (sum of the
/// group's unit rows) / size, so that no two rows need to be compared.
double silhouette(std::span<const double> unit, std::size_t own, std::span<const double> sums,
                  std::span<const std::uint64_t> sizes) {
  if (sizes[own] < 2) return 0;
  double to_own = 0;
  double to_next = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    if (sizes[g] == 0) continue;
    const double together = dot(unit, sums.subspan(g * unit.size(), unit.size()));
    const auto size = static_cast<double>(sizes[g]);
    if (g == own) {
      to_own = std::max(0.0, (size - together) / (size - 1));
    } else {
      to_next = std::min(to_next, 1 - together / size);
    }
  }
  const double greater = std::max(to_own, to_next);
  return greater > 0 && std::isfinite(greater) ? (to_next - to_own) / greater : 0;
}

struct Trial {
  double silhouette = 0;
  Matrix centers;
};

Result<Trial> try_groups(const CosineRows& rows, Matrix centers, const KMeansOptions& options,
                         const std::stop_token& stop) {
  KMeans found = EMBD_TRY(kmeans_from(rows, std::move(centers), options, stop));
  const double silhouette =
      EMBD_TRY(mean_silhouette(rows, found.assignment, found.centers.rows(), options.threads));
  return Trial{silhouette, std::move(found.centers)};
}

std::uint32_t next_k(std::uint32_t k) noexcept {
  return k < last_single_step ? k + 1 : k + k / 5;
}

}  // namespace

Result<double> mean_silhouette(const CosineRows& rows, const Assignment& assignment,
                               std::size_t num_groups, int threads) {
  constexpr std::size_t rows_of_block = 1024;
  const Members members = members_of(std::span<const std::uint32_t>(assignment.groups), num_groups);
  std::vector<std::uint64_t> sizes(num_groups);
  for (std::size_t g = 0; g < num_groups; ++g) sizes[g] = members.of(g).size();
  std::vector<double> sums(num_groups * rows.dim());
  EMBD_TRY(add_members(rows, members, threads, sums));
  std::vector<double> of_blocks(rows.size() / rows_of_block + 1);
  EMBD_TRY(for_blocks(
      rows.size(), threads,
      [&](Block block) -> Result<void> {
        std::vector<double> unit(rows.dim());
        double& sum = of_blocks[block.first / rows_of_block];
        for (std::size_t row = block.first; row < block.end; ++row) {
          unit_row(rows.row(row), unit);
          sum += silhouette(unit, assignment.groups[row], sums, sizes);
        }
        return {};
      },
      rows_of_block));
  double total = 0;
  for (const double sum : of_blocks) total += sum;
  return rows.size() == 0 ? 0 : total / static_cast<double>(rows.size());
}

Result<std::uint32_t> choose_k(const CosineRows& rows, const KMeansOptions& options,
                               const std::stop_token& stop) {
  if (rows.size() < 4) return rows.size() == 0 ? 0U : 1U;
  Random random(options.seed);
  const std::size_t count = std::min(rows.size(), chosen_from_rows);
  std::vector<std::uint32_t> drawn = draw_rows(rows.size(), count, random);
  std::ranges::sort(drawn);
  Matrix sample(count, rows.dim());
  for (std::size_t i = 0; i < count; ++i)
    std::ranges::copy(rows.row(drawn[i]), sample.row(i).begin());
  const CosineRows some = EMBD_TRY(CosineRows::create(sample, options.threads));

  const auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(count)));
  const std::uint32_t most = std::clamp(root, 2U, most_groups);
  // Centers are drawn one after another, so that the first k are the centers that would be drawn
  // for k groups.
  const Matrix starts = EMBD_TRY(draw_centers(some, most, random, options.threads, stop));
  KMeansOptions trial_options = options;
  trial_options.rounds = trial_rounds;
  std::vector<Trial> trials;
  for (std::uint32_t k = 2; k <= most; k = next_k(k))
    trials.push_back(EMBD_TRY(try_groups(some, first_rows(starts, k), trial_options, stop)));
  std::ranges::stable_sort(trials, std::ranges::greater(), &Trial::silhouette);
  KMeansOptions last_options = options;
  last_options.rounds = last_rounds;
  Trial best = {.silhouette = -std::numeric_limits<double>::infinity(), .centers = {}};
  for (std::size_t i = 0; i < std::min(last_trials, trials.size()); ++i) {
    Trial last = EMBD_TRY(try_groups(some, std::move(trials[i].centers), last_options, stop));
    if (last.silhouette > best.silhouette) best = std::move(last);
  }
  return static_cast<std::uint32_t>(best.centers.rows());
}

}  // namespace embd
