#include "analysis/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/blocks.h"
#include "base/try.h"

namespace embd {
namespace {

/// The last round is the first that reduces the inertia by a smaller share than this.
constexpr double least_gain = 1e-6;
/// The rows of a batch, and how often batches go through all rows.
constexpr std::size_t batch_rows = 16'384;
constexpr std::size_t batch_passes = 2;
/// The rounds over all rows after the batches.
constexpr std::uint32_t rounds_after_batches = 10;
/// The number of rows among which the first centers are drawn: at least this, and so many per
/// center.
constexpr std::size_t least_start_rows = 20'000;
constexpr std::size_t start_rows_of_center = 100;

/// Returns a copy of some rows, one after another.
Matrix picked_rows(const CosineRows& rows, std::span<const std::uint32_t> picked) {
  Matrix copy(picked.size(), rows.dim());
  for (std::size_t i = 0; i < picked.size(); ++i)
    std::ranges::copy(rows.row(picked[i]), copy.row(i).begin());
  return copy;
}

/// Gives each group without rows the row that is farthest from its center, taken from a group that
/// keeps other rows. Returns false if a group stays empty, because all remaining rows are at their
/// centers.
bool fill_empty_groups(Assignment& assignment, std::size_t k) {
  std::vector<std::uint64_t> sizes(k);
  for (const std::uint32_t group : assignment.groups) ++sizes[group];
  if (std::ranges::find(sizes, 0U) == sizes.end()) return true;
  std::vector<std::uint32_t> farthest(assignment.groups.size());
  std::iota(farthest.begin(), farthest.end(), 0U);
  std::ranges::stable_sort(farthest, std::greater(),
                           [&](std::uint32_t row) { return assignment.distances[row]; });
  auto next = farthest.begin();
  for (std::uint32_t group = 0; group < k; ++group) {
    if (sizes[group] > 0) continue;
    while (next != farthest.end() && sizes[assignment.groups[*next]] < 2) ++next;
    if (next == farthest.end() || assignment.distances[*next] == 0) return false;
    --sizes[assignment.groups[*next]];
    assignment.groups[*next] = group;
    assignment.distances[*next] = 0;
    sizes[group] = 1;
    ++next;
  }
  return true;
}

class Run {
 public:
  Run(const CosineRows& rows, const KMeansOptions& options, const std::stop_token& stop)
      : rows_(rows), options_(options), stop_(stop) {}

  /// Runs Lloyd's algorithm from `centers` until little changes.
  Result<KMeans> refine(Matrix centers, std::uint32_t rounds) const {
    KMeans result = {std::move(centers), {}, 0};
    result.assignment = EMBD_TRY(assign_rows(rows_, result.centers, options_.threads));
    result.inertia = inertia_of(result.assignment);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      if (stop_.stop_requested()) return fail_stopped();
      fill_empty_groups(result.assignment, result.centers.rows());
      const Matrix moved = EMBD_TRY(centers_of(result));
      Assignment next = EMBD_TRY(assign_rows(rows_, moved, options_.threads));
      const double inertia = inertia_of(next);
      const bool is_last = next.groups == result.assignment.groups ||
                           result.inertia - inertia <= least_gain * result.inertia;
      result = {moved, std::move(next), inertia};
      if (is_last) break;
    }
    return result;
  }

  /// Updates the centers by batches of all rows in a random order (mini-batch k-means).
  Result<Matrix> batches(Matrix centers, Random& random) const {
    std::vector<double> sums(centers.rows() * rows_.dim());
    for (std::size_t pass = 0; pass < batch_passes; ++pass) {
      const std::vector<std::uint32_t> order = draw_rows(rows_.size(), rows_.size(), random);
      // Clears the sums of the pass before, because the centers have moved since.
      std::ranges::fill(sums, 0);
      for (std::size_t first = 0; first < order.size(); first += batch_rows) {
        if (stop_.stop_requested()) return fail_stopped();
        const auto some =
            std::span(order).subspan(first, std::min(batch_rows, order.size() - first));
        const Matrix copy = picked_rows(rows_, some);
        const CosineRows batch = EMBD_TRY(CosineRows::create(copy, options_.threads));
        const Assignment assignment = EMBD_TRY(assign_rows(batch, centers, options_.threads));
        const Members members =
            members_of(std::span<const std::uint32_t>(assignment.groups), centers.rows());
        EMBD_TRY(add_members(batch, members, options_.threads, sums));
        centers = directions_of(sums, centers);
      }
    }
    return centers;
  }

