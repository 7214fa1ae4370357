#include "index/vamana/vamana_builder.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "base/elements.h"
#include "base/parallel.h"
#include "base/try.h"
#include "index/chain.h"

namespace embd::vamana {
namespace {

/// A batch is at most this share of what is in the graph already: rows of one batch do not see each
/// other.
constexpr std::size_t kBatchShare = 50;
constexpr std::size_t kMaxBatch = 4096;
/// And this share of what was placed with it before: in a part of the space that is new to the
/// graph these are all that a row can find.
constexpr std::size_t kNewShare = 4;
/// Of the nearest rows found, those that are looked at for one at the position of the new one.
constexpr std::size_t kLikely = 4;

/// Fewer tasks than this are not worth waking other threads for: on a busy machine that takes as
/// long as they do.
constexpr std::size_t kMinTasks = 64;

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
        positions_(distance, rows),
        entry_(entry),
        options_(options),
        scratch_(static_cast<std::size_t>(options.threads)) {}

  /// Finds the leaders of rows [first, all), which the passes are over. The entry is one.
  Result<void> find_leaders(std::uint32_t first) {
    std::vector<std::uint32_t> slots(num_rows_ - first);
    std::iota(slots.begin(), slots.end(), first);
    if (entry_ >= first) std::swap(slots.front(), slots[entry_ - first]);
    const std::vector<std::uint32_t> leaders =
        EMBD_TRY(positions_.leaders(slots, options_.threads));
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (leaders[i] == slots[i]) {
        leaders_.push_back(slots[i]);
      } else {
        followers_.push_back({slots[i], leaders[i]});
      }
    }
    leaders_ = shuffled(leaders_);
    return {};
  }

  /// Places the leaders in batches that grow with the `placed` rows they can link to.
  Result<void> pass(float alpha, std::size_t placed, bool is_second, const std::stop_token& stop) {
    alpha_ = alpha;
    if (is_second) {
      std::erase_if(leaders_, [&](std::uint32_t slot) {
        return std::ranges::binary_search(found_, slot, {}, &Follower::slot);
      });
    }
    std::span<const std::uint32_t> left = leaders_;
    std::size_t inserted = 0;
    while (!left.empty()) {
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the build was stopped");
      const std::size_t share =
          is_second ? leaders_.size() / kBatchShare
                    : std::min((placed + inserted) / kBatchShare, inserted / kNewShare);
      const auto batch =
          left.first(std::min(left.size(), std::clamp<std::size_t>(share, 1, kMaxBatch)));
      EMBD_TRY(place(batch, !is_second));
      EMBD_TRY(link_back(batch));
      inserted += batch.size();
      left = left.subspan(batch.size());
    }
    if (!is_second) std::ranges::sort(found_, {}, &Follower::slot);
    return {};
  }

  /// First those that found their leaders in the graph, as others may follow them.
  void hang_followers() {
    std::ranges::sort(followers_, {}, &Follower::slot);
    for (const auto* followers : {&found_, &followers_}) {
      for (const Follower& follower : *followers) {
        hang_on_chain(Edges(&graph_), follower.slot, follower.leader);
      }
    }
  }

  void bypass(const std::vector<bool>& removed) {
    alpha_ = options_.alpha;
    const Edges edges(&graph_);
    graph_.exchange(successions(edges, removed));
    Scratch& mine = scratch_.front();
    VisitedSet visited;
    visited.prepare(num_rows_);
    std::vector<std::uint32_t> slots;
    for (std::uint32_t v = 0; v < num_rows_; ++v) {
      if (removed[v]) continue;
      if (!graph_.is_follower(v)) thin_chain(edges, v, removed);
      const auto old = graph_.neighbours(v);
      if (std::ranges::none_of(old, [&](std::uint32_t n) { return removed[n]; })) continue;
      if (graph_.is_follower(v)) {  // what it took from its leader
        graph_.set(v, std::vector(old.begin(), old.begin() + 1));
        continue;
      }
      links_around(edges, v, removed, options_.max_degree, visited, slots);
      mine.candidates.clear();
      add_candidates(v, slots, mine);
      prune(v, next_of_chain(edges, v), options_.max_degree, mine);
      graph_.set(v, mine.chosen);
    }
  }

