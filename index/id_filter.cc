#include "embd/index.h"

namespace embd {
namespace {

/// A filter with less than this part (1 / kLeastShareOfBits) of the slots is searched as a sorted
/// list. So a filter of a few rows needs no memory for all rows. Graphs are searched with larger
/// filters only.
constexpr std::size_t kLeastShareOfBits = 1024;

}  // namespace

IdFilter::IdFilter(std::vector<std::uint64_t> slots, std::size_t num_slots)
    : slots_(std::move(slots)) {
  if (slots_.size() < num_slots / kLeastShareOfBits) return;
  bits_.resize((num_slots + 63) / 64);
  for (const std::uint64_t slot : slots_) bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

}  // namespace embd
