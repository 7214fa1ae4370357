#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/searcher.h"
#include "index/exact.h"
#include "index/slot_rows.h"
#include "jobs/stored_codes.h"

namespace embd {

Result<Matrix> all_rows(const VectorReader& set);

/// Describes a vector set that is the passages of a collection. Its rows are not checked when it is
/// opened: collect() has written the vectors of a model, and a row with a NaN is never found.
struct Passages {
  std::filesystem::path index;  ///< an index over the rows; empty if there is none
};

/// A vector set, or an index over one, that can be searched with vectors. A Searcher has one or
/// several. Immutable: any number of threads may search at the same time.
class SearchShard {
 public:
  /// `passages` is null for all sets but those of collections.
  static Result<SearchShard> open(const std::filesystem::path& path, const SearcherOptions& options,
                                  const Passages* passages = nullptr);
  SearchShard(SearchShard&&) = default;
  SearchShard& operator=(SearchShard&&) = default;

  const std::filesystem::path& path() const noexcept { return path_; }
  const std::shared_ptr<const VectorReader>& vectors() const noexcept { return vectors_; }
  std::uint64_t num_rows() const noexcept { return vectors_->info().num_rows; }
  bool has_index() const noexcept { return index_ != nullptr; }
  /// Returns the kind of its index; unset if it has none.
  std::optional<IndexKind> index_kind() const {
    return has_index() ? std::optional(index_->info().kind) : std::nullopt;
  }
  Metric metric() const noexcept { return metric_; }
  /// Returns the kind of codes of the rows, which queries must have, too.
  const StoredCodes& codes() const noexcept { return codes_; }

  /// Returns true if the rows of its index are bits.
  bool stores_bits() const noexcept { return scalar_ == ElementType::b1; }
  /// Returns a warning, in words, if the index loses lengths that its metric depends on, and no
  /// recipe says that all rows have length 1; otherwise an empty string.
  std::string length_note() const;
  /// Fails unless queries [n, dim] have distances to the rows, as they are stored here.
  Result<void> check_queries(MatrixView queries) const;

  /// Makes a filter of these rows, which must be ascending.
  std::shared_ptr<const IdFilter> filter(std::span<const std::uint64_t> rows) const;
  /// Finds the k nearest rows of each of `queries` [n, dim], which must be checked, and be codes
  /// like the rows.
  Result<RowHits> search(MatrixView queries, std::size_t k, const SearchOptions& options,
                         const std::stop_token& stop) const;

 private:
  SearchShard() = default;
  Result<void> open_index(const SearcherOptions& options);
  Result<void> open_vectors(const SearcherOptions& options, bool is_checked);
  Result<void> open_index_over(const std::filesystem::path& path, const SearcherOptions& options);
  Result<RowHits> search_index(MatrixView queries, std::size_t k, const SearchOptions& options,
                               const std::stop_token& stop) const;
  Result<RowHits> search_rows(MatrixView queries, std::size_t k,
                              const SearchOptions& options) const;
  float distance_of_values(float distance) const noexcept;
  Result<std::vector<std::vector<FoundRow>>> compare(MatrixView queries, std::size_t k,
                                                     const RowChoice& choice, int threads) const;

  std::filesystem::path path_;
  std::shared_ptr<const VectorReader> vectors_;
  StoredCodes codes_;
  Metric metric_ = Metric::cos;
  std::shared_ptr<const Index> index_;     // or null
  ElementType scalar_ = ElementType::f32;  // of the index
  bool is_of_directions_ = false;          // of the index: see length_note()
  SlotRows slot_rows_;                     // of the index
  RowBlocks rows_;                         // without an index
  std::vector<RowPiece> pieces_;           // the same
  std::vector<std::byte> bits_;            // without an index, instead of rows of binary codes
};

}  // namespace embd
