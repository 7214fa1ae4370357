#include "formats/vectors/finalfusion/string_table.h"

#include <bit>

#include "base/os/random.h"
#include "formats/vectors/finalfusion/murmur3.h"

namespace embd::finalfusion {

StringTable::StringTable(std::uint64_t expected)
    : slots_(std::bit_ceil(expected + expected / 3 + 8)) {}

std::uint64_t StringTable::hash_of(std::string_view text) noexcept {
  static const std::uint64_t seed = os::random_number();
  return murmur3(text, seed).low;
}

}  // namespace embd::finalfusion
