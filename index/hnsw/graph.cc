#include "index/hnsw/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace embd::hnsw {

void Graph::reserve(std::size_t nodes) {
  levels_.reserve(nodes);
  upper_at_.reserve(nodes);
  base_.reserve(nodes * base_stride_);
}

std::uint32_t Graph::push(int level) {
  const auto slot = static_cast<std::uint32_t>(size());
  upper_at_.push_back(upper_.size());
  upper_.resize(upper_.size() + static_cast<std::size_t>(level) * (1 + connectivity_));
  base_.resize(base_.size() + base_stride_);
  levels_.push_back(static_cast<std::int16_t>(level));
  return slot;
}

void Graph::set_links(std::uint32_t slot, int level,
                      std::span<const std::uint32_t> slots) noexcept {
  std::uint32_t* l = list(slot, level);
  l[0] = static_cast<std::uint32_t>(slots.size());
  std::ranges::copy(slots, l + 1);
  std::fill(l + 1 + slots.size(), l + 1 + capacity(level), 0U);
}

LevelGenerator::LevelGenerator(std::uint32_t connectivity)
    : factor_(1.0 / std::log(static_cast<double>(connectivity))) {}

int LevelGenerator::next() noexcept {
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  x ^= x >> 31;
  const double uniform =
      std::max(1.0 - static_cast<double>(x) / 0x1p64, std::numeric_limits<double>::min());
  return static_cast<int>(-std::log(uniform) * factor_);
}

}  // namespace embd::hnsw
