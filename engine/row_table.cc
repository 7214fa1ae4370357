#include "engine/row_table.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/bytes.h"

namespace embd {
namespace {

std::string_view key_of(std::span<const std::int32_t> ids) {
  return as_text(std::as_bytes(ids));
}

/// Of an entry: key, row, and what the map and the allocator keep for them.
std::size_t bytes_of(std::string_view key, std::size_t row_size) {
  constexpr std::size_t overhead = 160;
  return key.size() + row_size * sizeof(float) + overhead;
}

}  // namespace

bool RowTable::find(std::span<const std::int32_t> ids, std::span<float> row) {
  const std::string_view key = key_of(ids);
  const std::lock_guard lock(mutex_);
  auto found = recent_.find(key);
  if (found == recent_.end()) {
    const auto old = old_.find(key);
    if (old == old_.end()) return false;
    // As one that is added now: it must not go with the old ones.
    auto node = old_.extract(old);
    make_room(bytes_of(key, row.size()));
    found = recent_.insert(std::move(node)).position;
  }
  std::ranges::copy(found->second, row.begin());
  return true;
}

void RowTable::add(std::span<const std::int32_t> ids, std::span<const float> row) noexcept {
  const std::string_view key = key_of(ids);
  const std::size_t bytes = bytes_of(key, row.size());
  if (bytes > generation_bytes_) return;
  const std::lock_guard lock(mutex_);
  try {
    make_room(bytes);
    recent_.try_emplace(std::string(key), row.begin(), row.end());
  } catch (const std::bad_alloc&) {
  }
}

/// In the recent generation, and counts it.
void RowTable::make_room(std::size_t bytes) noexcept {
  if (recent_bytes_ + bytes > generation_bytes_) {
    old_ = std::move(recent_);
    recent_ = Rows();
    recent_bytes_ = 0;
  }
  recent_bytes_ += bytes;
}

}  // namespace embd
