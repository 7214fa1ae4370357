#include "index/hnsw/builders.h"

#include <array>
#include <optional>

#include "base/parallel.h"
#include "base/try.h"
#include "index/chain.h"
#include "index/positions.h"

namespace embd::hnsw {
namespace {

/// A batch has at most this part (1 / kBatchShare) of the nodes in the graph, because its rows do
/// not find one another.
constexpr std::size_t kBatchShare = 25;
/// And at most this part of the rows that were inserted before it in this call. In a region of the
/// space that is new to the graph, a row can find only these.
constexpr std::size_t kNewShare = 4;
constexpr std::size_t kMaxBatch = 2048;

/// Says if a candidate is superfluous: it is nearer to a link than to the node. It is superfluous
/// by far if it is kSlack times nearer. If ratios of distances have no meaning, none is superfluous
/// by far.
struct Superfluous {
  static constexpr float kSlack = 1.2F;
  bool has_ratios;

  bool at_all(float from_link, float from_node) const noexcept { return from_link < from_node; }
  bool by_far(float from_link, float from_node) const noexcept {
    return has_ratios && kSlack * from_link < from_node;
  }
  bool is_settled(float from_link, float from_node) const noexcept {
    return has_ratios ? by_far(from_link, from_node) : at_all(from_link, from_node);
  }
};

/// A node gets at least this part of the links that it may have, if it has as many candidates.
/// Otherwise, a row much longer than others could have short rows as candidates, of which one makes
/// all others superfluous. The node would then have one link, and hardly any node would link to it.
constexpr std::size_t kLeastShare = 4;

/// The number of nearest rows that are checked for the position of the new row. More than one,
/// because codes order rows that are so near each other only by chance.
constexpr std::size_t kLikely = 4;

/// A link that `target` gets on `level`. Sorted by target, then by the order of the batch.
struct BackLink {
  std::uint32_t target;
  std::int32_t level;
  std::uint32_t order;
  std::uint32_t source;
  float distance;
};

/// The links that a new node chose on one level.
struct Choice {
  int level;
  std::vector<Neighbour> links;
};

/// The smallest number of tasks for which other threads are used. On a busy machine, waking them
/// takes as long as fewer tasks.
constexpr std::size_t kMinTasks = 64;

template <SpaceOfRows Space>
class BatchBuilder {
 public:
  BatchBuilder(Graph& graph, const RowSpace& rows, const Space& space, const BuildOptions& options)
      : graph_(graph),
        positions_(rows.distance, rows.rows),
        space_(space),
        expansion_(options.expansion),
        threads_(options.threads),
        scratch_(static_cast<std::size_t>(options.threads)) {
    for (Scratch& scratch : scratch_) scratch.visited.prepare(graph.size());
  }

  Result<void> insert_all(std::span<const std::uint32_t> slots, const std::stop_token& stop) {
    const std::vector<std::uint32_t> leaders = EMBD_TRY(positions_.leaders(slots, threads_));
    std::vector<std::uint32_t> first;
    std::vector<Follower> others;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (leaders[i] == slots[i]) {
        first.push_back(slots[i]);
      } else {
        others.push_back({slots[i], leaders[i]});
      }
    }
    EMBD_TRY(insert_leaders(shuffled(first), graph_.size() - slots.size(), stop));
    // First the followers that found their leaders in the graph, because others may follow them.
    hang(followers_);
    hang(others);
    return {};
  }

  Result<void> bypass(const std::vector<bool>& gone) {
    const Links links(&graph_);
    graph_.exchange(successions(links, gone));
    for (std::uint32_t slot = 0; slot < graph_.size(); ++slot) {
      if (!gone[slot] && !graph_.is_follower(slot)) thin_chain(links, slot, gone);
    }
    EMBD_TRY(each(graph_.size(), [&](std::size_t slot, Scratch& scratch) {
      for (int level = 0; level <= graph_.level(static_cast<std::uint32_t>(slot)); ++level) {
        bypass(static_cast<std::uint32_t>(slot), level, gone, scratch);
      }
    }));
    for (std::uint32_t slot = 0; slot < graph_.size(); ++slot) {
      if (!gone[slot]) continue;
      for (int level = 0; level <= graph_.level(slot); ++level) graph_.set_links(slot, level, {});
      graph_.set_follower(slot, false);
    }
    if (graph_.max_level() >= 0 && gone[graph_.entry()]) choose_entry(gone);
    return {};
  }

