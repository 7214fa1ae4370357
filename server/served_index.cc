#include "server/served_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "jobs/recipe_check.h"
#include "server/json_answer.h"
#include "server/principal_components.h"

namespace embd::server {

Result<std::unique_ptr<ServedIndex>> ServedIndex::open(const IndexPlace& place,
                                                       const Model& model) {
  Searcher searcher = EMBD_TRY(Searcher::open(place.paths));
  std::unique_ptr<ServedIndex> served(new ServedIndex(place, std::move(searcher)));
  if (const auto& recipe = served->recipe()) {
    EncodeOptions options = options_of(*recipe, {}, model);
    // A query is one vector, with a prompt of its own.
    options.prompt.reset();
    options.windows = Windows::none;
    options.stride = 0;
    EMBD_TRY(check_recipe(*recipe, model, options, place.paths.front().native(), false));
    served->query_options_ = options;
  }
  if (!place.texts.empty()) EMBD_TRY(served->read_texts(place.texts));
  return served;
}

Result<void> ServedIndex::read_texts(const std::vector<std::filesystem::path>& paths) {
  if (paths.size() == 1) return append_texts(paths.front(), num_rows());
  if (paths.size() != paths_.size()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} files of texts for the {} shards of {}: give one for each, or one "
                            "for all",
                            paths.size(), paths_.size(), name_));
  }
  const std::vector<std::uint64_t> shard_rows = searcher_.shard_rows();
  for (std::size_t i = 0; i < paths.size(); ++i) EMBD_TRY(append_texts(paths[i], shard_rows[i]));
  return {};
}

Result<void> ServedIndex::append_texts(const std::filesystem::path& path, std::uint64_t num_rows) {
  texts_files_.push_back(EMBD_TRY(MappedFile::open(path)));
  std::uint64_t num_lines = 0;
  for (std::string_view rest = as_text(texts_files_.back().bytes()); !rest.empty(); ++num_lines) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (num_lines < num_rows) texts_.push_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (num_lines == num_rows) return {};
  return fail_in(
      path, ErrorCode::bad_count,
      fmt::format("{} lines for {} rows of {}, expected one for each", num_lines, num_rows, name_));
}

std::uint64_t ServedIndex::search_cost(bool exact) const noexcept {
  // A token is some 21 million multiplications in the layers; a comparison waits for memory.
  constexpr std::uint64_t values_a_token = 2'500'000;
  const bool all = exact || !searcher_.has_index();
  return num_shards() + (all ? num_rows() * dim() / values_a_token : 0);
}

Result<std::vector<RowHit>> ServedIndex::search(const Query& query) const {
  const SearchOptions options = {
      .expansion = query.expansion, .window = query.expansion, .exact = query.exact, .threads = 1};
  RowHits hits = EMBD_TRY(searcher_.search(MatrixView(query.vector.data(), 1, query.vector.size()),
                                           query.k, options, query.filter));
  return std::move(hits.front());
}

Result<RowFilter> ServedIndex::filter(std::span<const std::string> ids) const {
  return searcher_.filter(ids);
}

std::string ServedIndex::id_json(std::size_t row) const {
  const std::string id = id_text(searcher_.ids(), row);
  return std::holds_alternative<std::vector<std::string>>(searcher_.ids()) ? json_string(id) : id;
}

Result<std::span<const MapPoint>> ServedIndex::map() const {
  constexpr std::size_t most_points = 2000;
  const std::lock_guard lock(map_mutex_);
  if (!map_.empty()) return map_;
  const std::size_t count = std::min(num_rows(), most_points);
  Matrix sample(count, dim());
  std::vector<MapPoint> points(count);
  auto shard = paths_.begin();
  auto vectors = EMBD_TRY(open_vectors(*shard));
  std::size_t first_row = 0;  // of the shard
  for (std::size_t i = 0; i < count; ++i) {
    points[i].row = i * num_rows() / count;
    while (points[i].row - first_row >= vectors->info().num_rows) {
      first_row += vectors->info().num_rows;
      vectors = EMBD_TRY(open_vectors(*++shard));
    }
    EMBD_TRY(vectors->read(points[i].row - first_row, 1, sample.row(i)));
  }
  const auto axes = principal_components(sample);
  for (std::size_t i = 0; i < count; ++i) {
    points[i].x = axes[0][i];
    points[i].y = axes[1][i];
  }
  map_ = std::move(points);
  return map_;
}

}  // namespace embd::server
