#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace embd {

/// Random numbers that are the same in every build: the distributions of the standard library are
/// not. Not thread-safe.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Returns a number in [0, 1).
  double real() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// Returns a whole number below `end`, which is not 0.
  std::uint64_t below(std::uint64_t end) { return engine_() % end; }

 private:
  std::mt19937_64 engine_;
};

/// Draws `count` of the rows [0, num_rows), no more than these, in a random order.
inline std::vector<std::uint32_t> draw_rows(std::size_t num_rows, std::size_t count,
                                            Random& random) {
  std::vector<std::uint32_t> rows(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) rows[i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < count; ++i) std::swap(rows[i], rows[i + random.below(num_rows - i)]);
  rows.resize(count);
  return rows;
}

}  // namespace embd
