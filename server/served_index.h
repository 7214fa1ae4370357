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

#include "base/mapped_file.h"
#include "embd/model.h"
#include "embd/searcher.h"
#include "embd/vectors.h"

namespace embd::server {

/// What --index NAME=PATH and --texts NAME=PATH say, each of which may be given several times.
struct IndexPlace {
  std::string name;
  std::vector<std::filesystem::path> paths;  ///< shards, searched as one set: Searcher::open()
  /// Lines are texts of rows: one file for the rows of all shards, or one for each shard; or none.
  std::vector<std::filesystem::path> texts = {};
};

/// A point of a map of rows.
struct MapPoint {
  std::size_t row = 0;
  float x = 0;
  float y = 0;
};

/// An index, or a vector set that is compared row by row, or shards of one, with the ids and texts
/// of its rows. Any number of threads may call any member at once.
class ServedIndex {
 public:
  /// Errors: those of the files; recipe_mismatch where the rows were made with another recipe than
  /// this model's.
  static Result<std::unique_ptr<ServedIndex>> open(const IndexPlace& place, const Model& model);

  const std::string& name() const noexcept { return name_; }
  std::size_t num_rows() const noexcept { return searcher_.info().num_rows; }
  std::size_t dim() const noexcept { return searcher_.info().dim; }
  const std::string& format() const noexcept { return searcher_.info().format; }
  Metric metric() const noexcept { return searcher_.metric(); }
  const std::optional<Recipe>& recipe() const noexcept { return searcher_.recipe(); }
  std::size_t num_shards() const noexcept { return paths_.size(); }
  bool has_texts() const noexcept { return !texts_files_.empty(); }
  /// How a query is to be encoded so that it can be compared with the rows.
  const EncodeOptions& query_options() const noexcept { return query_options_; }
  /// What a search costs, in tokens of the model.
  std::uint64_t search_cost(bool exact) const noexcept;

  struct Query {
    std::span<const float> vector;  ///< [dim]
    std::size_t k = 10;
    std::uint32_t expansion = 64;
    bool exact = false;
    const RowFilter* filter = nullptr;
  };
  /// Nearest first.
  Result<std::vector<RowHit>> search(const Query& query) const;
  /// Of the rows that have these ids, as strings; others are left out.
  Result<RowFilter> filter(std::span<const std::string> ids) const;

  /// The id of a row, as JSON.
  std::string id_json(std::size_t row) const;
  std::string_view text(std::size_t row) const noexcept { return texts_[row]; }

  /// Up to 2,000 rows, spread evenly, on the two axes along which they differ most (principal
  /// components). Computed when first asked for.
  Result<std::span<const MapPoint>> map() const;

 private:
  ServedIndex(const IndexPlace& place, Searcher searcher)
      : name_(place.name), paths_(place.paths), searcher_(std::move(searcher)) {}
  Result<void> read_texts(const std::vector<std::filesystem::path>& paths);
  /// Adds the first `num_rows` lines of a file to the texts.
  Result<void> append_texts(const std::filesystem::path& path, std::uint64_t num_rows);

  const std::string name_;
  const std::vector<std::filesystem::path> paths_;
  const Searcher searcher_;
  EncodeOptions query_options_;
  std::vector<MappedFile> texts_files_;
  std::vector<std::string_view> texts_;
  mutable std::mutex map_mutex_;
  mutable std::vector<MapPoint> map_;
};

}  // namespace embd::server
