#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace embd {

/// A generator of random numbers that gives the same numbers in every build, which the
/// distributions of the standard library do not. Not thread-safe.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Returns a number in [0, 1).
  double real() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// Returns a whole number below `end`, which must not be 0.
  std::uint64_t below(std::uint64_t end) { return engine_() % end; }

 private:
  std::mt19937_64 engine_;
};

/// Draws `count` different rows out of [0, num_rows), in random order. `count` must be at most
/// `num_rows`.
inline std::vector<std::uint32_t> draw_rows(std::size_t num_rows, std::size_t count,
                                            Random& random) {
  std::vector<std::uint32_t> rows(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) rows[i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < count; ++i) std::swap(rows[i], rows[i + random.below(num_rows - i)]);
  rows.resize(count);
  return rows;
}

}  // namespace embd
