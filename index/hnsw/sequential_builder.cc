#include "index/hnsw/sequential_builder.h"

namespace embd::hnsw {
namespace {

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
