#include "jobs/sets/index_reader.h"

#include <nlohmann/json.hpp>

#include "jobs/sets/sidecar_reader.h"

namespace embd {
namespace {

class IndexRows final : public VectorReader {
 public:
  explicit IndexRows(std::shared_ptr<const Index> index) : index_(std::move(index)) {
    const IndexInfo about = index_->info();
    info_.format = about.format;
    info_.encoding = element_name(about.scalar);
    info_.num_rows = about.num_rows;
    info_.dim = about.dim;
    info_.element_type = about.scalar;
  }

  const VectorSetInfo& info() const noexcept override { return info_; }
  Result<Ids> ids() const override { return Ids(index_->ids()); }
  Result<std::optional<Recipe>> recipe() const override { return index_->info().recipe; }
  std::string describe() const override {
    const IndexInfo about = index_->info();
    return nlohmann::json{{"metric", metric_name(about.metric)},
                          {"removed", about.num_removed},
                          {"multi", about.multi}}
        .dump();
  }
  /// Nothing to do: opening the index has checked its structure.
  Result<void> verify() const override { return {}; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    return index_->read_rows(first, count, out);
  }

  std::shared_ptr<const Index> index_;
  VectorSetInfo info_;
};

}  // namespace

Result<std::unique_ptr<VectorReader>> index_vectors(std::shared_ptr<const Index> index,
                                                    const std::filesystem::path& path) {
  return with_sidecar(std::make_unique<IndexRows>(std::move(index)), path);
}

}  // namespace embd
