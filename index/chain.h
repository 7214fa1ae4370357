#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "index/positions.h"
#include "index/spaces.h"
#include "index/visited_set.h"

// Chains of rows at one position. Rows that no search can tell apart have one position (see
// positions.h). The first of them is the leader, the others are its followers. The leader links to
// one follower, each follower to the next, and the last follower back to the leader. No row outside
// the chain links to a follower, so links to other positions are always chosen among leaders. The
// functions here also make sure that every row can be reached from the entry point of the graph.
namespace embd {

template <AnyLinks Links>
bool has_place(const Links& links, std::uint32_t slot) {
  return links.of(slot).size() < links.capacity();
}

/// Adds the link from `from` to `to`, unless it exists. If there is no free place, it replaces the
/// last link, and `to` gets a link to the row to which that link led, if `to` has a free place.
template <AnyLinks Links>
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

/// Returns the row at the same position that `slot` links to, if there is one.
template <AnyLinks Links>
std::optional<std::uint32_t> next_of_chain(const Links& links, std::uint32_t slot) {
  const auto list = links.of(slot);
  if (links.is_follower(slot)) return list.front();
  const auto next =
      std::ranges::find_if(list, [&](std::uint32_t other) { return links.is_follower(other); });
  return next == list.end() ? std::nullopt : std::optional(*next);
}

/// Returns the followers of `leader`, in the order of its chain.
template <AnyLinks Links>
std::vector<std::uint32_t> followers_of(const Links& links, std::uint32_t leader) {
  std::vector<std::uint32_t> followers;
  for (auto next = next_of_chain(links, leader); next && *next != leader;
       next = next_of_chain(links, *next)) {
    followers.push_back(*next);
  }
  return followers;
}

/// Puts `follower`, to which no link leads, into a chain behind `row`, which is a leader or a
/// follower. It gets no links of its own, because the leader's links lead to the same places; but
/// if the leader has no free place, the follower takes over its last link.
template <AnyLinks Links>
void hang_on_chain(Links links, std::uint32_t follower, std::uint32_t row) {
  const auto old = links.of(row);
  std::vector<std::uint32_t> list(old.begin(), old.end());
  if (const auto next = next_of_chain(links, row)) {
    std::ranges::replace(list, *next, follower);
    links.set(follower, {&*next, 1});
  } else {
    std::vector<std::uint32_t> own = {row};
    if (!has_place(links, row)) {
      if (links.capacity() > 1) own.push_back(list.back());
      list.pop_back();
    }
    list.insert(list.begin(), follower);  // At the front, because lead_to() replaces the last link.
    links.set(follower, own);
  }
  links.set_follower(follower, true);
  links.set(row, list);
}

/// Returns, for each leader that is `gone` [slots], the follower that takes its place: the first
/// one of its chain that stays, if there is one. The two are to be exchanged in the graph.
template <AnyLinks Links>
std::vector<std::pair<std::uint32_t, std::uint32_t>> successions(const Links& links,
                                                                 const std::vector<bool>& gone) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t slot = 0; slot < links.size(); ++slot) {
    if (!gone[slot] || links.is_follower(slot)) continue;
    for (const std::uint32_t follower : followers_of(links, slot)) {
      if (gone[follower]) continue;
      pairs.emplace_back(slot, follower);
      break;
    }
  }
  return pairs;
}

/// Removes the followers that are `gone` [slots] from the chain of `leader`. The leader gets back
/// the links that they had taken over.
template <AnyLinks Links>
void thin_chain(Links links, std::uint32_t leader, const std::vector<bool>& gone) {
  const std::vector<std::uint32_t> followers = followers_of(links, leader);
  if (std::ranges::none_of(followers, [&](std::uint32_t f) { return gone[f]; })) return;
  std::vector<std::uint32_t> list(links.of(leader).begin(), links.of(leader).end());
  std::erase(list, followers.front());
  std::vector<std::uint32_t> stay;
  std::vector<std::uint32_t> taken;
  for (const std::uint32_t follower : followers) {
    if (gone[follower]) {
      const auto own = links.of(follower).subspan(1);
      taken.insert(taken.end(), own.begin(), own.end());
    } else {
      stay.push_back(follower);
    }
  }
  if (!stay.empty()) list.insert(list.begin(), stay.front());
  links.set(leader, list);
  for (std::size_t i = 0; i < stay.size(); ++i) {
    std::vector<std::uint32_t> own(links.of(stay[i]).begin(), links.of(stay[i]).end());
    own.front() = i + 1 < stay.size() ? stay[i + 1] : leader;
    links.set(stay[i], own);
  }
  for (const std::uint32_t link : taken) {
    if (has_place(links, leader)) lead_to(links, leader, link);
  }
}

