#include "analysis/density_groups.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/disjoint_sets.h"

namespace embd {
namespace {

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

std::vector<std::int32_t> density_groups(std::span<const TreeLink> tree, std::size_t num_rows,
                                         std::size_t min_size) {
  if (num_rows < 2) return std::vector<std::int32_t>(num_rows, -1);
  const Merges merges(tree, num_rows);
  return Condensation(merges, num_rows, std::max<std::size_t>(2, min_size)).groups();
}

}  // namespace embd
