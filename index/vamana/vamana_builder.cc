#include "index/vamana/vamana_builder.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/elements.h"
#include "base/parallel.h"
#include "base/try.h"
#include "index/chain.h"
#include "index/spread_links.h"

namespace embd::vamana {
namespace {

/// A batch has at most this part (1 / kBatchShare) of the rows in the graph, because its rows do
/// not find one another.
constexpr std::size_t kBatchShare = 50;
constexpr std::size_t kMaxBatch = 4096;
/// And at most this part of the rows that were inserted before it in this call. In a region of the
/// space that is new to the graph, a row can find only these.
constexpr std::size_t kNewShare = 4;
/// The number of nearest rows that are checked for the position of the new row.
constexpr std::size_t kLikely = 4;

/// The smallest number of tasks for which other threads are used. On a busy machine, waking them
/// takes as long as fewer tasks.
constexpr std::size_t kMinTasks = 64;

/// An edge to be added: from `to` to `from`.
struct BackEdge {
  std::uint32_t to;
  std::uint32_t from;
  auto operator<=>(const BackEdge&) const = default;
};

/// Says if a candidate is superfluous, because it is reached better through a link, see
/// BuildOptions::alpha.
struct Superfluous {
  /// Under the cosine, the link must also be this many times nearer. The reason: between rows at
  /// about right angles, alpha times the similarity says nothing. A row in a cluster as large as
  /// its list would have no link to another cluster.
  static constexpr float kSlack = 1.2F;
  Metric metric;
  float alpha;

  bool at_all(float from_link, float from_row) const noexcept {
    return metric == Metric::l2sq ? from_link < from_row : 1 - from_link > 1 - from_row;
  }
  bool by_far(float from_link, float from_row) const noexcept {
    if (metric == Metric::l2sq) return alpha * from_link < from_row;
    const bool is_by_similarity = alpha * (1 - from_link) > 1 - from_row;
    return is_by_similarity && (metric == Metric::ip || kSlack * from_link < from_row);
  }
  bool is_settled(float from_link, float from_row) const noexcept {
    return by_far(from_link, from_row) && at_all(from_link, from_row);
  }
};

class Builder {
 public:
  Builder(Graph& graph, const GraphRows& rows, std::uint32_t entry, const BuildOptions& options)
      : graph_(graph),
        rows_(rows.space),
        codes_(rows.codes),
        num_rows_(graph.view().num_vertices),
        positions_(rows.space.distance, rows.space.rows),
        entry_(entry),
        options_(options),
        scratch_(static_cast<std::size_t>(options.threads)) {}

  /// Finds the leaders of the rows from `first` on, which place_leaders() inserts. The entry point
  /// is a leader.
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

  /// Inserts the leaders in batches. Batches grow with the number of rows that they can link to:
  /// `placed` rows and those of earlier batches.
  Result<void> place_leaders(std::size_t placed, const std::stop_token& stop) {
    std::span<const std::uint32_t> left = leaders_;
    std::size_t inserted = 0;
    while (!left.empty()) {
      if (stop.stop_requested()) return fail_stopped();
      const std::size_t share = std::min((placed + inserted) / kBatchShare, inserted / kNewShare);
      const auto batch =
          left.first(std::min(left.size(), std::clamp<std::size_t>(share, 1, kMaxBatch)));
      EMBD_TRY(place(batch));
      EMBD_TRY(link_back(batch));
      inserted += batch.size();
      left = left.subspan(batch.size());
    }
    std::ranges::sort(found_, {}, &Follower::slot);
    return {};
  }

  /// Adds followers to the chains of their leaders, first those that found their leaders in the
  /// graph, because others may follow them.
  void hang_followers() {
    std::ranges::sort(followers_, {}, &Follower::slot);
    for (const auto* followers : {&found_, &followers_}) {
      for (const Follower& follower : *followers) {
        hang_on_chain(Edges(&graph_), follower.slot, follower.leader);
      }
    }
  }

