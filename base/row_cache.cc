#include "base/row_cache.h"

#include <algorithm>
#include <new>

#include "base/checksum.h"

namespace embd {

RowCache::Key RowCache::key(std::string_view options, Bytes text) noexcept {
  Sha256 hash;
  const std::uint64_t length = options.size();
  hash.update(std::as_bytes(std::span(&length, 1)));
  hash.update(options);
  hash.update(text);
  return hash.digest();
}

std::size_t RowCache::bytes_of(std::size_t values) noexcept {
  constexpr std::size_t links = 6 * sizeof(void*);  // of the list, the map and its buckets
  return values * sizeof(float) + sizeof(Entry) + sizeof(Key) + links;
}

bool RowCache::find(const Key& key, std::span<float> out) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end() || place->second->row.size() != out.size()) return false;
  std::ranges::copy(place->second->row, out.begin());
  entries_.splice(entries_.begin(), entries_, place->second);
  return true;
}

void RowCache::insert(const Key& key, std::span<const float> row) noexcept {
  const std::size_t bytes = bytes_of(row.size());
  if (bytes > max_bytes_) return;
  const std::lock_guard lock(mutex_);
  if (places_.contains(key)) return;  // Another thread was quicker.
  while (bytes_ + bytes > max_bytes_) {
    bytes_ -= bytes_of(entries_.back().row.size());
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
  try {
    std::list<Entry> entry;
    entry.push_front({key, {row.begin(), row.end()}});
    places_.emplace(key, entry.begin());
    entries_.splice(entries_.begin(), entry);
    bytes_ += bytes;
  } catch (const std::bad_alloc&) {
  }
}

RowCache::State RowCache::state() const {
  const std::lock_guard lock(mutex_);
  return {bytes_, places_.size()};
}

}  // namespace embd
