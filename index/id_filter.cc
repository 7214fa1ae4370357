#include "embd/index.h"

namespace embd {

IdFilter::IdFilter(std::vector<std::uint32_t> slots, std::size_t num_slots)
    : bits_((num_slots + 63) / 64), slots_(std::move(slots)), size_(slots_.size()) {
  for (const std::uint32_t slot : slots_) bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

}  // namespace embd
