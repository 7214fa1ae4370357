#include "index/spread_links.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace embd {
namespace {

/// Rows on a line, at these places.
struct Line {
  std::vector<float> places;

  using Query = float;
  Query query(std::uint32_t slot) const { return places[slot]; }
  void gather(Query query, std::span<const std::uint32_t> slots, float* out) const {
    for (std::size_t i = 0; i < slots.size(); ++i) out[i] = std::abs(query - places[slots[i]]);
  }
};

/// By far: `slack` times as near.
struct Superfluous {
  float slack;
  bool at_all(float from_link, float from_row) const { return from_link < from_row; }
  bool by_far(float from_link, float from_row) const { return slack * from_link < from_row; }
  bool is_settled(float from_link, float from_row) const { return by_far(from_link, from_row); }
};

/// The links of a row at 0 to the rows at `places`, which are in the order of their distances.
std::vector<std::uint32_t> links(const Line& line, std::size_t limit, float slack) {
  std::vector<Neighbour> candidates;
  for (std::uint32_t slot = 0; slot < line.places.size(); ++slot) {
    candidates.push_back({std::abs(line.places[slot]), slot});
  }
  LinkScratch scratch;
  std::vector<std::uint32_t> slots;
  for (const Neighbour& link : spread_links(line, candidates, limit, Superfluous{slack}, scratch)) {
    EXPECT_EQ(link.distance, candidates[link.slot].distance);
    slots.push_back(link.slot);
  }
  return slots;
}

using Slots = std::vector<std::uint32_t>;

TEST(SpreadLinks, TakesNoneThatALinkIsNearerTo) {
  // 1 hides 3 and 4, −2 hides −9.
  EXPECT_EQ(links({{1, -2, 3, 4, -9}}, 5, 1), (Slots{0, 1}));
  EXPECT_EQ(links({{1, 3, 4}}, 5, 1), (Slots{0}));
}

TEST(SpreadLinks, FillsPlacesThatAreLeftWithWhatIsSuperfluousByALittle) {
  // 3 lies 2 from the link at 1; 8 lies 7 from it.
  EXPECT_EQ(links({{1, 3, -4, 8}}, 4, 1.7F), (Slots{0, 2, 1, 3}));
  EXPECT_EQ(links({{1, 3, -4, 8}}, 4, 1.55F), (Slots{0, 2, 1}));  // once 3 is linked, 8 lies 5 off
  EXPECT_EQ(links({{1, 3, -4, 8}}, 4, 1.4F), (Slots{0, 2, 3}));   // 3 is not
}

TEST(SpreadLinks, StopsAtTheLimit) {
  EXPECT_EQ(links({{1, -2, 3}}, 1, 100), (Slots{0}));
  EXPECT_EQ(links({{1, 3, -4, 10}}, 3, 100), (Slots{0, 2, 1}));
  EXPECT_TRUE(links({{}}, 4, 1).empty());
}

/// More links than are compared at once.
TEST(SpreadLinks, LooksAtAllLinks) {
  // Each is 3 times as far as the one before, so about 1.5 times as far as it is from that one.
  Line line;
  for (int i = 0; i < 12; ++i) line.places.push_back(std::pow(3.0F, static_cast<float>(i)));
  EXPECT_EQ(links(line, 12, 1).size(), 1U);
  EXPECT_EQ(links(line, 12, 1.6F).size(), 12U);
  // The last is nearer to the last link than to the row, but to no link before.
  line.places.push_back(line.places.back() * 1.1F);
  EXPECT_EQ(links(line, 13, 1.6F).size(), 12U);
}

}  // namespace
}  // namespace embd
