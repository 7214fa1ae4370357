#pragma once

#include <optional>

#include "base/aligned_buffer.h"
#include "base/lease_pool.h"
#include "formats/vectors/svs/vamana_directory.h"
#include "index/index_impl.h"
#include "index/vamana/vamana_builder.h"

namespace embd::vamana {

/// A Vamana index in memory. Rows are kept as float32 whatever type the file stores, because the
/// SVS library compares float32 queries with rows that it converts to float32.
class VamanaIndex final : public Index::Impl {
 public:
  static Result<std::unique_ptr<Index::Impl>> build(MatrixView rows,
                                                    std::span<const std::uint64_t> ids,
                                                    const IndexOptions& options,
                                                    const std::stop_token& stop);
  /// Opens a directory of the SVS library, or the .config file of an index in the specification's
  /// layout.
  static Result<std::unique_ptr<Index::Impl>> open(const std::filesystem::path& path,
                                                   const OpenOptions& options);

  IndexInfo info() const override;
  std::uint64_t num_unreached() const override;
  void set_recipe(const std::optional<Recipe>& recipe) override { recipe_ = recipe; }
  Result<std::vector<std::vector<Hit>>> search(MatrixView queries, std::size_t k,
                                               const SearchOptions& options,
                                               const std::stop_token& stop) const override;
  Result<void> add(MatrixView rows, std::span<const std::uint64_t> ids, int threads,
                   const std::stop_token& stop) override;
  Result<std::uint64_t> remove(std::span<const std::uint64_t> sorted_ids) override;
  /// Removes the rows that were marked as removed, and links their neighbours to where they led.
  Result<void> compact() override;
  /// Writes a .config path in the specification's layout, and any other path as a directory.
  /// Removed rows are left out.
  Result<void> save(const std::filesystem::path& path) const override;
  void read_slot(std::size_t slot, std::span<float> out) const override;

 private:
  VamanaIndex(const Distance& distance, ElementType stored, const svs::BuildParameters& build)
      : Impl(distance), stored_(stored), build_(build), graph_(0, build.graph_max_degree) {}

  std::size_t num_removed() const noexcept override { return num_removed_; }
  std::span<const float> row(std::size_t i) const noexcept {
    return std::span(values_).subspan(i * dim(), dim());
  }
  StoredRows rows() const noexcept;
  /// Returns the codes; null if there are none, or if adding rows failed before they had codes.
  const Codes* codes() const noexcept {
    return codes_ && codes_->num_rows() == num_slots() ? &*codes_ : nullptr;
  }
  BuildOptions build_options(int threads) const;
  Result<void> append(std::span<const float> values, std::span<const std::uint64_t> ids,
                      int threads);
  bool is_numbered() const noexcept;
  /// Returns true if a row is zero and the metric is the cosine.
  bool is_zero(std::size_t i) const noexcept;
  void lead_to_zeros();
  std::vector<Hit> walk(const Distance::Query& query, std::size_t k,
                        const SearchOptions& options) const;
  Result<void> save_rows(const std::filesystem::path& path) const;

  ElementType stored_;
  svs::BuildParameters build_;
  svs::SearchParameters search_;
  std::optional<Recipe> recipe_;
  AlignedVector<float> values_;  // [rows, dim]
  std::vector<float> inverse_norms_;
  std::optional<Codes> codes_;  // The codes of all rows, if they are of use.
  std::uint64_t num_removed_ = 0;
  std::uint32_t entry_ = 0;
  Graph graph_;

  mutable LeasePool<SearchScratch> scratch_;
};

}  // namespace embd::vamana
