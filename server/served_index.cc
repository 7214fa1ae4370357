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
  std::unique_ptr<ServedIndex> served(new ServedIndex(place, EMBD_TRY(Searcher::open(place.path))));
  if (const auto& recipe = served->recipe()) {
    EncodeOptions options = options_of(*recipe, {}, model);
    // A query is one vector, with a prompt of its own.
    options.prompt.reset();
    options.windows = Windows::none;
    options.stride = 0;
    EMBD_TRY(check_recipe(*recipe, model, options, place.path.native(), false));
    served->query_options_ = options;
  }
  if (!place.texts.empty()) EMBD_TRY(served->read_texts(place.texts));
  return served;
}

Result<void> ServedIndex::read_texts(const std::filesystem::path& path) {
  texts_file_ = EMBD_TRY(MappedFile::open(path));
  for (std::string_view rest = as_text(texts_file_->bytes()); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    texts_.push_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (texts_.size() < num_rows()) {
    return std::unexpected(
        Error(ErrorCode::bad_count,
              fmt::format("{} lines for {} rows of {}", texts_.size(), num_rows(), name_))
            .in_file(path.native()));
  }
  return {};
}

std::uint64_t ServedIndex::search_cost(bool exact) const noexcept {
  // A token is some 21 million multiplications in the layers; a comparison waits for memory.
  constexpr std::uint64_t values_a_token = 2'500'000;
  const bool all = exact || !searcher_.has_index();
  return 1 + (all ? num_rows() * dim() / values_a_token : 0);
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
  const auto vectors = EMBD_TRY(open_vectors(path_));
  const std::size_t count = std::min(num_rows(), most_points);
  Matrix sample(count, dim());
  std::vector<MapPoint> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    points[i].row = i * num_rows() / count;
    EMBD_TRY(vectors->read(points[i].row, 1, sample.row(i)));
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
