#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "embd/searcher.h"
#include "server/index_map.h"
#include "server/models.h"

namespace embd::server {

/// An index to be served, as the command line names it.
struct IndexPlace {
  std::string name;
  std::vector<std::filesystem::path> paths;  ///< shards, searched as one set: Searcher::open()
  RowTextFiles texts = {};
  std::optional<Metric> metric = {};  ///< SearcherOptions.metric
};

/// A Searcher under a name, with the texts of its rows. Reads no file once it is open. Any number
/// of threads may call any member at once.
class ServedIndex {
 public:
  /// Opens the files, and finds the model that makes queries of texts: the one that the rows'
  /// recipe names, rather in the arithmetic that they were made with; for rows without a recipe the
  /// first whose vectors have their dimension. Errors: those of the files; recipe_mismatch where
  /// the rows were made with another recipe than any model's.
  static Result<std::unique_ptr<ServedIndex>> open(const IndexPlace& place, const Models& models);

  const std::string& name() const noexcept { return name_; }
  const Searcher& searcher() const noexcept { return searcher_; }
  /// The model that makes queries of texts; null where none can, and only vectors can be searched
  /// for.
  const ServedModel* model() const noexcept { return model_; }
  std::size_t num_rows() const noexcept { return searcher_.info().num_rows; }
  bool has_texts() const noexcept { return !texts_.empty(); }
  std::string_view text(std::size_t row) const noexcept { return texts_[row]; }
  /// Returns the cost of a search for each query, in tokens of the model.
  std::uint64_t search_cost(bool exact) const noexcept;

  struct Query {
    std::span<const float> vector;  ///< [searcher().query_dim()], not coded yet
    std::size_t k = 10;
    std::uint32_t expansion = 64;
    bool exact = false;
    const RowFilter* filter = nullptr;
  };
  /// Nearest first.
  Result<std::vector<RowHit>> search(const Query& query) const;

  /// The id of a row, as JSON.
  std::string id_json(std::size_t row) const;
  /// The values of a row in all columns, as a JSON object; empty where rows have no columns.
  std::string columns_json(std::size_t row) const;

  /// The map of the rows, made when it is first asked for.
  Result<const IndexMap*> map() const;

 private:
  ServedIndex(std::string name, Searcher searcher)
      : name_(std::move(name)), searcher_(std::move(searcher)) {}

  const std::string name_;
  const Searcher searcher_;
  const ServedModel* model_ = nullptr;
  RowTexts texts_;
  mutable std::mutex map_mutex_;
  mutable std::optional<IndexMap> map_;
};

}  // namespace embd::server