 private:
  Result<Matrix> centers_of(const KMeans& result) const {
    const Members members =
        members_of(std::span<const std::uint32_t>(result.assignment.groups), result.centers.rows());
    std::vector<double> sums(result.centers.rows() * rows_.dim());
    EMBD_TRY(add_members(rows_, members, options_.threads, sums));
    return directions_of(sums, result.centers);
  }

  const CosineRows& rows_;
  const KMeansOptions& options_;
  const std::stop_token& stop_;
};

/// Removes the groups that have no rows.
void drop_empty_groups(KMeans& result) {
  std::vector<std::uint32_t> numbers(result.centers.rows());
  for (const std::uint32_t group : result.assignment.groups) numbers[group] = 1;
  const auto kept = static_cast<std::size_t>(std::ranges::count(numbers, 1U));
  if (kept == numbers.size()) return;
  Matrix centers(kept, result.centers.cols());
  std::uint32_t next = 0;
  for (std::size_t g = 0; g < numbers.size(); ++g) {
    if (numbers[g] == 0) continue;
    std::ranges::copy(result.centers.row(g), centers.row(next).begin());
    numbers[g] = next++;
  }
  for (std::uint32_t& group : result.assignment.groups) group = numbers[group];
  result.centers = std::move(centers);
}

Result<KMeans> one_start(const CosineRows& rows, const KMeansOptions& options, Random& random,
                         const std::stop_token& stop) {
  const Run run(rows, options, stop);
  if (rows.size() <= options.batch_above) {
    return run.refine(EMBD_TRY(draw_centers(rows, options.k, random, options.threads, stop)),
                      options.rounds);
  }
  const std::size_t wanted =
      std::max(least_start_rows, start_rows_of_center * static_cast<std::size_t>(options.k));
  const Matrix sample =
      picked_rows(rows, draw_rows(rows.size(), std::min(rows.size(), wanted), random));
  const CosineRows sample_rows = EMBD_TRY(CosineRows::create(sample, options.threads));
  const Run sample_run(sample_rows, options, stop);
  Matrix centers =
      EMBD_TRY(sample_run.refine(
                   EMBD_TRY(draw_centers(sample_rows, options.k, random, options.threads, stop)),
                   options.rounds))
          .centers;
  centers = EMBD_TRY(run.batches(std::move(centers), random));
  return run.refine(std::move(centers), rounds_after_batches);
}

constexpr std::size_t rows_of_block = 1024;

/// The distance of each row from the nearest center so far, and the sums over blocks of rows.
class Nearness {
 public:
  explicit Nearness(std::size_t num_rows)
      : distances_(num_rows, std::numeric_limits<float>::max()),
        sums_((num_rows + rows_of_block - 1) / rows_of_block) {}

  /// Draws a row with a probability in proportion to its distance. If all distances are 0, draws
  /// any row.
  std::uint32_t draw(Random& random) const {
    const double total = std::accumulate(sums_.begin(), sums_.end(), 0.0);
    if (!(total > 0)) return static_cast<std::uint32_t>(random.below(distances_.size()));
    double left = random.real() * total;
    std::size_t block = 0;
    while (block + 1 < sums_.size() && left >= sums_[block]) left -= sums_[block++];
    const std::size_t end = std::min(distances_.size(), (block + 1) * rows_of_block);
    std::size_t row = block * rows_of_block;
    for (; row + 1 < end && left >= static_cast<double>(distances_[row]); ++row)
      left -= static_cast<double>(distances_[row]);
    return static_cast<std::uint32_t>(row);
  }