 private:
  struct Follower {
    std::uint32_t slot;
    std::uint32_t leader;
  };
  struct Scratch {
    SearchScratch search;
    std::vector<Neighbour> candidates;
    std::vector<Neighbour> late;
    std::vector<std::uint32_t> slots;
    std::vector<float> distances;
    std::vector<std::uint32_t> chosen;
  };

  /// Finds the out-edges of the rows of a batch in the graph as it is, then sets them all. A row at
  /// the position of one that is in the graph becomes its follower, if `may_follow`.
  Result<void> place(std::span<const std::uint32_t> batch, bool may_follow) {
    std::vector<std::vector<std::uint32_t>> chosen(batch.size());
    std::vector<std::uint32_t> leaders(batch.begin(), batch.end());
    const auto place_one = [&](std::size_t i, std::size_t worker) -> Result<void> {
      const std::uint32_t vertex = batch[i];
      Scratch& mine = scratch_[worker];
      search_graph(distance_, distance_.query(rows_, vertex), rows_, graph_.view(), entry_,
                   {options_.window, options_.window}, Purpose::links, mine.search, options_.codes);
      if (may_follow && vertex != entry_) {
        leaders[i] = leader_of(vertex, mine.search.buffer.entries());
        if (leaders[i] != vertex) return {};
      }
      mine.candidates.clear();
      for (const Neighbour& met : mine.search.history) mine.candidates.push_back(met);
      add_candidates(vertex, graph_.neighbours(vertex), mine);
      prune(vertex, next_of_chain(Edges(&graph_), vertex), options_.max_degree, mine);
      chosen[i] = mine.chosen;
      return {};
    };
    EMBD_TRY(parallel_for(batch.size(), threads_for(batch.size()), place_one));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      graph_.set(batch[i], chosen[i]);
      if (leaders[i] != batch[i]) found_.push_back({batch[i], leaders[i]});
    }
    return {};
  }

  int threads_for(std::size_t count) const noexcept {
    return count < kMinTasks ? 1 : options_.threads;
  }

  /// The row itself, if none of the nearest found is at its position.
  std::uint32_t leader_of(std::uint32_t vertex,
                          std::span<const SearchBuffer::Entry> nearest) const {
    for (const SearchBuffer::Entry& entry : nearest.first(std::min(kLikely, nearest.size()))) {
      if (entry.slot != vertex && positions_.same(vertex, entry.slot)) return entry.slot;
    }
    return vertex;
  }

  /// Gives every new neighbour of a batch's rows the edge back; a full one is pruned.
  Result<void> link_back(std::span<const std::uint32_t> batch) {
    std::vector<BackEdge> edges;
    for (const std::uint32_t from : batch) {
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
        prune(vertex, next_of_chain(Edges(&graph_), vertex), options_.prune_to, mine);
      }
      graph_.set(vertex, mine.chosen);
      return {};
    };
    return parallel_for(num_groups, threads_for(num_groups), link_one);
  }

  void add_candidates(std::uint32_t vertex, std::span<const std::uint32_t> slots,
                      Scratch& mine) const {
    mine.distances.resize(slots.size());
    distance_.gather(distance_.query(rows_, vertex), rows_, slots, mine.distances.data());
    for (std::size_t i = 0; i < slots.size(); ++i)
      mine.candidates.push_back({mine.distances[i], slots[i]});
  }

  /// mine.candidates → mine.chosen: the nearest, then each next one that no chosen one makes
  /// superfluous; where places are left, those that are superfluous by alpha 1 only. `follower`,
  /// where the vertex' chain begins, is kept whatever the others are, and makes none superfluous.
  void prune(std::uint32_t vertex, std::optional<std::uint32_t> follower, std::size_t most,
             Scratch& mine) const {
    auto& candidates = mine.candidates;
    std::erase_if(candidates,
                  [&](const Neighbour& c) { return c.slot == vertex || c.slot == follower; });
    std::ranges::sort(candidates);
    const auto same = std::ranges::unique(candidates, {}, &Neighbour::slot);
    candidates.erase(same.begin(), same.end());
    if (candidates.size() > options_.max_candidates) candidates.resize(options_.max_candidates);
    mine.chosen.clear();
    mine.late.clear();
    if (follower) --most;
    choose(candidates, most, &mine.late, mine);
    std::ranges::sort(mine.late);
    choose(mine.late, most, nullptr, mine);
    if (follower) mine.chosen.insert(mine.chosen.begin(), *follower);
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
      return alpha * (1.0F - from_chosen) > 1.0F - from_vertex;  // similarities, larger is nearer
    }
    return alpha * from_chosen < from_vertex;
  }

  Graph& graph_;
  const Distance& distance_;
  const StoredRows& rows_;
  std::size_t num_rows_;
  Positions positions_;
  std::uint32_t entry_;
  const BuildOptions& options_;
  std::vector<std::uint32_t> leaders_;
  std::vector<Follower> followers_;
  std::vector<Follower> found_;  // of rows that were in the graph before
  float alpha_ = 1;
  std::vector<Scratch> scratch_;
};

}  // namespace

