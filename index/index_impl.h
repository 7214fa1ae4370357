#pragma once

#include "embd/index.h"

namespace embd {

/// The interface of the kinds of index behind Index. Index has checked the arguments: shapes fit,
/// values are finite, k and threads are at least 1. Functions may throw std::bad_alloc.
class Index::Impl {
 public:
  virtual ~Impl() = default;
  virtual IndexInfo info() const = 0;
  virtual std::size_t dim() const noexcept = 0;
  virtual Metric metric() const noexcept = 0;
  virtual std::uint64_t num_unreached() const = 0;
  virtual void set_recipe(const std::optional<Recipe>&) {}
  virtual Result<std::vector<std::vector<Hit>>> search(MatrixView queries, std::size_t k,
                                                       const SearchOptions& options,
                                                       const std::stop_token& stop) const = 0;
  /// Returns a filter of the rows whose id is among `sorted_ids`, which are ascending and without
  /// repeats, as in remove().
  virtual Result<IdFilter> filter(std::span<const std::uint64_t> sorted_ids) const = 0;
  /// Adds rows. It may be stopped only if the index then stays as it was.
  virtual Result<void> add(MatrixView rows, std::span<const std::uint64_t> ids, int threads,
                           const std::stop_token& stop) = 0;
  virtual Result<std::uint64_t> remove(std::span<const std::uint64_t> sorted_ids) = 0;
  virtual Result<void> compact() = 0;
  virtual Result<void> save(const std::filesystem::path& path) const = 0;
  virtual std::vector<std::uint64_t> ids() const = 0;
  virtual std::vector<std::uint32_t> slots() const = 0;
  virtual void read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const = 0;
  /// Return the id and the decoded row in a slot that has one.
  virtual std::uint64_t id_in(std::size_t slot) const = 0;
  virtual void read_slot(std::size_t slot, std::span<float> out) const = 0;
};

}  // namespace embd
