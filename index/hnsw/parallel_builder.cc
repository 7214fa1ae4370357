#include "index/hnsw/parallel_builder.h"

#include "base/parallel.h"
#include "base/try.h"

namespace embd::hnsw {
namespace {

/// A batch is at most this part of the graph it is inserted into: its rows do not see one another.
constexpr std::size_t kBatchShare = 25;
constexpr std::size_t kMaxBatch = 2048;
/// Where places are left, a row is linked although another link is nearer to it, unless that one is
/// so many times nearer.
constexpr float kSlack = 1.2F;

/// A link that `target` shall get on `level`. Sorted by target, then by the order of the batch.
struct BackLink {
  std::uint32_t target;
  std::int32_t level;
  std::uint32_t order;
  std::uint32_t source;
  float distance;
};

/// The links a new node chose on one level.
struct Choice {
  int level;
  std::vector<Neighbour> links;
};

/// Fewer tasks a thread than this are not worth waking the others for.
constexpr std::size_t kMinShare = 4;

template <class Space>
class BatchBuilder {
 public:
  BatchBuilder(Graph& graph, const Space& space, std::uint32_t expansion, int threads)
      : graph_(graph),
        space_(space),
        expansion_(expansion),
        threads_(threads),
        scratch_(static_cast<std::size_t>(threads)) {
    for (Scratch& scratch : scratch_) scratch.visited.prepare(graph.size());
  }

  Result<void> run(std::span<const std::uint32_t> slots, const std::stop_token& stop) {
    std::size_t linked = graph_.size() - slots.size();
    while (!slots.empty()) {
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "building was stopped");
      const auto batch = slots.first(batch_size(slots, linked));
      EMBD_TRY(insert(batch));
      linked += batch.size();
      slots = slots.subspan(batch.size());
    }
    return {};
  }

 private:
  /// A node above all others ends its batch, for it becomes the entry of the next.
  std::size_t batch_size(std::span<const std::uint32_t> slots, std::size_t linked) const noexcept {
    const std::size_t size =
        std::min({std::max<std::size_t>(1, linked / kBatchShare), kMaxBatch, slots.size()});
    for (std::size_t i = 0; i < size; ++i) {
      if (graph_.level(slots[i]) > graph_.max_level()) return i + 1;
    }
    return size;
  }

  /// Calls body(i, scratch) for i < count.
  template <class Body>
  Result<void> each(std::size_t count, const Body& body) {
    const int threads = count < kMinShare * static_cast<std::size_t>(threads_) ? 1 : threads_;
    return parallel_for(count, threads, [&](std::size_t i, std::size_t worker) -> Result<void> {
      body(i, scratch_[worker]);
      return {};
    });
  }

  Result<void> insert(std::span<const std::uint32_t> batch) {
    if (graph_.max_level() >= 0) {
      choices_.resize(std::max(choices_.size(), batch.size()));
      EMBD_TRY(each(batch.size(), [&](std::size_t i, Scratch& scratch) {
        find_links(batch[i], choices_[i], scratch);
      }));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        for (const Choice& choice : choices_[i]) {
          set_links(batch[i], choice.level, choice.links, scratch_.front());
        }
      }
      EMBD_TRY(link_back(batch));
    }
    for (const std::uint32_t slot : batch) {
      if (graph_.level(slot) > graph_.max_level()) graph_.set_entry(slot, graph_.level(slot));
    }
    return {};
  }

  void find_links(std::uint32_t slot, std::vector<Choice>& choices, Scratch& scratch) const {
    choices.clear();
    const int level = graph_.level(slot);
    const auto query = space_.query(slot);
    Neighbour closest = {distance_to(space_, query, graph_.entry()), graph_.entry()};
    closest = descend(graph_, space_, query, closest, graph_.max_level(), level, scratch);
    for (int l = std::min(level, graph_.max_level()); l >= 0; --l) {
      explore(
          graph_, space_, query, closest, l, expansion_,
          [slot](std::uint32_t other) { return other != slot; }, scratch);
      const auto chosen = choose(scratch.top, own_links(l), scratch);
      choices.push_back({l, {chosen.begin(), chosen.end()}});
      if (!chosen.empty()) closest = chosen.front();
    }
  }

  /// Links that a new node chooses for itself; the other places are for nodes that choose it.
  std::size_t own_links(int level) const noexcept {
    return level == 0 ? std::max(graph_.connectivity(), graph_.capacity(0) / 4 * 3)
                      : graph_.connectivity();
  }

