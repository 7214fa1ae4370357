#include "index/hnsw/graph.h"

#include <numeric>

namespace embd::hnsw {

void Graph::reserve(std::size_t nodes) {
  reserve_more(levels_, nodes);
  reserve_more(followers_, nodes);
  reserve_more(upper_at_, nodes);
  reserve_more(base_, nodes * base_stride_);
}

std::uint32_t Graph::push(int level) {
  const auto slot = static_cast<std::uint32_t>(size());
  upper_at_.push_back(upper_.size());
  upper_.resize(upper_.size() + static_cast<std::size_t>(level) * (1 + connectivity_));
  base_.resize(base_.size() + base_stride_);
  levels_.push_back(static_cast<std::int16_t>(level));
  followers_.push_back(false);
  return slot;
}

void Graph::set_links(std::uint32_t slot, int level,
                      std::span<const std::uint32_t> slots) noexcept {
  std::uint32_t* l = list(slot, level);
  l[0] = static_cast<std::uint32_t>(slots.size());
  std::ranges::copy(slots, l + 1);
  std::fill(l + 1 + slots.size(), l + 1 + capacity(level), 0U);
}

void Graph::exchange(std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs) {
  if (pairs.empty()) return;
  std::vector<std::uint32_t> place(size());
  std::iota(place.begin(), place.end(), 0U);
  for (const auto& [a, b] : pairs) {
    std::swap(place[a], place[b]);
    std::swap(levels_[a], levels_[b]);
    std::swap(upper_at_[a], upper_at_[b]);
    std::vector<bool>::swap(followers_[a], followers_[b]);
    std::swap_ranges(list(a, 0), list(a, 0) + base_stride_, list(b, 0));
  }
  for (std::uint32_t slot = 0; slot < size(); ++slot) {
    for (int l = 0; l <= levels_[slot]; ++l) {
      std::uint32_t* links = list(slot, l);
      for (std::uint32_t i = 1; i <= links[0]; ++i) links[i] = place[links[i]];
    }
  }
  entry_ = place[entry_];
}

int LevelGenerator::next() noexcept {
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  x ^= x >> 31;
  // A multiple of 2^-53, so that all following steps are exact. A logarithm would not have the same
  // bits on every machine.
  const double uniform = 1.0 - static_cast<double>(x) / 0x1p64;
  constexpr std::uint64_t kOne = std::uint64_t{1} << 53;
  auto part = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(uniform * double{kOne}));
  int level = 0;
  for (; part <= kOne / connectivity_; part *= connectivity_) ++level;
  return level;
}

}  // namespace embd::hnsw
