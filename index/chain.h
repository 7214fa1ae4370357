#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "index/concepts.h"
#include "index/positions.h"
#include "index/visited_set.h"

// Rows at one position hang in a chain: their leader leads to one follower, each follower to the
// next, the last back to the leader. Only rows of the chain lead to a follower, so who chooses
// links chooses among leaders. And every row is made to be reached from the entry.

namespace embd {

template <AnyLinks Links>
bool has_place(const Links& links, std::uint32_t slot) {
  return links.of(slot).size() < links.capacity();
}

/// Adds the link from `from` to `to`, unless it is there. Where there is no place to spare, `to`
/// takes the last one and leads to where that led.
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

/// The row at its position that `slot` leads to, if any.
template <AnyLinks Links>
std::optional<std::uint32_t> next_of_chain(const Links& links, std::uint32_t slot) {
  const auto list = links.of(slot);
  if (links.is_follower(slot)) return list.front();
  const auto next =
      std::ranges::find_if(list, [&](std::uint32_t other) { return links.is_follower(other); });
  return next == list.end() ? std::nullopt : std::optional(*next);
}

/// The followers of `leader`, as they hang in its chain.
template <AnyLinks Links>
std::vector<std::uint32_t> followers_of(const Links& links, std::uint32_t leader) {
  std::vector<std::uint32_t> followers;
  for (auto next = next_of_chain(links, leader); next && *next != leader;
       next = next_of_chain(links, *next)) {
    followers.push_back(*next);
  }
  return followers;
}

/// Hangs `follower`, which nothing leads to, into a chain behind `row`, the leader or a follower.
/// It has no links of its own, for those of the leader lead to the same places; but it takes the
/// last one of a leader that has no place to spare.
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
    list.insert(list.begin(), follower);  // lead_to() takes the last
    links.set(follower, own);
  }
  links.set_follower(follower, true);
  links.set(row, list);
}

/// Which follower takes the place of each leader that is `gone`, [slots]: the first of its chain
/// that stays, where there is one. The two are to be exchanged in the graph.
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

/// Takes the followers that are `gone`, [slots], out of the chain of `leader`, which gets back what
/// they had taken from it.
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

/// Marks the followers in a graph that was read: rows of at most two links that hang in a chain as
/// above, one chain a leader.
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

/// Where a leader leads, past rows that are `gone`, [slots]: the leaders among its links that stay,
/// and those that the others lead to instead. Goes on past these only while it found fewer than
/// `enough`. `visited` is clear before and after.
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

/// The rows that a way from some others leads to.
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

/// How many rows no way from `entry` leads to, but for those of `left_out`, [slots].
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

/// Links the positions that no way from `entry` leads to, but for rows of `left_out`, [slots], each
/// to a leader that one does lead to and that has a place to spare: to nearest(slot, accepts), of
/// those that `accepts`, an optional slot, or to any.
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
