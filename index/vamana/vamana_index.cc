#include "index/vamana/vamana_index.h"

#include <algorithm>
#include <numeric>

#include "base/elements.h"
#include "base/parallel.h"
#include "base/try.h"
#include "formats/vectors/svs/specification_layout.h"
#include "index/chain.h"
#include "index/check_rows.h"

namespace embd::vamana {
namespace {

/// A filter of at most this many rows is searched by comparing each of them.
constexpr std::size_t kSmallFilter = 1000;
/// If fewer rows are added than this part (1 / kConnectShare) of the index, looking for unreachable
/// rows is not worth it.
constexpr std::size_t kConnectShare = 64;

Result<Metric> check_metric(Metric metric) {
  if (metric == Metric::cos || metric == Metric::ip || metric == Metric::l2sq) return metric;
  return fail(ErrorCode::unsupported,
              "a Vamana index cannot have the metric {}, expected cos, ip or l2sq",
              metric_name(metric));
}

Metric metric_of(svs::SpecificationDistance distance) {
  switch (distance) {
    case svs::SpecificationDistance::squared_l2:
      return Metric::l2sq;
    case svs::SpecificationDistance::cosine:
      return Metric::cos;
    case svs::SpecificationDistance::inner_product:
      return Metric::ip;
  }
  return Metric::cos;
}

/// Opens a directory of the SVS library, or an index in the specification's layout in the same
/// form.
Result<svs::VamanaDirectory> open_files(const std::filesystem::path& path,
                                        const OpenOptions& options) {
  if (path.extension() == ".config") {
    svs::SpecificationIndex index = EMBD_TRY(svs::open_specification_index(path));
    return svs::VamanaDirectory{.data = std::move(index.vectors.data),
                                .graph = std::move(index.graph),
                                .entry_point = index.entry_point,
                                .build = index.build,
                                .search = index.search,
                                .external_ids = std::move(index.vectors.external_ids),
                                .recipe = std::move(index.vectors.recipe),
                                .metric = metric_of(index.distance)};
  }
  svs::VamanaDirectory index = EMBD_TRY(svs::open_vamana(path));
  if (!index.metric) index.metric = options.metric;
  if (!index.metric) index.metric = EMBD_TRY(svs::metric_unless_said(index, path));
  return index;
}

/// The greatest degree. A graph has room for so many edges of each row.
constexpr std::uint32_t max_degree = 1U << 15;

/// Fills what the options leave open with the defaults of the SVS library.
svs::BuildParameters parameters(const IndexOptions& options) {
  svs::BuildParameters build;
  build.graph_max_degree = options.degree;
  build.window_size = options.window;
  build.max_candidate_pool_size = 3 * std::uint64_t{options.window};
  build.prune_to = options.degree >= 16 ? options.degree - 4 : options.degree;
  const bool is_l2 = metric_or_default(options) == Metric::l2sq;
  build.alpha = options.alpha != 0 ? options.alpha : is_l2 ? 1.2F : 0.93F;
  return build;
}

Result<void> check_ids(std::vector<std::uint64_t> ids) {
  std::ranges::sort(ids);
  if (const auto twice = std::ranges::adjacent_find(ids); twice != ids.end()) {
    return fail(ErrorCode::duplicate,
                "id {} was given twice, expected a different id for each row of a Vamana index",
                *twice);
  }
  return {};
}

/// Returns the values of `rows` as they will be read back; in `room` if they differ. Fails if a
/// value would be read back as infinity.
Result<std::span<const float>> as_stored(ElementType type, MatrixView rows,
                                         std::vector<float>& room) {
  if (type == ElementType::f32) return rows.values();
  EMBD_TRY(check_range(type, rows));
  std::vector<std::byte> stored;
  EMBD_TRY(elements_from_floats(type, rows.values(), stored));
  room.resize(rows.values().size());
  floats_from_elements(type, stored, room);
  return std::span<const float>(room);
}

Result<void> check(const IndexOptions& options) {
  const ElementType scalar = scalar_or_default(options);
  if (scalar != ElementType::f32 && scalar != ElementType::f16 && scalar != ElementType::i8 &&
      scalar != ElementType::u8) {
    return fail(ErrorCode::unsupported,
                "SVS cannot store vectors of type {}, expected f32, f16, i8 or u8",
                element_name(scalar));
  }
  const Metric metric = metric_or_default(options);
  EMBD_TRY(check_metric(metric));
  if (options.multi) {
    return fail(ErrorCode::unsupported,
                "multi was given, but a Vamana index has one row for each id: choose an HNSW "
                "index, which can have several");
  }
  const bool is_l2 = metric == Metric::l2sq;
  const float alpha = parameters(options).alpha;
  if (options.degree == 0 || options.degree > max_degree)
    return fail(ErrorCode::invalid_argument, "degree is {}, expected 1 to {}", options.degree,
                max_degree);
  if (options.window == 0)
    return fail(ErrorCode::invalid_argument,
                "window, the number of candidates that are kept while links are chosen, is 0, "
                "expected at least 1");
  if (!(is_l2 ? alpha >= 1 : alpha > 0 && alpha <= 1)) {
    return fail(ErrorCode::invalid_argument, "alpha is {}, expected {}", alpha,
                is_l2 ? "at least 1" : "more than 0 and at most 1");
  }
  return {};
}

}  // namespace

StoredRows VamanaIndex::rows() const noexcept {
  return {reinterpret_cast<const std::byte*>(values_.data()), dim() * sizeof(float),
          inverse_norms_.empty() ? nullptr : inverse_norms_.data()};
}

BuildOptions VamanaIndex::build_options(int threads) const {
  return {.max_degree = build_.graph_max_degree,
          .prune_to = std::min(build_.prune_to, build_.graph_max_degree),
          .window = build_.window_size,
          .max_candidates = build_.max_candidate_pool_size,
          .alpha = build_.alpha,
          .threads = threads};
}

Result<void> VamanaIndex::append(std::span<const float> values, std::span<const std::uint64_t> ids,
                                 int threads) {
  const std::size_t first = num_slots();
  values_.insert(values_.end(), values.begin(), values.end());
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  removed_.resize(ids_.size());
  graph_.grow(ids_.size());
  for (std::size_t i = first; distance_.uses_norms() && i < num_slots(); ++i)
    inverse_norms_.push_back(distance_.inverse_norm(rows().row(i)));
  std::vector<std::uint32_t> slots(num_slots() - first);
  std::iota(slots.begin(), slots.end(), static_cast<std::uint32_t>(first));
  return CodeScreen::refresh(codes_, distance_, rows(), num_slots(), slots, threads);
}

Result<std::unique_ptr<Index::Impl>> VamanaIndex::build(MatrixView rows,
                                                        std::span<const std::uint64_t> ids,
                                                        const IndexOptions& options,
                                                        const std::stop_token& stop) {
  EMBD_TRY(check(options));
  EMBD_TRY(check_ids(std::vector(ids.begin(), ids.end())));
  if (rows.rows() == 0)
    return fail(ErrorCode::invalid_argument,
                "no rows were given, expected at least one row for a Vamana index");
  const Distance distance =
      EMBD_TRY(Distance::create(metric_or_default(options), ElementType::f32, rows.cols()));
  const ElementType scalar = scalar_or_default(options);
  std::unique_ptr<VamanaIndex> index(new VamanaIndex(distance, scalar, parameters(options)));
  std::vector<float> room;
  EMBD_TRY(index->append(EMBD_TRY(as_stored(scalar, rows, room)), ids, options.threads));
  index->entry_ = medoid(ElementType::f32, rows.cols(), index->rows(), rows.rows(),
                         [&](std::size_t i) { return !index->is_zero(i); });
  const StoredRows rows_of_index = index->rows();
  std::optional<Codes> own;  // Only for the build, if searches do not use codes.
  if (Codes::suits(distance) && index->codes() == nullptr)
    own = EMBD_TRY(Codes::create(distance, rows_of_index, rows.rows(), options.threads));
  index->graph_ =
      EMBD_TRY(build_graph({{distance, rows_of_index}, own ? &*own : index->codes()}, rows.rows(),
                           index->entry_, index->build_options(options.threads), stop));
  index->lead_to_zeros();
  return index;
}

Result<std::unique_ptr<Index::Impl>> VamanaIndex::open(const std::filesystem::path& path,
                                                       const OpenOptions& options) {
  svs::VamanaDirectory files = EMBD_TRY(open_files(path, options));
  const svs::Dataset& data = *files.data;
  const Distance distance = EMBD_TRY(
      Distance::create(EMBD_TRY(check_metric(*files.metric)), ElementType::f32, data.dim()));
  svs::BuildParameters parameters = files.build;
  parameters.graph_max_degree = files.graph.max_degree();
  std::unique_ptr<VamanaIndex> index(
      new VamanaIndex(distance, data.raw() ? data.element_type() : ElementType::f32, parameters));
  std::vector<std::uint64_t> ids = std::move(files.external_ids);
  if (ids.empty()) {
    ids.resize(data.rows());
    std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  }
  std::vector<float> values(data.rows() * data.dim());
  data.decode(0, data.rows(), values);
  EMBD_TRY(index->append(values, ids, 1));
  index->entry_ = static_cast<std::uint32_t>(files.entry_point);
  index->search_ = files.search;
  index->recipe_ = std::move(files.recipe);
  for (std::uint32_t v = 0; v < files.graph.num_vertices(); ++v)
    index->graph_.set(v, files.graph.neighbours(v));
  find_followers(Edges(&index->graph_), Positions(index->distance_, index->rows()), index->entry_);
  return index;
}

IndexInfo VamanaIndex::info() const {
  return {.format = "svs",
          .kind = IndexKind::vamana,
          .metric = distance_.metric(),
          .scalar = stored_,
          .dim = dim(),
          .num_rows = num_slots() - num_removed_,
          .num_removed = num_removed_,
          .connectivity = static_cast<std::uint32_t>(build_.graph_max_degree),
          .connectivity_base = static_cast<std::uint32_t>(build_.graph_max_degree),
          .multi = false,
          .immutable = false,
          .recipe = recipe_};
}

std::uint64_t VamanaIndex::num_unreached() const {
  // count_unreached() only reads the edges, so the cast is safe.
  return count_unreached(Edges(const_cast<Graph*>(&graph_)), entry_, removed_);
}

/// Searches with a window that doubles until k rows that pass are found or the graph has no more.
std::vector<Hit> VamanaIndex::walk(const Distance::Query& query, std::size_t k,
                                   const SearchOptions& options) const {
  const auto scratch = scratch_.lease();
  const StoredRows stored = rows();
  const RowChoice choice = {num_removed_ > 0 ? &removed_ : nullptr, options.filter};
  std::size_t window = options.window;
  std::size_t capacity = std::max<std::size_t>(options.capacity, window);
  if (capacity < k) window = capacity = k;
  std::vector<Neighbour> found;
  if (codes() != nullptr) scratch->screen.set(*codes(), distance_, query);
  while (true) {
    const auto search = [&](const auto& space) {
      search_graph<Purpose::results>(space, query, graph_.view(), entry_, {window, capacity},
                                     *scratch);
    };
    if (codes() != nullptr) {
      search(ScreenedSpace{{distance_, stored}, scratch->screen});
    } else {
      search(RowSpace{distance_, stored});
    }
    found.clear();
    const SearchBuffer& buffer = scratch->buffer;
    for (std::size_t i = 0; i < buffer.slots().size() && found.size() < k; ++i) {
      const std::uint32_t slot = buffer.slots()[i];
      if (choice.accepts(slot)) found.push_back({buffer.distances()[i], slot});
    }
    const bool all_pass = choice.removed == nullptr && choice.filter == nullptr;
    if (all_pass || found.size() == k || capacity >= num_slots()) break;
    window = std::min(num_slots(), 2 * window);
    capacity = std::max(window, std::min(num_slots(), 2 * capacity));
  }
  const std::uint64_t passing =
      options.filter != nullptr ? options.filter->size() : num_slots() - num_removed_;
  if (found.size() < std::min<std::uint64_t>(k, passing))  // Some rows cannot be reached.
    return hits(exact_search({distance_, rows(), num_slots(), choice}, query, k));
  return hits(found);
}

Result<std::vector<std::vector<Hit>>> VamanaIndex::search(MatrixView queries, std::size_t k,
                                                          const SearchOptions& options,
                                                          const std::stop_token& stop) const {
  std::vector<std::vector<Hit>> results(queries.rows());
  const StoredRows query_rows = {reinterpret_cast<const std::byte*>(queries.data()),
                                 dim() * sizeof(float), nullptr};
  const SearchedRows searched = {
      distance_, rows(), num_slots(), {num_removed_ > 0 ? &removed_ : nullptr, options.filter}};
  if (options.exact) {
    const auto found =
        EMBD_TRY(exact_search(searched, query_rows, queries.rows(), k, options.threads, stop));
    std::ranges::transform(found, results.begin(),
                           [&](const auto& neighbours) { return hits(neighbours); });
    return results;
  }
  EMBD_TRY(parallel_for(queries.rows(), options.threads, [&](std::size_t q) -> Result<void> {
    if (stop.stop_requested()) return {};
    const Distance::Query query = distance_.query(query_rows, q);
    const bool is_small = options.filter != nullptr && options.filter->size() <= kSmallFilter;
    results[q] = is_small ? hits(exact_search(searched, query, options.filter->slots(), k))
                          : walk(query, k, options);
    return {};
  }));
  return results;
}

Result<void> VamanaIndex::add(MatrixView rows, std::span<const std::uint64_t> ids, int threads,
                              const std::stop_token& /*stop*/) {
  std::vector<std::uint64_t> all = this->ids();
  all.insert(all.end(), ids.begin(), ids.end());
  EMBD_TRY(check_ids(std::move(all)));
  const std::size_t first = num_slots();
  std::vector<float> room;
  EMBD_TRY(append(EMBD_TRY(as_stored(stored_, rows, room)), ids, threads));
  const BuildOptions options = build_options(threads);
  const StoredRows all_rows = this->rows();
  EMBD_TRY(extend_graph(graph_, {{distance_, all_rows}, codes()}, first, entry_, options, {}));
  if (ids.size() >= num_slots() / kConnectShare)
    connect(graph_, {distance_, all_rows}, entry_, removed_, options);
  lead_to_zeros();
  return {};
}

bool VamanaIndex::is_zero(std::size_t i) const noexcept {
  return distance_.uses_norms() && inverse_norms_[i] == 0;
}

/// Links rows of zeros into the graph. Under the cosine, all other rows are equally far from a
/// query of zeros, so a search would not find the way to rows of zeros.
void VamanaIndex::lead_to_zeros() {
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    if (!is_zero(slot) || removed_[slot] || graph_.is_follower(slot)) continue;
    lead_to(Edges(&graph_), entry_, slot);
    return;
  }
}