  /// Adds the best of the drawn rows as the next center: the row that leaves the smallest sum of
  /// distances.
  Result<std::uint32_t> add_best_of(const CosineRows& rows, std::span<const std::uint32_t> drawn,
                                    int threads) {
    Matrix candidates(drawn.size(), rows.dim());
    for (std::size_t c = 0; c < drawn.size(); ++c)
      std::ranges::copy(rows.row(drawn[c]), candidates.row(c).begin());
    const CosineRows centers = EMBD_TRY(CosineRows::create(candidates, 1));
    const std::size_t count = drawn.size();
    std::vector<float> nearer(rows.size() * count);
    std::vector<double> sums(sums_.size() * count);
    EMBD_TRY(for_blocks(
        rows.size(), threads,
        [&](Block block) -> Result<void> {
          float* line = nearer.data() + block.first * count;
          rows.distance().tile(rows.stored(block.first), block.size(), centers.stored(), 0, count,
                               {line, count});
          double* sum = sums.data() + block.first / rows_of_block * count;
          for (std::size_t row = block.first; row < block.end; ++row, line += count) {
            for (std::size_t c = 0; c < count; ++c) {
              line[c] = std::min(line[c], distances_[row]);
              sum[c] += static_cast<double>(line[c]);
            }
          }
          return {};
        },
        rows_of_block));
    std::vector<double> totals(count);
    for (std::size_t i = 0; i < sums.size(); ++i) totals[i % count] += sums[i];
    const auto best = static_cast<std::size_t>(std::ranges::min_element(totals) - totals.begin());
    for (std::size_t row = 0; row < rows.size(); ++row)
      distances_[row] = nearer[row * count + best];
    for (std::size_t block = 0; block < sums_.size(); ++block)
      sums_[block] = sums[block * count + best];
    return drawn[best];
  }

 private:
  std::vector<float> distances_;  // [rows]
  std::vector<double> sums_;      // [blocks of rows]
};

}  // namespace

Result<KMeans> kmeans(const CosineRows& rows, const KMeansOptions& options,
                      const std::stop_token& stop) {
  Random random(options.seed);
  // One start is enough for a large set, because its sample represents it well.
  const std::uint32_t starts = rows.size() > options.batch_above ? 1 : options.starts;
  KMeans best = EMBD_TRY(one_start(rows, options, random, stop));
  for (std::uint32_t start = 1; start < starts; ++start) {
    KMeans other = EMBD_TRY(one_start(rows, options, random, stop));
    if (other.inertia < best.inertia) best = std::move(other);
  }
  drop_empty_groups(best);
  return best;
}

Result<KMeans> kmeans_from(const CosineRows& rows, Matrix centers, const KMeansOptions& options,
                           const std::stop_token& stop) {
  KMeans found = EMBD_TRY(Run(rows, options, stop).refine(std::move(centers), options.rounds));
  drop_empty_groups(found);
  return found;
}

Result<Matrix> draw_centers(const CosineRows& rows, std::uint32_t k, Random& random, int threads,
                            const std::stop_token& stop) {
  const auto tries = 2 + static_cast<std::size_t>(std::log(static_cast<double>(k)));
  Nearness nearness(rows.size());
  Matrix centers(k, rows.dim());
  for (std::uint32_t c = 0; c < k; ++c) {
    if (stop.stop_requested()) return fail_stopped();
    std::vector<std::uint32_t> drawn;
    if (c == 0) {
      drawn.push_back(static_cast<std::uint32_t>(random.below(rows.size())));
    } else {
      for (std::size_t i = 0; i < tries; ++i) drawn.push_back(nearness.draw(random));
    }
    const std::uint32_t best = EMBD_TRY(nearness.add_best_of(rows, drawn, threads));
    std::ranges::copy(rows.row(best), centers.row(c).begin());
  }
  return centers;
}

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