  /// Of `candidates` (nearest first) those to link: first by the rule of choose_links, then, where
  /// places are left, those that it ruled out by less than the slack.
  std::span<const Neighbour> choose(std::span<const Neighbour> candidates, std::size_t limit,
                                    Scratch& scratch) const {
    if (candidates.size() < limit) return candidates;
    const float slack = space_.has_ratios() ? kSlack : 1.0F;
    scratch.chosen.clear();
    scratch.links.clear();
    scratch.spare.clear();
    const auto link = [&](const Neighbour& candidate) {
      scratch.chosen.push_back(candidate.slot);
      scratch.links.push_back(candidate);
    };
    for (const Neighbour& candidate : candidates) {
      if (scratch.links.size() == limit) break;
      const float nearest = from_chosen(candidate, slack, scratch);
      if (!(nearest < candidate.distance)) {
        link(candidate);
      } else if (!(slack * nearest < candidate.distance)) {
        scratch.spare.push_back(candidate);
      }
    }
    for (const Neighbour& candidate : scratch.spare) {
      if (scratch.links.size() == limit) break;
      if (!(slack * from_chosen(candidate, slack, scratch) < candidate.distance)) link(candidate);
    }
    return scratch.links;
  }

  /// What `candidate` is from the chosen row nearest to it, or from one that rules it out whatever
  /// the others are.
  float from_chosen(const Neighbour& candidate, float slack, Scratch& scratch) const {
    constexpr std::size_t kSome = 8;  // a near one usually rules a candidate out early
    scratch.chosen_distances.resize(kSome);
    const std::span<const std::uint32_t> chosen = scratch.chosen;
    const auto query = space_.query(candidate.slot);
    float nearest = std::numeric_limits<float>::infinity();
    for (std::size_t first = 0; first < chosen.size(); first += kSome) {
      const auto some = chosen.subspan(first, std::min(kSome, chosen.size() - first));
      space_.gather(query, some, scratch.chosen_distances.data());
      for (std::size_t i = 0; i < some.size(); ++i)
        nearest = std::min(nearest, scratch.chosen_distances[i]);
      if (slack * nearest < candidate.distance) break;
    }
    return nearest;
  }

  void set_links(std::uint32_t slot, int level, std::span<const Neighbour> links,
                 Scratch& scratch) {
    scratch.slots.clear();
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
    std::ranges::sort(back_links_, {}, [](const BackLink& link) {
      return std::tuple(link.target, link.level, link.order);
    });
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

  /// Gives one node its new links on one level; chooses among all of them when they are too many.
  void take_links(std::span<const BackLink> back_links, Scratch& scratch) {
    const std::uint32_t target = back_links.front().target;
    const int level = back_links.front().level;
    const std::span<const std::uint32_t> links = graph_.links(target, level);
    std::vector<Neighbour>& candidates = scratch.top;
    candidates.clear();
    for (const BackLink& link : back_links) {
      if (std::ranges::find(links, link.source) == links.end()) {
        candidates.push_back({link.distance, link.source});
      }
    }
    if (links.size() + candidates.size() <= graph_.capacity(level)) {
      std::uint32_t* list = graph_.list(target, level);
      for (const Neighbour& candidate : candidates) list[1 + list[0]++] = candidate.slot;
      return;
    }
    scratch.distances.resize(std::max(scratch.distances.size(), links.size()));
    space_.gather(space_.query(target), links, scratch.distances.data());
    for (std::size_t i = 0; i < links.size(); ++i) {
      candidates.push_back({scratch.distances[i], links[i]});
    }
    std::ranges::sort(candidates);
    const auto chosen = choose(candidates, graph_.capacity(level), scratch);
    set_links(target, level, chosen, scratch);
  }

  Graph& graph_;
  const Space& space_;
  std::uint32_t expansion_;
  int threads_;
  std::vector<Scratch> scratch_;
  std::vector<std::vector<Choice>> choices_;
  std::vector<BackLink> back_links_;
  std::vector<std::size_t> groups_;
};

}  // namespace

Result<void> insert_in_batches(Graph& graph, const RowSpace& space,
                               std::span<const std::uint32_t> slots, std::uint32_t expansion,
                               int threads, const std::stop_token& stop) {
  return BatchBuilder(graph, space, expansion, threads).run(slots, stop);
}

Result<void> insert_in_batches(Graph& graph, const Codes& space,
                               std::span<const std::uint32_t> slots, std::uint32_t expansion,
                               int threads, const std::stop_token& stop) {
  return BatchBuilder(graph, space, expansion, threads).run(slots, stop);
}

}  // namespace embd::hnsw