 private:
  struct Follower {
    std::uint32_t slot;
    std::uint32_t leader;
  };

  void hang(std::vector<Follower>& followers) {
    std::ranges::sort(followers, {}, &Follower::slot);
    for (const Follower& follower : followers) {
      graph_.lower(follower.slot, 0);
      hang_on_chain(Links(&graph_), follower.slot, follower.leader);
    }
  }

  Result<void> insert_leaders(const std::vector<std::uint32_t>& leaders, std::size_t linked,
                              const std::stop_token& stop) {
    std::span<const std::uint32_t> slots = leaders;
    while (!slots.empty()) {
      if (stop.stop_requested()) return fail_stopped();
      const auto batch = slots.first(batch_size(slots, linked, leaders.size() - slots.size()));
      EMBD_TRY(insert(batch));
      linked += batch.size();
      slots = slots.subspan(batch.size());
    }
    return {};
  }

  /// Returns the size of the next batch. A node with a new highest level ends its batch, because it
  /// becomes the entry point for the next.
  std::size_t batch_size(std::span<const std::uint32_t> slots, std::size_t linked,
                         std::size_t inserted) const noexcept {
    const std::size_t share = std::min(linked / kBatchShare, inserted / kNewShare);
    const std::size_t size = std::min({std::max<std::size_t>(1, share), kMaxBatch, slots.size()});
    for (std::size_t i = 0; i < size; ++i) {
      if (graph_.level(slots[i]) > graph_.max_level()) return i + 1;
    }
    return size;
  }

  /// Calls body(i, scratch) for each i < count.
  template <class Body>
  Result<void> each(std::size_t count, const Body& body) {
    const int threads = count < kMinTasks ? 1 : threads_;
    return parallel_for(count, threads, [&](std::size_t i, std::size_t worker) -> Result<void> {
      body(i, scratch_[worker]);
      return {};
    });
  }

  Result<void> insert(std::span<const std::uint32_t> batch) {
    leaders_.assign(batch.begin(), batch.end());
    if (graph_.max_level() >= 0) {
      choices_.resize(std::max(choices_.size(), batch.size()));
      EMBD_TRY(each(batch.size(), [&](std::size_t i, Scratch& scratch) {
        leaders_[i] = find_links(batch[i], choices_[i], scratch);
      }));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (leaders_[i] != batch[i]) followers_.push_back({batch[i], leaders_[i]});
        for (const Choice& choice : choices_[i]) {
          set_links(batch[i], choice.level, {}, choice.links, scratch_.front());
        }
      }
      EMBD_TRY(link_back(batch));
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const int level = graph_.level(batch[i]);
      if (leaders_[i] == batch[i] && level > graph_.max_level()) graph_.set_entry(batch[i], level);
    }
    return {};
  }

  /// Returns the leader of the row's position. If that is a row that was in the graph before, the
  /// new row gets no links here.
  std::uint32_t find_links(std::uint32_t slot, std::vector<Choice>& choices,
                           Scratch& scratch) const {
    choices.clear();
    const int level = graph_.level(slot);
    const auto query = space_.query(slot);
    const Walk walk{graph_, space_, query, scratch};
    Neighbour closest = {distance_to(space_, query, graph_.entry()), graph_.entry()};
    closest = descend(walk, closest, graph_.max_level(), level);
    for (int l = std::min(level, graph_.max_level()); l >= 0; --l) {
      explore<Followers::are_left_out>(walk, closest, l, expansion_,
                                       [slot](std::uint32_t other) { return other != slot; });
      if (l == 0) {
        for (std::size_t i = 0; i < std::min(kLikely, scratch.top.size()); ++i) {
          if (!positions_.same(slot, scratch.top[i].slot)) continue;
          choices.clear();
          return scratch.top[i].slot;
        }
      }
      const auto chosen = choose(scratch.top, own_links(l), scratch);
      choices.push_back({l, {chosen.begin(), chosen.end()}});
      if (!chosen.empty()) closest = chosen.front();
    }
    return slot;
  }

  /// Returns the number of links that a new node chooses. The other places are for nodes that
  /// choose it.
  std::size_t own_links(int level) const noexcept {
    return level == 0 ? std::max(graph_.connectivity(), graph_.capacity(0) / 4 * 3)
                      : graph_.connectivity();
  }

