#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/lease_pool.h"
#include "formats/vectors/usearch/usearch_file.h"
#include "index/codes.h"
#include "index/hnsw/walk.h"
#include "index/index_impl.h"

namespace embd::hnsw {

/// Finds the slots of ids without looking at every slot. It is a hash table with a chain of slots
/// for each hash. `keys` in all calls has the id of each slot, or removed_key for a free slot.
class SlotTable {
 public:
  /// Adds every slot of `keys` that is not free.
  void rebuild(std::span<const std::uint64_t> keys) {
    heads_.assign(std::bit_ceil(std::max<std::size_t>(64, keys.size() + keys.size() / 2)), kEnd);
    next_.assign(keys.size(), kEnd);
    for (std::size_t slot = 0; slot < keys.size(); ++slot) {
      if (keys[slot] != usearch::removed_key) link(keys, static_cast<std::uint32_t>(slot));
    }
  }

  /// Adds a slot that was free or is new.
  void add(std::span<const std::uint64_t> keys, std::uint32_t slot) {
    if (keys.size() > heads_.size()) return rebuild(keys);
    next_.resize(keys.size(), kEnd);
    link(keys, slot);
  }

  /// Returns the slots that have one of `ids`, ascending. `ids` must have no repeats.
  std::vector<std::uint32_t> slots_of(std::span<const std::uint64_t> ids,
                                      std::span<const std::uint64_t> keys) const {
    std::vector<std::uint32_t> slots;
    for (const std::uint64_t id : ids) {
      for (std::uint32_t slot = heads_[place(id)]; slot != kEnd; slot = next_[slot]) {
        if (keys[slot] == id) slots.push_back(slot);
      }
    }
    std::ranges::sort(slots);
    return slots;
  }

  /// Removes the slots that have one of `ids`, which must still be in `keys`.
  void remove(std::span<const std::uint64_t> ids, std::span<const std::uint64_t> keys) {
    for (const std::uint64_t id : ids) {
      std::uint32_t* link = &heads_[place(id)];
      while (*link != kEnd) {
        std::uint32_t& after = next_[*link];
        if (keys[*link] == id) {
          *link = after;
        } else {
          link = &after;
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  std::size_t place(std::uint64_t id) const noexcept {
    id = (id ^ (id >> 32)) * 0x9E3779B97F4A7C15;
    return (id ^ (id >> 32)) & (heads_.size() - 1);
  }
  void link(std::span<const std::uint64_t> keys, std::uint32_t slot) noexcept {
    std::uint32_t& head = heads_[place(keys[slot])];
    next_[slot] = head;
    head = slot;
  }

  // For each hash, the slot that was added last; the size is a power of two.
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint32_t> next_;  // The next slot of the chain that each slot is in: [slots].
};

/// A USearch index of dense vectors, in memory or over a mapped file.
class HnswIndex final : public Index::Impl {
 public:
  /// Makes an empty index.
  static Result<std::unique_ptr<HnswIndex>> create(const IndexOptions& options, std::uint64_t dim);
  /// Opens a file. If `mapped` is true, the rows stay in the file.
  static Result<std::unique_ptr<HnswIndex>> open(const std::filesystem::path& path,
                                                 const OpenOptions& options, bool mapped);

  IndexInfo info() const override;
  std::uint64_t num_unreached() const override;
  Result<std::vector<std::vector<Hit>>> search(MatrixView queries, std::size_t k,
                                               const SearchOptions& options,
                                               const std::stop_token& stop) const override;
  Result<void> add(MatrixView rows, std::span<const std::uint64_t> ids, int threads,
                   const std::stop_token& stop) override;
  Result<std::uint64_t> remove(std::span<const std::uint64_t> sorted_ids) override;
  Result<void> compact() override;
  Result<void> save(const std::filesystem::path& path) const override;
  void read_slot(std::size_t slot, std::span<float> out) const override;

 private:
  explicit HnswIndex(const Distance& distance) : Impl(distance) {}
  Result<void> load(usearch::Reader reader, const OpenOptions& options, bool mapped);
  void load_graph(const usearch::Reader& reader);
  /// Adds rows and links them. If it fails, the graph must not be used any more.
  Result<void> insert(MatrixView rows, std::span<const std::uint64_t> ids, int threads,
                      const std::stop_token& stop);
  /// Removes all rows. The graph keeps the connectivity of the header.
  void clear();
  Result<void> check_new_ids(std::span<const std::uint64_t> ids) const;
  Result<void> make_places(std::size_t count, int threads);
  void index_ids();
  bool is_of_zeros(std::uint32_t slot) const noexcept {
    return !inverse_norms_.empty() && inverse_norms_[slot] == 0;
  }
  void lead_to_zeros();
  std::vector<std::uint32_t> place(MatrixView rows, std::span<const std::uint64_t> ids);
  std::size_t num_removed() const noexcept override { return free_.size(); }
  std::vector<std::uint32_t> slots_of(std::span<const std::uint64_t> sorted_ids) const override;

  StoredRows rows() const noexcept;
  std::byte* row(std::uint32_t slot) noexcept { return owned_rows_.data() + slot * stride_; }
  std::vector<Hit> walk(const Distance::Query& query, std::size_t k, const SearchOptions& options,
                        const RowChoice& choice) const;
  /// Searches the graph. The result is in scratch.top.
  template <AnySpace Space>
  void walk_to(const Distance::Query& query, const Space& space, std::size_t k,
               const SearchOptions& options, const RowChoice& choice, Scratch& scratch) const;

  // Kinds, dimension and connectivity; the counts are set when the index is saved.
  usearch::Header header_;
  Builder builder_ = Builder::parallel;
  std::uint32_t expansion_add_ = 128;
  LevelGenerator level_generator_{2};

  Graph graph_;
  std::size_t stride_ = 0;  // The distance between the beginnings of two rows in bytes.
  AlignedVector<std::byte> owned_rows_;  // [slots, stride], unless mapped
  // The file that holds the rows, if the index is mapped.
  std::unique_ptr<usearch::Reader> mapped_;
  // The inverse length of each row, [slots], if the metric uses it.
  std::vector<float> inverse_norms_;
  // The codes of all rows, if they are of use and the index is not mapped.
  std::optional<Codes> codes_;
  // The free slots, in the order in which they will be used again. Their id is removed_key.
  std::deque<std::uint32_t> free_;
  // The number of slots, from the front of free_, that no link leads to.
  std::size_t num_places_ = 0;
  // The slots that have ever held a row of zeros, if the metric uses inverse lengths.
  std::set<std::uint32_t> zeros_;
  std::optional<SlotTable> slots_by_id_;  // Made when rows are changed for the first time.

  mutable LeasePool<Scratch> scratch_;
};

}  // namespace embd::hnsw