Result<std::uint64_t> VamanaIndex::remove(std::span<const std::uint64_t> sorted_ids) {
  const std::vector<std::uint32_t> slots = slots_of(sorted_ids);
  for (const std::uint32_t slot : slots) removed_[slot] = true;
  num_removed_ += slots.size();
  return slots.size();
}

Result<void> VamanaIndex::compact() {
  if (num_removed_ == 0) return {};
  if (num_removed_ == num_slots())
    return fail(ErrorCode::unsupported,
                "all rows were removed, but a Vamana index needs at least one row");
  const StoredRows before = rows();
  bypass_removed(graph_, {distance_, before}, removed_, build_options(1));
  std::vector<std::uint32_t> new_slot(num_slots());
  std::vector<float> values;
  std::vector<std::uint64_t> ids;
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    if (removed_[slot]) continue;
    new_slot[slot] = static_cast<std::uint32_t>(ids.size());
    ids.push_back(ids_[slot]);
    values.insert(values.end(), row(slot).begin(), row(slot).end());
  }
  Graph graph(ids.size(), build_.graph_max_degree);
  std::vector<std::uint32_t> neighbours;
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    if (removed_[slot]) continue;
    const auto old = graph_.neighbours(slot);
    neighbours.resize(old.size());
    std::ranges::transform(old, neighbours.begin(), [&](std::uint32_t n) { return new_slot[n]; });
    graph.set(new_slot[slot], neighbours);
    graph.set_follower(new_slot[slot], graph_.is_follower(slot));
  }
  values_.clear();
  inverse_norms_.clear();
  ids_.clear();
  removed_.clear();
  num_removed_ = 0;
  codes_.reset();
  EMBD_TRY(append(values, ids, 1));
  graph_ = std::move(graph);
  entry_ = medoid(ElementType::f32, dim(), rows(), num_slots(), [&](std::size_t i) {
    return !is_zero(i) && !graph_.is_follower(static_cast<std::uint32_t>(i));
  });
  const StoredRows after = rows();
  connect(graph_, {distance_, after}, entry_, removed_, build_options(1));
  lead_to_zeros();
  return {};
}

void VamanaIndex::read_slot(std::size_t slot, std::span<float> out) const {
  std::ranges::copy(row(slot), out.begin());
}

}  // namespace embd::vamana
