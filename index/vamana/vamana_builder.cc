#include "index/vamana/vamana_builder.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/elements.h"
#include "base/parallel.h"
#include "base/try.h"

namespace embd::vamana {
namespace {

/// A batch is at most this share of what is in the graph already: rows of one batch do not see each
/// other.
constexpr std::size_t kBatchShare = 50;
constexpr std::size_t kMaxBatch = 4096;

/// An edge to be added: `to` gains the out-edge to `from`.
struct BackEdge {
  std::uint32_t to;
  std::uint32_t from;
  auto operator<=>(const BackEdge&) const = default;
};

class Builder {
 public:
  Builder(Graph& graph, const Distance& distance, const StoredRows& rows, std::uint32_t entry,
          const BuildOptions& options)
      : graph_(graph),
        distance_(distance),
        rows_(rows),
        num_rows_(graph.view().num_vertices),
        entry_(entry),
        options_(options),
        scratch_(static_cast<std::size_t>(options.threads)) {}

  /// Places rows [first, all) in batches that grow with the `placed` rows they can link to.
  Result<void> pass(float alpha, std::size_t first, bool all_placed, const std::stop_token& stop) {
    alpha_ = alpha;
    while (first < num_rows_) {
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the build was stopped");
      const std::size_t placed = all_placed ? num_rows_ : first;
      const std::size_t end =
          std::min(num_rows_, first + std::clamp<std::size_t>(placed / kBatchShare, 1, kMaxBatch));
      EMBD_TRY(place(first, end));
      EMBD_TRY(link_back(first, end));
      first = end;
    }
    return {};
  }

  void bypass(const std::vector<bool>& removed) {
    alpha_ = options_.alpha;
    Scratch& mine = scratch_.front();
    std::vector<std::uint32_t> slots;
    for (std::uint32_t v = 0; v < num_rows_; ++v) {
      const auto old = graph_.neighbours(v);
      if (removed[v] || std::ranges::none_of(old, [&](std::uint32_t n) { return removed[n]; }))
        continue;
      slots.clear();
      for (const std::uint32_t n : old) {
        if (!removed[n])
          slots.push_back(n);
        else
          std::ranges::copy_if(graph_.neighbours(n), std::back_inserter(slots),
                               [&](std::uint32_t m) { return !removed[m]; });
      }
      mine.candidates.clear();
      add_candidates(v, slots, mine);
      prune(v, options_.max_degree, mine);
      graph_.set(v, mine.chosen);
    }
  }

 private:
  struct Scratch {
    SearchScratch search;
    std::vector<Neighbour> candidates;
    std::vector<Neighbour> late;
    std::vector<std::uint32_t> slots;
    std::vector<float> distances;
    std::vector<std::uint32_t> chosen;
  };

  /// Finds the out-edges of rows [first, end) in the graph as it is, then sets them all.
  Result<void> place(std::size_t first, std::size_t end) {
    std::vector<std::vector<std::uint32_t>> chosen(end - first);
    const auto place_one = [&](std::size_t i, std::size_t worker) -> Result<void> {
      const auto vertex = static_cast<std::uint32_t>(first + i);
      Scratch& mine = scratch_[worker];
      search_graph(distance_, distance_.query(rows_, vertex), rows_, graph_.view(), entry_,
                   {options_.window, options_.window}, true, mine.search, options_.codes);
      mine.candidates.clear();
      for (const Neighbour& met : mine.search.history) mine.candidates.push_back(met);
      add_candidates(vertex, graph_.neighbours(vertex), mine);
      prune(vertex, options_.max_degree, mine);
      chosen[i] = mine.chosen;
      return {};
    };
    EMBD_TRY(parallel_for(end - first, options_.threads, place_one));
    for (std::size_t i = first; i < end; ++i)
      graph_.set(static_cast<std::uint32_t>(i), chosen[i - first]);
    return {};
  }

  /// Gives every new neighbour of rows [first, end) the edge back; a full one is pruned.
  Result<void> link_back(std::size_t first, std::size_t end) {
    std::vector<BackEdge> edges;
    for (std::size_t i = first; i < end; ++i) {
      const auto from = static_cast<std::uint32_t>(i);
      for (const std::uint32_t to : graph_.neighbours(from)) edges.push_back({to, from});
    }
    std::ranges::sort(edges);
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (i == 0 || edges[i].to != edges[i - 1].to) starts.push_back(i);
    }
    const std::size_t num_groups = starts.size();
    starts.push_back(edges.size());
    const auto link_one = [&](std::size_t g, std::size_t worker) -> Result<void> {
      Scratch& mine = scratch_[worker];
      const std::uint32_t vertex = edges[starts[g]].to;
      const auto old = graph_.neighbours(vertex);
      mine.chosen.assign(old.begin(), old.end());
      for (std::size_t i = starts[g]; i < starts[g + 1]; ++i) {
        if (std::ranges::find(mine.chosen, edges[i].from) == mine.chosen.end())
          mine.chosen.push_back(edges[i].from);
      }
      if (mine.chosen.size() > options_.max_degree) {
        mine.candidates.clear();
        const std::vector<std::uint32_t> all = mine.chosen;
        add_candidates(vertex, all, mine);
        prune(vertex, options_.prune_to, mine);
      }
      graph_.set(vertex, mine.chosen);
      return {};
    };
    return parallel_for(num_groups, options_.threads, link_one);
  }

