#include "index/index_impl.h"

#include <algorithm>

namespace embd {

std::vector<std::uint32_t> Index::Impl::slots_of(std::span<const std::uint64_t> sorted_ids) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    if (!removed_[slot] && std::ranges::binary_search(sorted_ids, ids_[slot]))
      found.push_back(slot);
  }
  return found;
}

Result<IdFilter> Index::Impl::filter(std::span<const std::uint64_t> sorted_ids) const {
  const std::vector<std::uint32_t> slots = slots_of(sorted_ids);
  return IdFilter({slots.begin(), slots.end()}, num_slots());
}

std::vector<std::uint64_t> Index::Impl::ids() const {
  std::vector<std::uint64_t> present;
  for (std::size_t slot = 0; slot < num_slots(); ++slot) {
    if (!removed_[slot]) present.push_back(ids_[slot]);
  }
  return present;
}

std::vector<std::uint32_t> Index::Impl::slots() const {
  std::vector<std::uint32_t> present;
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    if (!removed_[slot]) present.push_back(slot);
  }
  return present;
}

void Index::Impl::read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const {
  std::uint64_t place = num_removed() == 0 ? first : 0;
  for (std::size_t slot = place; place < first + count; ++slot) {
    if (removed_[slot]) continue;
    if (place >= first) read_slot(slot, out.subspan((place - first) * dim(), dim()));
    ++place;
  }
}

}  // namespace embd
