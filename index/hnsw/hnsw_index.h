#pragma once

#include <deque>
#include <optional>
#include <set>

#include "base/lease_pool.h"
#include "formats/vectors/usearch/usearch_file.h"
#include "index/codes.h"
#include "index/hnsw/slot_table.h"
#include "index/hnsw/walk.h"
#include "index/index_impl.h"

namespace embd::hnsw {

/// A USearch index of dense vectors, in memory or over a mapped file.
class HnswIndex final : public Index::Impl {
 public:
  /// Makes an empty index.
  static Result<std::unique_ptr<HnswIndex>> create(const IndexOptions& options, std::uint64_t dim);
  /// Opens a file. If `mapped` is true, the rows stay in the file.
  static Result<std::unique_ptr<HnswIndex>> open(const std::filesystem::path& path,
                                                 const OpenOptions& options, bool mapped);

  IndexInfo info() const override;
  std::size_t dim() const noexcept override { return distance_.dim(); }
  Metric metric() const noexcept override { return distance_.metric(); }
  std::uint64_t num_unreached() const override;
  Result<std::vector<std::vector<Hit>>> search(MatrixView queries, std::size_t k,
                                               const SearchOptions& options,
                                               const std::stop_token& stop) const override;
  Result<IdFilter> filter(std::span<const std::uint64_t> sorted_ids) const override;
  Result<void> add(MatrixView rows, std::span<const std::uint64_t> ids, int threads,
                   const std::stop_token& stop) override;
  Result<std::uint64_t> remove(std::span<const std::uint64_t> sorted_ids) override;
  Result<void> compact() override;
  Result<void> save(const std::filesystem::path& path) const override;
  std::vector<std::uint64_t> ids() const override;
  std::vector<std::uint32_t> slots() const override;
  void read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const override;
  std::uint64_t id_in(std::size_t slot) const override { return keys_[slot]; }
  void read_slot(std::size_t slot, std::span<float> out) const override;

 private:
  explicit HnswIndex(const Distance& distance) : distance_(distance) {}
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
  std::vector<std::uint32_t> slots_of(std::span<const std::uint64_t> sorted_ids) const;

  std::size_t num_slots() const noexcept { return keys_.size(); }
  StoredRows rows() const noexcept;
  std::byte* row(std::uint32_t slot) noexcept { return owned_rows_.data() + slot * stride_; }
  std::vector<Hit> walk(const Distance::Query& query, std::size_t k, const SearchOptions& options,
                        const RowChoice& choice) const;
  /// Searches the graph. The result is in scratch.top.
  template <AnySpace Space>
  void walk_to(const Distance::Query& query, const Space& space, std::size_t k,
               const SearchOptions& options, const RowChoice& choice, Scratch& scratch) const;
  template <class Neighbours>
  std::vector<Hit> hits(const Neighbours& neighbours) const;

  Distance distance_;
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
  std::vector<std::uint64_t> keys_;  // The id of each row, [slots]; removed_key in a free slot.
  std::vector<bool> removed_;        // [slots]
  // The free slots, in the order in which they will be used again.
  std::deque<std::uint32_t> free_;
  // The number of slots, from the front of free_, that no link leads to.
  std::size_t num_places_ = 0;
  // The slots that have ever held a row of zeros, if the metric uses inverse lengths.
  std::set<std::uint32_t> zeros_;
  std::optional<SlotTable> slots_by_id_;  // Made when rows are changed for the first time.

  mutable LeasePool<Scratch> scratch_;
};

}  // namespace embd::hnsw