  void add_candidates(std::uint32_t vertex, std::span<const std::uint32_t> slots,
                      Scratch& mine) const {
    mine.distances.resize(slots.size());
    distance_.gather(distance_.query(rows_, vertex), rows_, slots, mine.distances.data());
    for (std::size_t i = 0; i < slots.size(); ++i)
      mine.candidates.push_back({mine.distances[i], slots[i]});
  }

  /// mine.candidates → mine.chosen: the nearest, then each next one that no chosen one makes
  /// superfluous; where places are left, those that are superfluous by alpha 1 only.
  void prune(std::uint32_t vertex, std::size_t most, Scratch& mine) const {
    auto& candidates = mine.candidates;
    std::erase_if(candidates, [&](const Neighbour& c) { return c.slot == vertex; });
    std::ranges::sort(candidates);
    const auto same = std::ranges::unique(candidates, {}, &Neighbour::slot);
    candidates.erase(same.begin(), same.end());
    if (candidates.size() > options_.max_candidates) candidates.resize(options_.max_candidates);
    mine.chosen.clear();
    mine.late.clear();
    choose(candidates, most, &mine.late, mine);
    std::ranges::sort(mine.late);
    choose(mine.late, most, nullptr, mine);
  }

  /// Moves candidates, nearest first, to mine.chosen and drops those that one of them makes
  /// superfluous. Those that only alpha 1 does go to `late`, if there is one.
  void choose(std::vector<Neighbour>& candidates, std::size_t most, std::vector<Neighbour>* late,
              Scratch& mine) const {
    while (!candidates.empty() && mine.chosen.size() < most) {
      const std::uint32_t nearest = candidates.front().slot;
      mine.chosen.push_back(nearest);
      candidates.erase(candidates.begin());
      drop_superfluous(nearest, candidates, late, mine);
      if (late != nullptr) drop_superfluous(nearest, *late, nullptr, mine);
    }
  }

  void drop_superfluous(std::uint32_t chosen, std::vector<Neighbour>& candidates,
                        std::vector<Neighbour>* late, Scratch& mine) const {
    mine.slots.clear();
    for (const Neighbour& c : candidates) mine.slots.push_back(c.slot);
    mine.distances.resize(mine.slots.size());
    distance_.gather(distance_.query(rows_, chosen), rows_, mine.slots, mine.distances.data());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Neighbour candidate = candidates[i];
      if (superfluous(alpha_, mine.distances[i], candidate.distance)) continue;
      if (late != nullptr && superfluous(1, mine.distances[i], candidate.distance)) {
        late->push_back(candidate);
      } else {
        candidates[kept++] = candidate;
      }
    }
    candidates.resize(kept);
  }

  /// A candidate reached better through a chosen neighbour.
  bool superfluous(float alpha, float from_chosen, float from_vertex) const noexcept {
    if (distance_.metric() == Metric::cos || distance_.metric() == Metric::ip) {
      return alpha * (1.0F - from_chosen) >= 1.0F - from_vertex;  // similarities, larger is nearer
    }
    return alpha * from_chosen <= from_vertex;
  }

  Graph& graph_;
  const Distance& distance_;
  const StoredRows& rows_;
  std::size_t num_rows_;
  std::uint32_t entry_;
  const BuildOptions& options_;
  float alpha_ = 1;
  std::vector<Scratch> scratch_;
};

}  // namespace

std::uint32_t medoid(ElementType type, std::size_t dim, const StoredRows& rows,
                     std::size_t num_rows) {
  std::vector<float> row(dim);
  const auto decode = [&](std::size_t i) {
    floats_from_elements(type, {rows.row(i), dim * element_bits(type) / 8}, row);
  };
  std::vector<double> mean(dim);
  for (std::size_t i = 0; i < num_rows; ++i) {
    decode(i);
    std::ranges::transform(mean, row, mean.begin(), std::plus());
  }
  for (double& value : mean) value /= static_cast<double>(num_rows);

  std::uint32_t nearest = 0;
  double nearest_distance = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < num_rows; ++i) {
    decode(i);
    double distance = 0;
    for (std::size_t d = 0; d < dim; ++d) distance += (row[d] - mean[d]) * (row[d] - mean[d]);
    if (distance < nearest_distance) {
      nearest_distance = distance;
      nearest = static_cast<std::uint32_t>(i);
    }
  }
  return nearest;
}

Result<Graph> build_graph(const Distance& distance, const StoredRows& rows, std::size_t num_rows,
                          std::uint32_t entry, const BuildOptions& options, std::stop_token stop) {
  Graph graph(num_rows, options.max_degree);
  Builder builder(graph, distance, rows, entry, options);
  EMBD_TRY(builder.pass(1.0F, 0, false, stop));
  EMBD_TRY(builder.pass(options.alpha, 0, true, stop));
  return graph;
}

Result<void> extend_graph(Graph& graph, const Distance& distance, const StoredRows& rows,
                          std::size_t first, std::uint32_t entry, const BuildOptions& options) {
  return Builder(graph, distance, rows, entry, options).pass(options.alpha, first, false, {});
}

void bypass_removed(Graph& graph, const Distance& distance, const StoredRows& rows,
                    const std::vector<bool>& removed, const BuildOptions& options) {
  Builder(graph, distance, rows, 0, options).bypass(removed);
}

}  // namespace embd::vamana
