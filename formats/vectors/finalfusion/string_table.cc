#include "formats/vectors/finalfusion/string_table.h"

#include <sys/random.h>

#include <bit>

#include "formats/vectors/finalfusion/murmur3.h"

namespace embd::finalfusion {
namespace {

std::uint64_t random_seed() noexcept {
  std::uint64_t seed = 0;
  // Should the kernel have nothing to give yet, the address space's own randomness has to do.
  if (::getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed)) return seed;
  return reinterpret_cast<std::uint64_t>(&random_seed);
}

}  // namespace

StringTable::StringTable(std::uint64_t expected)
    : slots_(std::bit_ceil(expected + expected / 3 + 8)) {}

std::uint64_t StringTable::hash_of(std::string_view text) noexcept {
  static const std::uint64_t seed = random_seed();
  return murmur3(text, seed).low;
}

}  // namespace embd::finalfusion