std::uint32_t medoid(ElementType type, std::size_t dim, const StoredRows& rows,
                     std::size_t num_rows, const std::function<bool(std::size_t)>& suits) {
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
  std::pair least = {true, std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < num_rows; ++i) {
    decode(i);
    double distance = 0;
    for (std::size_t d = 0; d < dim; ++d) distance += (row[d] - mean[d]) * (row[d] - mean[d]);
    const std::pair found = {!suits(i), distance};  // those that suit come first
    if (found < least) {
      least = found;
      nearest = static_cast<std::uint32_t>(i);
    }
  }
  return nearest;
}

Result<Graph> build_graph(const Distance& distance, const StoredRows& rows, std::size_t num_rows,
                          std::uint32_t entry, const BuildOptions& options,
                          const std::stop_token& stop) {
  Graph graph(num_rows, options.max_degree);
  Builder builder(graph, distance, rows, entry, options);
  EMBD_TRY(builder.find_leaders(0));
  EMBD_TRY(builder.pass(1.0F, 0, false, stop));
  EMBD_TRY(builder.pass(options.alpha, 0, true, stop));
  builder.hang_followers();
  connect(graph, distance, rows, entry, std::vector<bool>(num_rows), options);
  return graph;
}

Result<void> extend_graph(Graph& graph, const Distance& distance, const StoredRows& rows,
                          std::size_t first, std::uint32_t entry, const BuildOptions& options) {
  Builder builder(graph, distance, rows, entry, options);
  EMBD_TRY(builder.find_leaders(static_cast<std::uint32_t>(first)));
  EMBD_TRY(builder.pass(options.alpha, first, false, {}));
  builder.hang_followers();
  return {};
}

void bypass_removed(Graph& graph, const Distance& distance, const StoredRows& rows,
                    const std::vector<bool>& removed, const BuildOptions& options) {
  Builder(graph, distance, rows, 0, options).bypass(removed);
}

void connect(Graph& graph, const Distance& distance, const StoredRows& rows, std::uint32_t entry,
             const std::vector<bool>& left_out, const BuildOptions& options) {
  SearchScratch scratch;
  const auto nearest = [&](std::uint32_t slot,
                           const auto& accepts) -> std::optional<std::uint32_t> {
    search_graph(distance, distance.query(rows, slot), rows, graph.view(), entry,
                 {options.window, options.window}, Purpose::links, scratch, options.codes);
    const auto found = scratch.buffer.entries();
    const auto host = std::ranges::find_if(found, accepts, &SearchBuffer::Entry::slot);
    return host == found.end() ? std::nullopt : std::optional(host->slot);
  };
  embd::connect(Edges(&graph), entry, left_out, nearest);
}

}  // namespace embd::vamana