/// Marks the followers in a graph that was read: rows with at most two links that form a chain as
/// described above, one chain for each leader.
template <AnyLinks Links>
void find_followers(Links links, const Positions& positions, std::uint32_t entry) {
  std::vector<bool> may(links.size());
  bool any = false;
  for (std::uint32_t slot = 0; slot < links.size(); ++slot) {
    const auto list = links.of(slot);
    may[slot] = slot != entry && (list.size() == 1 || list.size() == 2) && list.front() != slot &&
                positions.same(slot, list.front());
    any = any || may[slot];
  }
  if (!any) return;
  for (std::uint32_t slot = 0; slot < links.size(); ++slot) {
    for (const std::uint32_t link : links.of(slot)) {
      if (may[link] && !positions.same(slot, link)) may[link] = false;
    }
  }
  std::vector<std::uint32_t> chain;
  for (std::uint32_t slot = 0; slot < links.size(); ++slot) {
    if (may[slot]) continue;
    for (const std::uint32_t link : links.of(slot)) {
      chain.clear();
      std::uint32_t at = link;
      for (; may[at]; at = links.of(at).front()) {
        may[at] = false;
        chain.push_back(at);
      }
      if (at != slot || chain.empty()) continue;
      for (const std::uint32_t follower : chain) links.set_follower(follower, true);
      break;
    }
  }
}

/// Stores in `found` the leaders to which a leader leads if rows that are `gone` [slots] are
/// skipped: the leaders among its links that stay, and the leaders to which links lead on from rows
/// that are gone. Two steps are made, and a few more as long as fewer than `enough` leaders were
/// found. `visited` must be clear, and is clear again afterwards.
template <AnyLinks Links>
void links_around(const Links& links, std::uint32_t leader, const std::vector<bool>& gone,
                  std::size_t enough, VisitedSet& visited, std::vector<std::uint32_t>& found) {
  constexpr int kMostSteps = 4;
  const auto start = links.of(leader);
  std::vector<std::uint32_t> from(start.begin(), start.end());
  std::vector<std::uint32_t> next;
  found.clear();
  visited.add(leader);
  for (int step = 0; step < kMostSteps && !from.empty(); ++step) {
    if (step >= 2 && found.size() >= enough) break;
    next.clear();
    for (const std::uint32_t link : from) {
      if (links.is_follower(link) || !visited.add(link)) continue;
      if (gone[link]) {
        const auto list = links.of(link);
        next.insert(next.end(), list.begin(), list.end());
      } else {
        found.push_back(link);
      }
    }
    from.swap(next);
  }
  visited.clear();
}

/// Finds the rows that can be reached from given rows by following links.
template <AnyLinks Links>
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

/// Returns the number of rows that cannot be reached from `entry`, without counting the rows of
/// `left_out` [slots].
template <AnyLinks Links>
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

/// Links the positions that cannot be reached from `entry`, except for rows of `left_out` [slots].
/// Each is linked from a leader that can be reached and has a free place: nearest(slot, accepts),
/// which returns an optional slot among those that `accepts` allows, or else any such leader.
template <AnyLinks Links, class Nearest>
void connect(Links links, std::uint32_t entry, const std::vector<bool>& left_out,
             const Nearest& nearest) {
  if (links.size() == 0) return;
  Reach reach(links);
  reach.from(entry);
  const auto accepts = [&](std::uint32_t slot) {
    return reach.contains(slot) && !links.is_follower(slot) && has_place(links, slot);
  };
  for (std::uint32_t slot = 0; slot < links.size(); ++slot) {
    if (reach.contains(slot) || left_out[slot]) continue;
    std::uint32_t leader = slot;
    while (links.is_follower(leader)) leader = *next_of_chain(links, leader);
    std::optional<std::uint32_t> host = nearest(leader, accepts);
    for (std::uint32_t other = 0; !host && other < links.size(); ++other) {
      if (accepts(other)) host = other;
    }
    lead_to(links, host.value_or(entry), leader);
    reach.from(leader);
  }
}

}  // namespace embd
