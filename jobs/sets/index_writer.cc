#include "jobs/sets/index_writer.h"

#include <new>
#include <optional>

#include "base/try.h"
#include "embd/index.h"
#include "formats/vectors/svs/written_files.h"
#include "index/check_rows.h"
#include "index/distances/distance.h"
#include "jobs/sets/set_writer.h"

namespace embd {
namespace {

class IndexWriter final : public VectorWriter {
 public:
  IndexWriter(std::filesystem::path path, std::uint64_t dim, const IndexOptions& options,
              const std::optional<Recipe>& recipe)
      : VectorWriter(dim), path_(std::move(path)), options_(options), recipe_(recipe) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    if (std::holds_alternative<std::vector<std::string>>(ids)) {
      return fail(ErrorCode::unsupported,
                  "the ids are strings, but an index can store only numbers as ids");
    }
    if (options_.kind == IndexKind::hnsw)
      EMBD_TRY(check_kept_lengths(rows, metric_or_default(options_), scalar_or_default(options_),
                                  num_rows()));
    try {
      values_.insert(values_.end(), rows.values().begin(), rows.values().end());
      if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) {
        ids_.insert(ids_.end(), numbers->begin(), numbers->end());
      }
    } catch (const std::bad_alloc&) {
      return fail(ErrorCode::out_of_memory, "there is not enough memory for the rows of the index");
    }
    return {};
  }

  Result<void> prepare_file() override {
    const MatrixView rows(values_.data(), num_rows(), dim());
    index_ = EMBD_TRY(in_file(path_, Index::build(rows, ids_, options_)));
    index_->set_recipe(recipe_);
    return {};
  }

  Result<void> finish_file() override { return index_->save(path_); }

  std::filesystem::path path_;
  IndexOptions options_;
  std::optional<Recipe> recipe_;
  std::vector<float> values_;  // [rows, dim]
  std::vector<std::uint64_t> ids_;
  std::optional<Index> index_;
};

}  // namespace

Result<std::unique_ptr<VectorWriter>> make_index_writer(const std::filesystem::path& path,
                                                        std::uint64_t dim,
                                                        const IndexOptions& options,
                                                        const std::optional<Recipe>& recipe) {
  // Fails before all rows are collected if they cannot be an index.
  EMBD_TRY(Distance::create(metric_or_default(options), scalar_or_default(options), dim));
  return std::make_unique<IndexWriter>(path, dim, options, recipe);
}

Result<std::unique_ptr<VectorWriter>> create_index(const std::filesystem::path& path,
                                                   std::uint64_t dim, const IndexOptions& options,
                                                   const std::optional<Recipe>& recipe) {
  const bool is_vamana = options.kind == IndexKind::vamana;
  return create_set(path, is_vamana ? svs::check_replaceable : nullptr,
                    {.room = {.ids = IdsInside::numbers, .recipe = is_vamana},
                     .recipe = is_vamana ? std::nullopt : recipe,
                     .ids = {}},
                    [&](const std::filesystem::path& file) {
                      return make_index_writer(file, dim, options, recipe);
                    });
}

}  // namespace embd
