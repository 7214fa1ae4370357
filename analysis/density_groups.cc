#include "analysis/density_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/blocks.h"
#include "analysis/disjoint_sets.h"
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
    std::array<std::uint32_t, rows_at_once> nearby;
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
        const std::size_t num_near = distances::kernels().below(line, count, bound, nearby.data());
        for (std::size_t i = 0; i < num_near; ++i) {
          const auto other = static_cast<std::uint32_t>(first + nearby[i]);
          if (parts_[other] != parts_[queries[q]])
            offer(best, link(queries[q], other, line[nearby[i]]));
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

constexpr std::uint32_t none = 0xffffffff;
/// The smallest distance that is used, so that densities are finite.
constexpr double least_distance = 1e-6;

/// Returns the density at which rows with the distance 1 − cosine `distance` part: 1 divided by the
/// Euclidean distance of unit rows.
double density_at(float distance) noexcept {
  return 1 / std::max(least_distance, std::sqrt(2 * static_cast<double>(distance)));
}

/// The tree of merges of all rows, link by link. Node i < n is row i; node n + j has the rows that
/// link j has connected.
class Merges {
 public:
  Merges(std::span<const TreeLink> tree, std::size_t num_rows) : num_rows_(num_rows), tree_(tree) {
    DisjointSets sets(num_rows);
    // The node of each set, stored at the set's smallest row.
    std::vector<std::uint32_t> nodes(num_rows);
    for (std::uint32_t row = 0; row < num_rows; ++row) nodes[row] = row;
    sizes_.assign(num_rows, 1);
    for (const TreeLink& link : tree) {
      const std::uint32_t a = nodes[sets.find(link.a)];
      const std::uint32_t b = nodes[sets.find(link.b)];
      halves_.emplace_back(a, b);
      sets.unite(link.a, link.b);
      nodes[sets.find(link.a)] = static_cast<std::uint32_t>(sizes_.size());
      sizes_.push_back(sizes_[a] + sizes_[b]);
    }
  }

  std::uint32_t root() const noexcept { return static_cast<std::uint32_t>(sizes_.size() - 1); }
  bool is_row(std::uint32_t node) const noexcept { return node < num_rows_; }
  std::size_t size(std::uint32_t node) const noexcept { return sizes_[node]; }
  std::pair<std::uint32_t, std::uint32_t> halves(std::uint32_t node) const {
    return halves_[node - num_rows_];
  }
  double density(std::uint32_t node) const { return density_at(tree_[node - num_rows_].distance); }

  /// Calls function(row) for every row of a node.
  template <class Function>
  void for_rows(std::uint32_t node, Function&& function) const {
    std::vector<std::uint32_t> nodes = {node};
    while (!nodes.empty()) {
      const std::uint32_t next = nodes.back();
      nodes.pop_back();
      if (is_row(next)) {
        function(next);
        continue;
      }
      nodes.push_back(halves(next).second);
      nodes.push_back(halves(next).first);
    }
  }

 private:
  std::size_t num_rows_;
  std::span<const TreeLink> tree_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> halves_;
  std::vector<std::size_t> sizes_;
};

/// A candidate for a group: rows that stay together from one density on, until the group falls
/// apart or shrinks away.
struct Candidate {
  std::uint32_t parent = none;
  double birth = 0;  // The density from which on it is a group.
  // The sum over its rows of how much denser it gets before the row leaves it.
  double stability = 0;
  double best_below = 0;  // The greatest total stability of disjoint groups inside it.
  bool is_chosen = false;
};

class Condensation {
 public:
  Condensation(const Merges& merges, std::size_t num_rows, std::size_t min_size)
      : merges_(merges), min_size_(min_size), last_group_(num_rows, none) {
    candidates_.push_back({});
    follow(merges.root(), 0);
    // Each candidate comes after the candidate that contains it, because splitting a candidate adds
    // both halves.
    while (!to_split_.empty()) {
      const auto [node, candidate] = to_split_.back();
      to_split_.pop_back();
      follow(node, candidate);
    }
  }

  std::vector<std::int32_t> groups() {
    choose();
    std::vector<std::int32_t> numbers(candidates_.size(), -1);
    std::int32_t next = 0;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const Candidate& candidate = candidates_[c];
      if (candidate.parent != none) numbers[c] = numbers[candidate.parent];
      if (candidate.is_chosen && numbers[c] < 0) numbers[c] = next++;
    }
    std::vector<std::int32_t> groups;
    for (const std::uint32_t candidate : last_group_) groups.push_back(numbers[candidate]);
    return groups;
  }

 private:
  /// Follows a candidate from `node` to its end. Rows that leave it in parts too small for a group
  /// are noted.
  void follow(std::uint32_t node, std::uint32_t candidate) {
    while (true) {
      if (merges_.is_row(node)) {
        last_group_[node] = candidate;
        return;
      }
      const auto [a, b] = merges_.halves(node);
      const double density = merges_.density(node);
      const bool a_is_group = merges_.size(a) >= min_size_;
      const bool b_is_group = merges_.size(b) >= min_size_;
      if (a_is_group && b_is_group) {
        leave(merges_.size(node), density, candidate);
        for (const std::uint32_t half : {a, b}) {
          to_split_.emplace_back(half, static_cast<std::uint32_t>(candidates_.size()));
          candidates_.push_back({.parent = candidate, .birth = density});
        }
        return;
      }
      if (!a_is_group) drop(a, density, candidate);
      if (!b_is_group) drop(b, density, candidate);
      if (!a_is_group && !b_is_group) return;
      node = a_is_group ? a : b;
    }
  }

  void leave(std::size_t num_rows, double density, std::uint32_t candidate) {
    Candidate& of = candidates_[candidate];
    of.stability += static_cast<double>(num_rows) * (density - of.birth);
  }
  void drop(std::uint32_t node, double density, std::uint32_t candidate) {
    leave(merges_.size(node), density, candidate);
    merges_.for_rows(node, [&](std::uint32_t row) { last_group_[row] = candidate; });
  }

  /// Chooses a candidate, unless the groups inside it are more stable together. The candidate of
  /// all rows is never chosen.
  void choose() {
    for (std::size_t c = candidates_.size(); c-- > 1;) {
      Candidate& candidate = candidates_[c];
      candidate.is_chosen = candidate.stability >= candidate.best_below;
      candidates_[candidate.parent].best_below +=
          std::max(candidate.stability, candidate.best_below);
    }
  }

  const Merges& merges_;
  const std::size_t min_size_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> last_group_;  // The last candidate that each row was in.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> to_split_;
};

}  // namespace

Result<std::vector<TreeLink>> spanning_tree(const CosineRows& rows, const NeighbourGraph& graph,
                                            std::size_t min_samples, bool is_exact, int threads,
                                            const std::stop_token& stop) {
  return Rounds(rows, graph, std::max<std::size_t>(1, min_samples), threads, stop).run(is_exact);
}

std::vector<std::int32_t> density_groups(std::span<const TreeLink> tree, std::size_t num_rows,
                                         std::size_t min_size) {
  if (num_rows < 2) return std::vector<std::int32_t>(num_rows, -1);
  const Merges merges(tree, num_rows);
  return Condensation(merges, num_rows, std::max<std::size_t>(2, min_size)).groups();
}

}  // namespace embd
