#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "embd/index.h"
#include "index/distances/distance.h"

namespace embd {

/// The interface of the kinds of index behind Index, and the slots of rows that they all have.
/// Index has checked the arguments: shapes fit, values are finite, k and threads are at least 1.
/// Functions may throw std::bad_alloc.
class Index::Impl {
 public:
  virtual ~Impl() = default;
  virtual IndexInfo info() const = 0;
  std::size_t dim() const noexcept { return distance_.dim(); }
  Metric metric() const noexcept { return distance_.metric(); }
  virtual std::uint64_t num_unreached() const = 0;
  virtual void set_recipe(const std::optional<Recipe>&) {}
  virtual Result<std::vector<std::vector<Hit>>> search(MatrixView queries, std::size_t k,
                                                       const SearchOptions& options,
                                                       const std::stop_token& stop) const = 0;
  /// Returns a filter of the rows whose id is among `sorted_ids`, which are ascending and without
  /// repeats, as in remove().
  Result<IdFilter> filter(std::span<const std::uint64_t> sorted_ids) const;
  /// Adds rows. It may be stopped only if the index then stays as it was.
  virtual Result<void> add(MatrixView rows, std::span<const std::uint64_t> ids, int threads,
                           const std::stop_token& stop) = 0;
  virtual Result<std::uint64_t> remove(std::span<const std::uint64_t> sorted_ids) = 0;
  virtual Result<void> compact() = 0;
  virtual Result<void> save(const std::filesystem::path& path) const = 0;
  std::vector<std::uint64_t> ids() const;
  std::vector<std::uint32_t> slots() const;
  void read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// Return the id and the decoded row in a slot that has one.
  std::uint64_t id_in(std::size_t slot) const { return ids_[slot]; }
  virtual void read_slot(std::size_t slot, std::span<float> out) const = 0;

 protected:
  explicit Impl(const Distance& distance) : distance_(distance) {}

  std::size_t num_slots() const noexcept { return ids_.size(); }
  virtual std::size_t num_removed() const noexcept = 0;
  /// Returns the slots of the rows whose id is among `sorted_ids`, ascending.
  virtual std::vector<std::uint32_t> slots_of(std::span<const std::uint64_t> sorted_ids) const;
  template <class Neighbours>
  std::vector<Hit> hits(const Neighbours& neighbours) const {
    std::vector<Hit> found;
    found.reserve(neighbours.size());
    for (const auto& [distance, slot] : neighbours)
      found.push_back({ids_[slot], distance, static_cast<std::uint32_t>(slot)});
    return found;
  }

  Distance distance_;
  std::vector<std::uint64_t> ids_;  // The id of each row, [slots].
  std::vector<bool> removed_;       // [slots]
};

}  // namespace embd