  /// Chooses links from `candidates`, which are sorted by distance.
  std::span<const Neighbour> choose(std::span<const Neighbour> candidates, std::size_t limit,
                                    Scratch& scratch) const {
    if (candidates.size() < limit) return candidates;
    spread_links(space_, candidates, limit, Superfluous{space_.has_ratios()}, scratch.spread);
    std::vector<Neighbour>& links = scratch.spread.links;
    for (const Neighbour& candidate : candidates) {
      if (links.size() >= limit / kLeastShare) break;
      const bool is_linked =
          std::ranges::find(links, candidate.slot, &Neighbour::slot) != links.end();
      if (!is_linked) links.push_back(candidate);
    }
    return links;
  }

  /// Sets the links of a node. `follower` is the first follower of its chain, if it has one.
  void set_links(std::uint32_t slot, int level, std::optional<std::uint32_t> follower,
                 std::span<const Neighbour> links, Scratch& scratch) {
    scratch.slots.clear();
    if (follower) scratch.slots.push_back(*follower);
    for (const Neighbour& link : links) scratch.slots.push_back(link.slot);
    graph_.set_links(slot, level, scratch.slots);
  }

  Result<void> link_back(std::span<const std::uint32_t> batch) {
    back_links_.clear();
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      for (const Choice& choice : choices_[i]) {
        for (const Neighbour& link : choice.links) {
          back_links_.push_back({link.slot, choice.level, i, batch[i], link.distance});
        }
      }
    }
    sort_back_links();
    introduce_mates(batch);
    groups_.clear();
    for (std::size_t i = 0; i < back_links_.size(); ++i) {
      if (i == 0 || back_links_[i].target != back_links_[i - 1].target ||
          back_links_[i].level != back_links_[i - 1].level) {
        groups_.push_back(i);
      }
    }
    groups_.push_back(back_links_.size());
    return each(groups_.size() - 1, [&](std::size_t g, Scratch& scratch) {
      take_links(std::span(back_links_).subspan(groups_[g], groups_[g + 1] - groups_[g]), scratch);
    });
  }

  void sort_back_links() {
    std::ranges::sort(back_links_, {}, [](const BackLink& link) {
      return std::tuple(link.target, link.level, link.order);
    });
  }

  /// Links rows of a batch that are nearer to each other than to all rows that they found. Such
  /// rows chose the same neighbours. So they are looked for among the next few rows, in the order
  /// of their distances to a common neighbour.
  void introduce_mates(std::span<const std::uint32_t> batch) {
    constexpr std::size_t kNext = 2;
    mates_.assign(batch.size(), {std::numeric_limits<float>::infinity(), 0});
    std::vector<BackLink> group;
    std::vector<std::uint32_t> next;
    std::array<float, kNext> distances;
    const auto is_same_target = [](const BackLink& a, const BackLink& b) {
      return a.target == b.target && a.level == b.level;
    };
    for (auto first = back_links_.begin(); first != back_links_.end();) {
      const auto end = std::find_if_not(first, back_links_.end(), [&](const BackLink& link) {
        return is_same_target(*first, link);
      });
      if (first->level == 0 && end - first > 1) {
        group.assign(first, end);
        std::ranges::sort(
            group, {}, [](const BackLink& link) { return std::pair(link.distance, link.order); });
        for (std::size_t i = 0; i + 1 < group.size(); ++i) {
          next.clear();
          for (std::size_t j = i + 1; j < std::min(group.size(), i + 1 + kNext); ++j) {
            next.push_back(group[j].source);
          }
          space_.gather(space_.query(group[i].source), next, distances.data());
          for (std::size_t j = 0; j < next.size(); ++j) {
            meet(group[i].order, group[i + 1 + j].order, distances[j]);
            meet(group[i + 1 + j].order, group[i].order, distances[j]);
          }
        }
      }
      first = end;
    }
    const std::size_t num_links = back_links_.size();
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto& [distance, mate] = mates_[i];
      if (choices_[i].empty() || choices_[i].back().links.empty() ||
          !(distance < choices_[i].back().links.front().distance)) {
        continue;
      }
      back_links_.push_back({batch[mate], 0, i, batch[i], distance});
      back_links_.push_back({batch[i], 0, mate, batch[mate], distance});
    }
    if (back_links_.size() > num_links) sort_back_links();
  }

  void meet(std::uint32_t order, std::uint32_t mate, float distance) {
    mates_[order] = std::min(mates_[order], Neighbour{distance, mate});
  }

  /// Gives a node its new links on one level. If there are too many, it chooses among all of its
  /// links.
  void take_links(std::span<const BackLink> back_links, Scratch& scratch) {
    const std::uint32_t target = back_links.front().target;
    const int level = back_links.front().level;
    const std::span<const std::uint32_t> links = graph_.links(target, level);
    const std::optional<std::uint32_t> follower = follower_of(target, level);
    std::vector<Neighbour>& candidates = scratch.top;
    candidates.clear();
    for (const BackLink& link : back_links) {
      // True if both nodes chose each other.
      const bool is_known = std::ranges::find(links, link.source) != links.end() ||
                            (!candidates.empty() && candidates.back().slot == link.source);
      if (!is_known) candidates.push_back({link.distance, link.source});
    }
    if (links.size() + candidates.size() <= graph_.capacity(level)) {
      std::uint32_t* list = graph_.list(target, level);
      for (const Neighbour& candidate : candidates) list[1 + list[0]++] = candidate.slot;
      return;
    }
    scratch.distances.resize(std::max(scratch.distances.size(), links.size()));
    space_.gather(space_.query(target), links, scratch.distances.data());
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i] != follower) candidates.push_back({scratch.distances[i], links[i]});
    }
    choose_all(target, level, follower, scratch);
  }

  /// Chooses the links of a node from scratch.top, in addition to the link to its follower, if it
  /// has one.
  void choose_all(std::uint32_t slot, int level, std::optional<std::uint32_t> follower,
                  Scratch& scratch) {
    std::ranges::sort(scratch.top);
    const std::size_t limit = graph_.capacity(level) - (follower ? 1 : 0);
    set_links(slot, level, follower, choose(scratch.top, limit, scratch), scratch);
  }

  std::optional<std::uint32_t> follower_of(std::uint32_t leader, int level) const {
    return level == 0 ? next_of_chain(Links(&graph_), leader) : std::nullopt;
  }

  /// Makes the first node of the highest level that is not gone the entry point, if there is one.
  void choose_entry(const std::vector<bool>& gone) {
    graph_.set_entry(graph_.entry(), -1);
    for (std::uint32_t slot = 0; slot < graph_.size(); ++slot) {
      if (!gone[slot] && graph_.level(slot) > graph_.max_level()) {
        graph_.set_entry(slot, graph_.level(slot));
      }
    }
    for (std::uint32_t slot = 0; slot < graph_.size() && graph_.max_level() >= 0; ++slot) {
      graph_.lower(slot, graph_.max_level());
    }
  }

  /// Replaces the links of a node to gone nodes on one level.
  void bypass(std::uint32_t slot, int level, const std::vector<bool>& gone, Scratch& scratch) {
    const Links all(&graph_, level);
    const auto links = all.of(slot);
    if (gone[slot] || std::ranges::none_of(links, [&](std::uint32_t s) { return gone[s]; })) return;
    if (graph_.is_follower(slot)) {  // Without the link taken over from its leader.
      graph_.set_links(slot, level, std::vector(links.begin(), links.begin() + 1));
      return;
    }
    links_around(all, slot, gone, all.capacity(), scratch.visited, scratch.slots);
    scratch.distances.resize(std::max(scratch.distances.size(), scratch.slots.size()));
    space_.gather(space_.query(slot), scratch.slots, scratch.distances.data());
    scratch.top.clear();
    for (std::size_t i = 0; i < scratch.slots.size(); ++i) {
      scratch.top.push_back({scratch.distances[i], scratch.slots[i]});
    }
    choose_all(slot, level, follower_of(slot, level), scratch);
  }

  Graph& graph_;
  Positions positions_;
  const Space& space_;
  std::uint32_t expansion_;
  int threads_;
  std::vector<Scratch> scratch_;
  std::vector<std::vector<Choice>> choices_;
  std::vector<std::uint32_t> leaders_;  // The leader of each row of the batch.
  std::vector<Follower> followers_;
  // For each row of the batch, the nearest other row of the batch that it met.
  std::vector<Neighbour> mates_;
  std::vector<BackLink> back_links_;
  std::vector<std::size_t> groups_;
};

