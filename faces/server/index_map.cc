#include "faces/server/index_map.h"

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "faces/server/call_work.h"
#include "faces/server/service.h"

namespace embd::server {
namespace {

constexpr std::uint64_t max_points = 4000;
constexpr std::uint32_t num_nearest = 6;
constexpr int rounds = 30;

/// A place on the map that attracts a query, with its weight.
struct Pull {
  double x;
  double y;
  double weight;
};

/// Returns the place with the smallest sum of weighted distances to `pulls`, the geometric median,
/// found with Weiszfeld's algorithm. A single place far away from the others hardly changes it.
std::pair<float, float> median_of(std::span<const Pull> pulls) {
  double x = pulls.front().x;
  double y = pulls.front().y;
  for (int round = 0; round < rounds; ++round) {
    double sum_x = 0;
    double sum_y = 0;
    double sum = 0;
    for (const Pull& pull : pulls) {
      const double dx = pull.x - x;
      const double dy = pull.y - y;
      const double share = pull.weight / (0.05 + std::sqrt(dx * dx + dy * dy));
      sum_x += share * pull.x;
      sum_y += share * pull.y;
      sum += share;
    }
    x = sum_x / sum;
    y = sum_y / sum;
  }
  return {static_cast<float>(x), static_cast<float>(y)};
}

}  // namespace

std::uint64_t IndexMap::num_points(std::uint64_t num_rows) noexcept {
  return std::min(num_rows, max_points);
}

Result<IndexMap> IndexMap::create(const Searcher& searcher, const RowTexts& texts) {
  IndexMap made(searcher);
  const std::uint64_t num_rows = searcher.info().num_rows;
  const std::uint64_t count = num_points(num_rows);
  Matrix rows(count, searcher.info().dim);
  std::vector<std::string> ids;
  for (std::uint64_t point = 0; point < count; ++point) {
    const std::uint64_t row = point * num_rows / count;
    EMBD_TRY(searcher.read_rows(row, 1, rows.row(point)));
    made.rows_.push_back(row);
    made.points_.emplace(row, static_cast<std::uint32_t>(point));
    ids.push_back(id_text(searcher.ids(), row));
  }
  made.map_ = EMBD_TRY(map_rows(rows, {.project = {.threads = 1}, .nearest = num_nearest}));
  if (!texts.empty()) {
    for (const std::uint64_t row : made.rows_) made.map_.texts.emplace_back(texts[row]);
  }
  if (const std::uint32_t k = usual_groups(count); k > 0)
    EMBD_TRY(group_map(made.map_, rows, {.k = k, .threads = 1}));
  made.map_.texts.clear();  // the caller has them
  made.filter_ = EMBD_TRY(searcher.filter(ids));
  return made;
}

Result<QueryPlace> IndexMap::place(std::span<const float> vector) const {
  const Queries queries =
      EMBD_TRY(searcher_->code_queries(MatrixView(vector.data(), 1, vector.size())));
  const RowHits hits = EMBD_TRY(searcher_->search(queries, num_nearest, {.threads = 1}, &*filter_));
  QueryPlace place;
  std::vector<Pull> pulls;
  for (const RowHit& hit : hits.front()) {
    const auto point = points_.find(hit.row);
    if (point == points_.end()) continue;  // another row with this id
    place.points.push_back({point->second, similarity_of(searcher_->metric(), hit.distance)});
    const auto at = map_.places.row(point->second);
    const double distance = hit.distance;
    pulls.push_back({at[0], at[1], 1 / (1e-6 + distance * distance)});
  }
  if (!pulls.empty()) std::tie(place.x, place.y) = median_of(pulls);
  return place;
}

namespace {

/// The time to make the map of a row, in tokens of the first model: 4,000 rows take about a second.
constexpr std::uint64_t tokens_per_row = 1;

/// Lets the calls that wait for a map go on: with the map, or with the failure to make it.
void release(SharedMap& shared, std::optional<IndexMap> made, const Failure& failure) {
  std::vector<SharedMap::Waiting> waiting;
  {
    const std::lock_guard lock(shared.mutex);
    shared.map = std::move(made);
    waiting.swap(shared.waiting);
  }
  for (const auto& [call, use] : waiting) {
    const auto went_on = guarded([&]() -> Result<void> {
      const auto used = shared.map ? use(*shared.map) : std::unexpected(failure);
      if (!used) call->fail(used.error());
      return {};
    });
    if (!went_on) call->fail(failure_of(went_on.error()));
  }
}

/// Makes the map of an index. It belongs to no call, so that it goes on if a client leaves.
class MapWork final : public Work {
 public:
  explicit MapWork(const ServedIndex& index) : index_(index) {
    costs = {std::max<std::uint64_t>(1, tokens_per_row * IndexMap::num_points(index.num_rows()))};
  }

  Result<void> run(std::span<const Slice>) override {
    made_ = EMBD_TRY(IndexMap::create(index_.searcher(), index_.texts()));
    return {};
  }

  void end(Ending, const std::optional<Error>& error) noexcept override {
    release(index_.shared_map(), std::move(made_),
            error ? failure_of(*error)
                  : Failure{Problem::draining, "the server is shutting down", {}, 1});
  }

 private:
  const ServedIndex& index_;
  std::optional<IndexMap> made_;
};

}  // namespace

Answerable<void> with_map(Service& service, const ServedIndex& index, const Call& call,
                          const MapUser& use) {
  SharedMap& shared = index.shared_map();
  {
    const std::lock_guard lock(shared.mutex);
    if (!shared.map) shared.waiting.push_back({call, use});
    if (shared.waiting.size() > 1) return {};  // The map is being made.
  }
  if (shared.map) return use(*shared.map);
  if (auto queued = submit(service, std::make_shared<MapWork>(index)); !queued)
    release(shared, std::nullopt, queued.error());
  return {};
}

}  // namespace embd::server
