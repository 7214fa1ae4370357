#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "index/positions.h"
#include "index/visited_set.h"

// Rows at one position hang in a chain: their leader leads to the last that came, that one to the
// one before it, the first back to the leader. And every row is made to be reached from the entry.
//
// `Links` are the lists that a search goes along in the end, level 0 of a HNSW graph or the edges
// of a Vamana graph:
//
//   links.size()                  how many rows
//   links.capacity()              how long a list may be
//   links.of(slot)                where a row leads, a span of slots
//   links.set(slot, span)         replaces that

namespace embd {

template <class Links>
bool has_place(const Links& links, std::uint32_t slot) {
  return links.of(slot).size() < links.capacity();
}

/// Adds the link from `from` to `to`, unless it is there. Where there is no place to spare, `to`
/// takes the last one and leads to where that led.
template <class Links>
void lead_to(Links links, std::uint32_t from, std::uint32_t to) {
  const auto old = links.of(from);
  if (to == from || std::ranges::find(old, to) != old.end()) return;
  std::vector<std::uint32_t> list(old.begin(), old.end());
  if (has_place(links, from)) {
    list.push_back(to);
  } else {
    const std::uint32_t last = std::exchange(list.back(), to);
    if (has_place(links, to)) lead_to(links, to, last);
  }
  links.set(from, list);
}

/// The row at its position that `slot` leads to, if any.
template <class Links>
std::optional<std::uint32_t> next_of_chain(const Links& links, const Positions& positions,
                                           std::uint32_t slot) {
  const auto list = links.of(slot);
  const auto next =
      std::ranges::find_if(list, [&](std::uint32_t other) { return positions.same(slot, other); });
  return next == list.end() ? std::nullopt : std::optional(*next);
}

/// Hangs `follower` into the chain of its position behind `leader`: the leader leads to it, and it
/// to where the leader led before. It has no other links, for those of the leader lead to the same
/// places.
template <class Links>
void hang_on_chain(Links links, const Positions& positions, std::uint32_t follower,
                   std::uint32_t leader) {
  const std::optional<std::uint32_t> next = next_of_chain(links, positions, leader);
  const std::uint32_t after = next.value_or(leader);
  links.set(follower, {&after, 1});
  if (next) {
    const auto old = links.of(leader);
    std::vector<std::uint32_t> list(old.begin(), old.end());
    std::ranges::replace(list, *next, follower);
    links.set(leader, list);
  } else {
    lead_to(links, leader, follower);
  }
}

/// For each row that is `gone`, [slots], one at its position that stays: the next such along the
/// chain. Itself for others, and where there is none.
template <class Links>
std::vector<std::uint32_t> heirs(const Links& links, const Positions& positions,
                                 const std::vector<bool>& gone) {
  std::vector<std::uint32_t> heirs(links.size());
  std::iota(heirs.begin(), heirs.end(), 0U);
  VisitedSet met;
  met.prepare(links.size());
  std::vector<std::uint32_t> way;
  for (std::uint32_t slot = 0; slot < links.size(); ++slot) {
    way.clear();
    std::uint32_t at = slot;
    while (gone[at] && heirs[at] == at && met.add(at)) {
      way.push_back(at);
      at = next_of_chain(links, positions, at).value_or(at);
    }
    for (const std::uint32_t passed : way) heirs[passed] = heirs[at];
    met.clear();
  }
  return heirs;
}

/// The rows that a way from some others leads to.
template <class Links>
class Reach {
 public:
  explicit Reach(const Links& links) : links_(links), reached_(links.size()) {}

  void from(std::uint32_t slot) {
    add(slot);
    while (!waiting_.empty()) {
      const std::uint32_t next = waiting_.back();
      waiting_.pop_back();
      for (const std::uint32_t link : links_.of(next)) add(link);
    }
  }
  bool contains(std::uint32_t slot) const { return reached_[slot]; }

 private:
  void add(std::uint32_t slot) {
    if (reached_[slot]) return;
    reached_[slot] = true;
    waiting_.push_back(slot);
  }

  Links links_;
  std::vector<bool> reached_;
  std::vector<std::uint32_t> waiting_;
};

/// How many rows no way from `entry` leads to, but for those of `left_out`, [slots].
template <class Links>
std::uint64_t count_unreached(const Links& links, std::uint32_t entry,
                              const std::vector<bool>& left_out) {
  if (links.size() == 0) return 0;
  Reach reach(links);
  reach.from(entry);
  std::uint64_t count = 0;
  for (std::uint32_t slot = 0; slot < links.size(); ++slot) {
    count += !reach.contains(slot) && !left_out[slot] ? 1U : 0U;
  }
  return count;
}

/// Links the rows that no way from `entry` leads to, but for those of `left_out`, each to a row
/// that one does and that has a place to spare: to nearest(slot, accepts), of those that `accepts`,
/// an optional slot, or to any.
template <class Links, class Nearest>
void connect(Links links, std::uint32_t entry, const std::vector<bool>& left_out,
             const Nearest& nearest) {
  if (links.size() == 0) return;
  Reach reach(links);
  reach.from(entry);
  const auto accepts = [&](std::uint32_t slot) {
    return reach.contains(slot) && has_place(links, slot);
  };
  for (std::uint32_t slot = 0; slot < links.size(); ++slot) {
    if (reach.contains(slot) || left_out[slot]) continue;
    std::optional<std::uint32_t> host = nearest(slot, accepts);
    for (std::uint32_t other = 0; !host && other < links.size(); ++other) {
      if (accepts(other)) host = other;
    }
    lead_to(links, host.value_or(entry), slot);
    reach.from(slot);
  }
}

}  // namespace embd