/// Adds `source`, with its distance from `target`, to the links of `target`. If the list is full,
/// the links are chosen anew.
void link_back(Graph& graph, const RowSpace& space, std::uint32_t target, Neighbour source,
               int level, Scratch& scratch) {
  std::uint32_t* list = graph.list(target, level);
  const std::span<const std::uint32_t> links = graph.links(target, level);
  if (std::ranges::find(links, source.slot) != links.end()) return;
  if (links.size() < graph.capacity(level)) {
    list[1 + list[0]++] = source.slot;
    return;
  }
  scratch.distances.resize(std::max(scratch.distances.size(), links.size()));
  space.gather(space.query(target), links, scratch.distances.data());
  std::vector<Neighbour>& candidates = scratch.top;
  candidates.clear();
  candidates.push_back(source);
  for (std::size_t i = 0; i < links.size(); ++i) {
    insert_sorted(candidates, {scratch.distances[i], links[i]}, links.size() + 1);
  }
  choose_links(space, candidates, graph.capacity(level), scratch);
  graph.set_links(target, level, scratch.chosen);
}

}  // namespace

Result<void> insert_in_batches(Graph& graph, const RowSpace& space,
                               std::span<const std::uint32_t> slots, const BuildOptions& options,
                               const std::stop_token& stop) {
  return BatchBuilder(graph, space, space, options).insert_all(slots, stop);
}