  void bypass(const std::vector<bool>& removed) {
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
      if (graph_.is_follower(v)) {  // Without the link that it had taken over from its leader.
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
    std::vector<std::uint32_t> slots;
    std::vector<float> distances;
    std::vector<std::uint32_t> chosen;
    LinkScratch links;
  };

  /// Finds the edges of a batch's rows in the graph as it is, then sets them all. A row at the
  /// position of a row in the graph becomes its follower.
  Result<void> place(std::span<const std::uint32_t> batch) {
    std::vector<std::vector<std::uint32_t>> chosen(batch.size());
    std::vector<std::uint32_t> leaders(batch.begin(), batch.end());
    const auto place_one = [&](std::size_t i, std::size_t worker) -> Result<void> {
      const std::uint32_t vertex = batch[i];
      Scratch& mine = scratch_[worker];
      search(vertex, mine);
      if (vertex != entry_) {
        leaders[i] = leader_of(vertex, mine.search.buffer.slots());
        if (leaders[i] != vertex) return {};
      }
      // The entry point has edges from the start.
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

  /// Searches for `vertex` and leaves the rows that it met in mine.candidates.
  void search(std::uint32_t vertex, Scratch& mine) const {
    const Window window = {options_.window, options_.window};
    mine.candidates.clear();
    if (codes_ == nullptr) {
      search_graph<Purpose::links>(rows_, rows_.query(vertex), graph_.view(), entry_, window,
                                   mine.search);
      mine.candidates = mine.search.history;
      return;
    }
    search_graph<Purpose::links>(*codes_, codes_->query(vertex), graph_.view(), entry_, window,
                                 mine.search);
    mine.slots.clear();
    for (const Neighbour& met : mine.search.history) mine.slots.push_back(met.slot);
    add_candidates(vertex, mine.slots, mine);
  }

  int threads_for(std::size_t count) const noexcept {
    return count < kMinTasks ? 1 : options_.threads;
  }

  /// Returns the leader of the position of `vertex`: one of the nearest rows, or `vertex` itself.
  std::uint32_t leader_of(std::uint32_t vertex, std::span<const std::uint32_t> nearest) const {
    for (const std::uint32_t slot : nearest.first(std::min(kLikely, nearest.size()))) {
      if (slot != vertex && positions_.same(vertex, slot)) return slot;
    }
    return vertex;
  }

  /// Adds the reverse of every edge of the batch's rows. A full vertex is pruned.
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
    rows_.gather(rows_.query(vertex), slots, mine.distances.data());
    for (std::size_t i = 0; i < slots.size(); ++i)
      mine.candidates.push_back({mine.distances[i], slots[i]});
  }

  /// Chooses edges from mine.candidates by spread_links() and leaves them in mine.chosen.
  /// `follower`, the beginning of the vertex's chain, is always kept and makes no candidate
  /// superfluous.
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
    if (follower) mine.chosen.push_back(*follower);
    const Superfluous superfluous = {rows_.distance.metric(), options_.alpha};
    for (const Neighbour& link :
         spread_links(rows_, candidates, most - mine.chosen.size(), superfluous, mine.links)) {
      mine.chosen.push_back(link.slot);
    }
  }

  Graph& graph_;
  const RowSpace& rows_;
  const Codes* codes_;
  std::size_t num_rows_;
  Positions positions_;
  std::uint32_t entry_;
  const BuildOptions& options_;
  std::vector<std::uint32_t> leaders_;
  std::vector<Follower> followers_;
  std::vector<Follower> found_;  // Followers of rows that were in the graph before.
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
    const std::pair found = {!suits(i), distance};  // Rows that suit come first.
    if (found < least) {
      least = found;
      nearest = static_cast<std::uint32_t>(i);
    }
  }
  return nearest;
}

Result<Graph> build_graph(const GraphRows& rows, std::size_t num_rows, std::uint32_t entry,
                          const BuildOptions& options, const std::stop_token& stop) {
  Graph graph(num_rows, options.max_degree);
  EMBD_TRY(extend_graph(graph, rows, 0, entry, options, stop));
  connect(graph, rows.space, entry, std::vector<bool>(num_rows), options);
  return graph;
}

Result<void> extend_graph(Graph& graph, const GraphRows& rows, std::size_t first,
                          std::uint32_t entry, const BuildOptions& options,
                          const std::stop_token& stop) {
  Builder builder(graph, rows, entry, options);
  EMBD_TRY(builder.find_leaders(static_cast<std::uint32_t>(first)));
  EMBD_TRY(builder.place_leaders(first, stop));
  builder.hang_followers();
  return {};
}

void bypass_removed(Graph& graph, const RowSpace& rows, const std::vector<bool>& removed,
                    const BuildOptions& options) {
  Builder(graph, {rows}, 0, options).bypass(removed);
}

void connect(Graph& graph, const RowSpace& rows, std::uint32_t entry,
             const std::vector<bool>& left_out, const BuildOptions& options) {
  SearchScratch scratch;
  const auto nearest = [&](std::uint32_t slot,
                           const auto& accepts) -> std::optional<std::uint32_t> {
    search_graph<Purpose::links>(rows, rows.query(slot), graph.view(), entry,
                                 {options.window, options.window}, scratch);
    const auto found = scratch.buffer.slots();
    const auto host = std::ranges::find_if(found, accepts);
    return host == found.end() ? std::nullopt : std::optional(*host);
  };
  embd::connect(Edges(&graph), entry, left_out, nearest);
}

}  // namespace embd::vamana
