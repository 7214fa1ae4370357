#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "embd/searcher.h"
#include "faces/server/index_map.h"
#include "faces/server/models.h"
#include "jobs/search/query_terms.h"

namespace embd::server {

/// An index that the server is to open, as the command line describes it.
struct IndexPlace {
  std::string name;
  std::vector<std::filesystem::path> paths;  ///< its shards, as Searcher::open() takes them
  RowTextFiles texts = {};
  std::optional<Metric> metric = {};  ///< SearcherOptions.metric
  std::filesystem::path terms = {};   ///< SearcherOptions.terms
};

/// A row that a search has found. The numbers that the search computes are set.
struct ServedHit {
  std::uint64_t row = 0;
  std::optional<float> score = {};  ///< of vectors and terms together
  std::optional<float> distance = {};
  std::optional<float> term_score = {};
};

/// A searcher with a name and the texts of its rows. All files are read when it is opened. Any
/// number of threads may call any member at once.
class ServedIndex {
 public:
  /// Opens an index, and selects the model that makes vectors of queries. If the rows have a
  /// recipe, it is a model that agrees with the recipe, preferably one that computes in the same
  /// arithmetic. Otherwise it is the first model whose vectors have the dimension of the rows.
  /// Fails with the errors of opening files, and with recipe_mismatch if the rows have a recipe and
  /// it agrees with none of the models.
  static Result<std::unique_ptr<ServedIndex>> open(const IndexPlace& place, const Models& models);

  const std::string& name() const noexcept { return name_; }
  const Searcher& searcher() const noexcept { return searcher_; }
  /// Returns the model that makes vectors of queries that are texts. If it is null, only vectors
  /// can be searched for.
  const ServedModel* model() const noexcept { return model_; }
  std::size_t num_rows() const noexcept { return searcher_.info().num_rows; }
  bool has_texts() const noexcept { return !texts_.empty(); }
  bool has_terms() const noexcept { return searcher_.terms() != nullptr; }
  std::string_view text(std::size_t row) const noexcept { return texts_[row]; }
  /// Returns the cost of searching for one query, measured in tokens of the first model.
  std::uint64_t search_cost(Match match, bool exact) const noexcept;

  /// A query with its options.
  struct Query {
    Match match = Match::vectors;
    /// [searcher().query_dim()], not quantized; empty for Match::terms.
    std::span<const float> vector;
    std::string_view text = {};  ///< empty for Match::vectors
    std::size_t k = 10;
    std::uint32_t expansion = 64;       ///< the number of candidates of the search
    bool exact = false;                 ///< compare with every row
    const RowFilter* filter = nullptr;  ///< only these rows are found; null: all
  };
  /// Returns the k best rows, the best first.
  Result<std::vector<ServedHit>> search(const Query& query) const;
  /// Returns the terms of a query, which can be found in the texts of its hits. There must be a
  /// term index.
  Result<QueryTerms> terms_of(std::string_view query) const;

  /// Returns the id of a row as JSON: a number or a string.
  std::string id_json(std::size_t row) const;
  /// Returns the values of a row in all columns as a JSON object; an empty string if rows have no
  /// columns.
  std::string columns_json(std::size_t row) const;

  const RowTexts& texts() const noexcept { return texts_; }
  /// The map of the rows, which is made when it is first asked for (with_map() in index_map.h).
  SharedMap& shared_map() const noexcept { return map_; }

 private:
  Result<Queries> queries_of(const Query& query) const;
  const Model* query_model() const noexcept { return model_ == nullptr ? nullptr : &model_->model; }

  ServedIndex(std::string name, Searcher searcher)
      : name_(std::move(name)), searcher_(std::move(searcher)) {}

  const std::string name_;
  const Searcher searcher_;
  const ServedModel* model_ = nullptr;
  RowTexts texts_;
  mutable SharedMap map_;
};

}  // namespace embd::server
