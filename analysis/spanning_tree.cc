#include "analysis/spanning_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/blocks.h"
#include "analysis/disjoint_sets.h"
#include "base/stopped.h"
#include "base/try.h"

namespace embd {
namespace {

/// The number of rows whose shortest links to other parts are searched by one task, and the number
/// of rows with which they are compared at a time.
constexpr std::size_t queries_of_block = 96;
constexpr std::size_t rows_at_once = 64;

/// Finds the tree by Borůvka's algorithm. In each round, every part of the tree gets its shortest
/// link to another part, until one part is left. Links of equal distance are ordered by their rows,
/// so that there is only one tree.
class Rounds {
 public:
  Rounds(const CosineRows& rows, const NeighbourGraph& graph, std::size_t min_samples, int threads,
         const std::stop_token& stop)
      : rows_(rows), graph_(graph), threads_(threads), stop_(stop), sets_(rows.size()) {
    const std::size_t others = std::min(min_samples - 1, graph.k);
    cores_.resize(rows.size());
    bounds_.resize(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      cores_[row] = others == 0 ? 0 : graph.distances_of(row)[others - 1];
      // No row outside the list is nearer than the last row in it.
      bounds_[row] = graph.k == 0 ? 0 : graph.distances_of(row).back();
    }
    parts_.resize(rows.size());
    found_.resize(rows.size());
  }

  Result<std::vector<TreeLink>> run(bool is_exact) {
    while (tree_.size() + 1 < rows_.size()) {
      if (stop_.stop_requested()) return fail_stopped();
      for (std::uint32_t row = 0; row < rows_.size(); ++row) parts_[row] = sets_.find(row);
      const std::size_t before = tree_.size();
      take_neighbours();
      if (is_exact) EMBD_TRY(search_beyond());
      add_links();
      if (tree_.size() == before) break;
    }
    tie_parts();
    std::ranges::sort(tree_);
    return std::move(tree_);
  }

 private:
  using Candidate = std::optional<TreeLink>;

  TreeLink link(std::uint32_t row, std::uint32_t other, float distance) const {
    return {std::max({distance, cores_[row], cores_[other]}), std::min(row, other),
            std::max(row, other)};
  }
  static void offer(Candidate& best, const TreeLink& link) {
    if (!best || link < *best) best = link;
  }

  /// Finds the shortest link of each row to a neighbour in another part.
  void take_neighbours() {
    best_.assign(rows_.size(), std::nullopt);
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      // The edge that an earlier round found may still lead to another part.
      if (found_[row] && parts_[found_[row]->a] == parts_[found_[row]->b]) found_[row].reset();
      Candidate best = found_[row];
      const auto others = graph_.rows_of(row);
      const auto distances = graph_.distances_of(row);
      for (std::size_t i = 0; i < others.size(); ++i)
        if (parts_[others[i]] != parts_[row]) offer(best, link(row, others[i], distances[i]));
      if (best) offer(best_[parts_[row]], *best);
    }
  }

  /// Compares rows with all other rows, if a link outside their list of neighbours may be shorter
  /// than the best link of their part.
  Result<void> search_beyond() {
    std::vector<std::uint32_t> queries;
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      const Candidate& best = best_[parts_[row]];
      if (found_[row]) continue;
      if (!best || std::max(bounds_[row], cores_[row]) <= best->distance) queries.push_back(row);
    }
    EMBD_TRY(for_blocks(
        queries.size(), threads_,
        [&](Block block) -> Result<void> {
          search(std::span(queries).subspan(block.first, block.size()));
          return {};
        },
        queries_of_block));
    for (const std::uint32_t row : queries) {
      if (!found_[row]) continue;  // There is only one part.
      bounds_[row] = std::max(bounds_[row], found_[row]->distance);
      offer(best_[parts_[row]], *found_[row]);
    }
    return {};
  }

  /// Finds the shortest link of each of `queries` to another part.
  void search(std::span<const std::uint32_t> queries) {
    Matrix packed(queries.size(), rows_.dim());
    std::array<float, queries_of_block> norms;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::ranges::copy(rows_.row(queries[q]), packed.row(q).begin());
      norms[q] = rows_.inverse_norm(queries[q]);
    }
    const StoredRows stored = {reinterpret_cast<const std::byte*>(packed.data()),
                               sizeof(float) * rows_.dim(), norms.data()};
    std::vector<float> distances(queries.size() * rows_at_once);
    std::array<std::uint32_t, rows_at_once> near;
    for (std::size_t first = 0; first < rows_.size(); first += rows_at_once) {
      if (stop_.stop_requested()) return;
      const std::size_t count = std::min(rows_at_once, rows_.size() - first);
      rows_.distance().tile(stored, queries.size(), rows_.stored(), first, count,
                            {distances.data(), rows_at_once});
      for (std::size_t q = 0; q < queries.size(); ++q) {
        Candidate& best = found_[queries[q]];
        const float* line = distances.data() + q * rows_at_once;
        const float bound =
            best ? std::nextafter(best->distance, farthest_distance + 1) : farthest_distance + 1;
        const std::size_t num_near = distances::kernels().below(line, count, bound, near.data());
        for (std::size_t i = 0; i < num_near; ++i) {
          const auto other = static_cast<std::uint32_t>(first + near[i]);
          if (parts_[other] != parts_[queries[q]])
            offer(best, link(queries[q], other, line[near[i]]));
        }
      }
    }
  }

  void add_links() {
    std::vector<TreeLink> links;
    for (const Candidate& best : best_)
      if (best) links.push_back(*best);
    std::ranges::sort(links);
    for (const TreeLink& shortest : links)
      if (sets_.unite(shortest.a, shortest.b)) tree_.push_back(shortest);
  }

  /// Connects the parts that are left, each with the part of row 0.
  void tie_parts() {
    for (std::uint32_t row = 1; row < rows_.size(); ++row)
      if (sets_.unite(0, row)) tree_.push_back({farthest_distance, 0, row});
  }

  const CosineRows& rows_;
  const NeighbourGraph& graph_;
  const int threads_;
  const std::stop_token& stop_;
  DisjointSets sets_;
  std::vector<float> cores_;
  // For each row, the distance below which no row outside its list can be.
  std::vector<float> bounds_;
  std::vector<std::uint32_t> parts_;
  // For each row that was searched, its shortest link to another part.
  std::vector<Candidate> found_;
  // For each part, its shortest link, stored at the row that stands for the part.
  std::vector<Candidate> best_;
  std::vector<TreeLink> tree_;
};

}  // namespace

Result<std::vector<TreeLink>> spanning_tree(const CosineRows& rows, const NeighbourGraph& graph,
                                            std::size_t min_samples, bool is_exact, int threads,
                                            const std::stop_token& stop) {
  return Rounds(rows, graph, std::max<std::size_t>(1, min_samples), threads, stop).run(is_exact);
}

}  // namespace embd