Result<void> insert_in_batches(Graph& graph, const RowSpace& rows, const Codes& space,
                               std::span<const std::uint32_t> slots, const BuildOptions& options,
                               const std::stop_token& stop) {
  return BatchBuilder(graph, rows, space, options).insert_all(slots, stop);
}

Result<void> bypass(Graph& graph, const RowSpace& space, const std::vector<bool>& gone,
                    int threads) {
  return BatchBuilder(graph, space, space, {0, threads}).bypass(gone);
}

void connect(Graph& graph, const RowSpace& space, const std::vector<bool>& left_out,
             std::uint32_t expansion) {
  if (graph.max_level() < 0) return;
  Scratch scratch;
  scratch.visited.prepare(graph.size());
  const auto nearest = [&](std::uint32_t slot,
                           const auto& accepts) -> std::optional<std::uint32_t> {
    const auto query = space.query(slot);
    const Walk walk{graph, space, query, scratch};
    Neighbour closest = {distance_to(space, query, graph.entry()), graph.entry()};
    closest = descend(walk, closest, graph.max_level(), 0);
    explore<Followers::are_left_out>(walk, closest, 0, expansion, accepts);
    if (scratch.top.empty()) return std::nullopt;
    return scratch.top.front().slot;
  };
  embd::connect(Links(&graph), graph.entry(), left_out, nearest);
}

void insert_sequentially(Graph& graph, const RowSpace& space, std::uint32_t slot,
                         std::uint32_t expansion, Scratch& scratch) {
  const int level = graph.level(slot);
  if (graph.max_level() < 0) {
    graph.set_entry(slot, level);
    return;
  }
  scratch.visited.prepare(graph.size());
  const auto query = space.query(slot);
  const Walk walk{graph, space, query, scratch};
  Neighbour closest = {distance_to(space, query, graph.entry()), graph.entry()};
  closest = descend(walk, closest, graph.max_level(), level);
  std::vector<Neighbour> links;
  for (int l = std::min(level, graph.max_level()); l >= 0; --l) {
    explore<Followers::wait>(walk, closest, l, expansion,
                             [slot](std::uint32_t other) { return other != slot; });
    const auto chosen = choose_links(space, scratch.top, graph.connectivity(), scratch);
    links.assign(chosen.begin(), chosen.end());
    scratch.slots.clear();
    for (const Neighbour& link : links) scratch.slots.push_back(link.slot);
    graph.set_links(slot, l, scratch.slots);
    for (const Neighbour& link : links) {
      link_back(graph, space, link.slot, {link.distance, slot}, l, scratch);
    }
    if (!links.empty()) closest = links.front();
  }
  if (level > graph.max_level()) graph.set_entry(slot, level);
}

}  // namespace embd::hnsw
