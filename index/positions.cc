#include "index/positions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/parallel.h"
#include "base/try.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd {
namespace {

/// The greatest 1 − cosine that float32 cannot distinguish from 0, given the rounding of a sum.
constexpr float kNoDistance = 0x1p-22F;

/// The greatest number of steps for a value of a direction. Float32 has no integers for finer
/// steps.
constexpr double kMaxSteps = 0x1p21;

/// The finalizer of SplitMix64.
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

std::uint64_t hash_bytes(const std::byte* bytes, std::size_t count) noexcept {
  std::uint64_t hash = count;
  std::size_t i = 0;
  std::uint64_t word = 0;
  for (; i + sizeof(word) <= count; i += sizeof(word)) {
    std::memcpy(&word, bytes + i, sizeof(word));
    hash = mixed(hash ^ word) + 0x9E3779B97F4A7C15;
  }
  if (i < count) {
    word = 0;
    std::memcpy(&word, bytes + i, count - i);
    hash = mixed(hash ^ word);
  }
  return hash;
}

/// Scales a row to length 1 and rounds its values coarsely. If two rows become equal, their
/// distance is at most kNoDistance / 8. A row of zeros stays a row of zeros.
void round_direction(Metric metric, std::span<float> values) noexcept {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  if (metric == Metric::pearson) {
    for (const float value : values) mean += static_cast<double>(value);
    mean /= count;
  }
  double squares = 0;
  for (const float value : values) {
    const double centered = static_cast<double>(value) - mean;
    squares += centered * centered;
  }
  const double steps = std::min(kMaxSteps, std::sqrt(count * 4 / double{kNoDistance}));
  const auto whole_steps = std::bit_ceil(static_cast<std::uint32_t>(std::ceil(steps)));
  const double scale = squares > 0 ? whole_steps / std::sqrt(squares) : 0;
  for (float& value : values) {
    constexpr float kNoFractions = 0x1.8p23F;  // A sum with it has no bits for fractions.
    value = (static_cast<float>((static_cast<double>(value) - mean) * scale) + kNoFractions) -
            kNoFractions;
  }
}

}  // namespace

bool may_differ_at_a_position(Metric metric) noexcept {
  return metric == Metric::cos || metric == Metric::pearson;
}

std::uint64_t Positions::key(std::uint32_t slot, std::vector<float>& values) const noexcept {
  if (!may_differ_at_a_position(distance_.metric())) {
    return hash_bytes(rows_.row(slot), distance_.row_bytes());
  }
  usearch::decode_row(distance_.type(), rows_.row(slot), values);
  round_direction(distance_.metric(), values);
  return hash_bytes(reinterpret_cast<const std::byte*>(values.data()),
                    values.size() * sizeof(float));
}

bool Positions::same(std::uint32_t a, std::uint32_t b) const noexcept {
  if (std::memcmp(rows_.row(a), rows_.row(b), distance_.row_bytes()) == 0) return true;
  return may_differ_at_a_position(distance_.metric()) &&
         distance_(distance_.query(rows_, a), rows_, b) <= kNoDistance;
}

Result<std::vector<std::uint32_t>> Positions::leaders(std::span<const std::uint32_t> slots,
                                                      int threads) const {
  std::vector<std::uint64_t> keys(slots.size());
  constexpr std::size_t kRowsAtOnce = 256;
  const std::size_t parts = (slots.size() + kRowsAtOnce - 1) / kRowsAtOnce;
  EMBD_TRY(parallel_for(parts, threads, [&](std::size_t part) -> Result<void> {
    std::vector<float> values(distance_.dim());
    const std::size_t end = std::min(slots.size(), (part + 1) * kRowsAtOnce);
    for (std::size_t i = part * kRowsAtOnce; i < end; ++i) keys[i] = key(slots[i], values);
    return {};
  }));
  std::vector<std::uint32_t> order(slots.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return keys[i]; });
  std::vector<std::uint32_t> leaders(slots.begin(), slots.end());
  std::size_t first = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (keys[order[i]] != keys[order[first]]) {
      first = i;
    } else if (same(slots[order[first]], slots[order[i]])) {
      leaders[order[i]] = slots[order[first]];
    }
  }
  return leaders;
}

std::vector<std::uint32_t> shuffled(std::span<const std::uint32_t> slots) {
  std::vector<std::uint32_t> order(slots.begin(), slots.end());
  std::ranges::sort(order, {}, [](std::uint32_t slot) {
    return std::pair(mixed(slot + 0x9E3779B97F4A7C15), slot);
  });
  return order;
}

}  // namespace embd
