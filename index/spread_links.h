#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "index/exact.h"
#include "index/spaces.h"

namespace embd {

/// The scratch memory for choosing links. It is reused, by one thread at a time.
struct LinkScratch {
  std::vector<Neighbour> links;
  std::vector<Neighbour> spare;
  std::vector<std::uint32_t> slots;  ///< the slots of the links
};

/// Returns the distance of `candidate` to the nearest link in scratch.slots, or to one that is so
/// near that the others do not matter. It is inlined, which makes a build over codes 2 % faster.
template <MeasuresPairs Space, TellsSuperfluous Superfluous>
inline __attribute__((always_inline)) float from_links(const Space& space,
                                                       const Neighbour& candidate,
                                                       const Superfluous& superfluous,
                                                       const LinkScratch& scratch) {
  constexpr std::size_t kSome = 8;  // A near link usually rules a candidate out early.
  float distances[kSome];
  const std::span<const std::uint32_t> links = scratch.slots;
  const auto query = space.query(candidate.slot);
  float nearest = std::numeric_limits<float>::infinity();
  for (std::size_t first = 0; first < links.size(); first += kSome) {
    const auto some = links.subspan(first, std::min(kSome, links.size() - first));
    space.gather(query, some, distances);
    for (std::size_t i = 0; i < some.size(); ++i) nearest = std::min(nearest, distances[i]);
    if (superfluous.is_settled(nearest, candidate.distance)) break;
  }
  return nearest;
}

/// Chooses at most `limit` links for a row, in all directions, from `candidates`, the nearest
/// first. First come candidates that no earlier link makes superfluous; then, if places are left,
/// candidates that are only slightly superfluous (Subramanya et al., DiskANN, NeurIPS 2019,
/// algorithm 2, in two rounds). The result is in `scratch`.
template <MeasuresPairs Space, TellsSuperfluous Superfluous>
std::span<const Neighbour> spread_links(const Space& space, std::span<const Neighbour> candidates,
                                        std::size_t limit, const Superfluous& superfluous,
                                        LinkScratch& scratch) {
  scratch.links.clear();
  scratch.spare.clear();
  scratch.slots.clear();
  const auto link = [&](const Neighbour& candidate) {
    scratch.links.push_back(candidate);
    scratch.slots.push_back(candidate.slot);
  };
  for (const Neighbour& candidate : candidates) {
    if (scratch.links.size() == limit) break;
    const float nearest = from_links(space, candidate, superfluous, scratch);
    if (!superfluous.at_all(nearest, candidate.distance)) {
      link(candidate);
    } else if (!superfluous.by_far(nearest, candidate.distance)) {
      scratch.spare.push_back(candidate);
    }
  }
  for (const Neighbour& candidate : scratch.spare) {
    if (scratch.links.size() == limit) break;
    const float nearest = from_links(space, candidate, superfluous, scratch);
    if (!superfluous.by_far(nearest, candidate.distance)) link(candidate);
  }
  return scratch.links;
}

}  // namespace embd
