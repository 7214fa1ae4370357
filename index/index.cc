#include "embd/index.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/os/file_status.h"
#include "base/output_set.h"
#include "base/parallel.h"
#include "base/try.h"
#include "formats/vectors/files_beside.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/usearch/usearch_scalar.h"
#include "index/check_rows.h"
#include "index/hnsw/hnsw_index.h"
#include "index/index_impl.h"
#include "index/shards.h"
#include "index/vamana/vamana_index.h"

namespace embd {
namespace {

Result<void> check_rows_of(std::uint64_t dim, MatrixView rows, Metric metric) {
  if (rows.rows() > 0 && rows.cols() != dim) {
    return fail(ErrorCode::invalid_argument,
                "the given rows have {} values, but the rows of the index have {}", rows.cols(),
                dim);
  }
  return check_rows(rows, metric);
}

/// Returns the given ids or, if there are none, the numbers that follow those of the rows so far.
Result<std::vector<std::uint64_t>> ids_or_numbers(std::span<const std::uint64_t> ids,
                                                  std::size_t num_rows) {
  std::vector<std::uint64_t> all(ids.begin(), ids.end());
  if (ids.empty()) {
    all.resize(num_rows);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
  }
  if (all.size() != num_rows) {
    return fail(ErrorCode::invalid_argument,
                "{} ids were given for {} rows, expected one id for each row", all.size(),
                num_rows);
  }
  return all;
}

std::vector<std::uint64_t> sorted_and_distinct(std::span<const std::uint64_t> ids) {
  std::vector<std::uint64_t> all(ids.begin(), ids.end());
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

/// Returns, for each of `ids` that has rows, the slot of its last row.
Result<std::unordered_map<std::uint64_t, std::size_t>> slots_by_id(
    const Index::Impl& index, std::span<const std::uint64_t> ids) {
  const IdFilter rows = EMBD_TRY(index.filter(sorted_and_distinct(ids)));
  std::unordered_map<std::uint64_t, std::size_t> slots;
  for (const std::size_t slot : rows.slots()) slots[index.id_in(slot)] = slot;
  return slots;
}

/// Checks that `out` has the size of `count` rows.
Result<void> check_room(std::span<const float> out, std::uint64_t count, std::uint64_t dim) {
  if (count <= out.size() / dim && count * dim == out.size()) return {};
  return fail(ErrorCode::invalid_argument,
              "the output has room for {} values, expected room for {} rows of {} values",
              out.size(), count, dim);
}

/// Returns true for a directory or a configuration in the specification's layout. A USearch index
/// is one file.
bool is_svs_path(const std::filesystem::path& path) {
  return path.extension() == ".config" || os::is_folder(path);
}

Result<void> check_metric(const std::filesystem::path& path, Metric built_for,
                          std::optional<Metric> wanted) {
  if (!wanted || *wanted == built_for) return {};
  return fail_in(path, ErrorCode::invalid_argument,
                 "the index was built for the metric {}, but the metric {} was asked for: search "
                 "with the metric of the index, or build another index",
                 metric_name(built_for), metric_name(*wanted));
}

/// Fails for an index of int8 codes, unless the options say that the caller knows it.
Result<void> check_codes(const std::filesystem::path& path, const OpenOptions& options) {
  if (options.of_codes || !are_int8_codes(path)) return {};
  return fail_in(path, ErrorCode::unsupported,
                 "the rows of the index are int8 codes, which cannot be compared with vectors: "
                 "open the index with Searcher, which quantizes the queries as the rows were");
}

/// Opens an index. If `mapped`, the rows may stay in the file.
Result<std::unique_ptr<Index::Impl>> open_index(const std::filesystem::path& path,
                                                const OpenOptions& options, bool mapped) {
  using Impl = std::unique_ptr<Index::Impl>;
  return consistently<Impl>(path, [&]() -> Result<Impl> {
    EMBD_TRY(check_codes(path, options));
    Impl index = is_svs_path(path) ? Impl(EMBD_TRY(vamana::VamanaIndex::open(path, options)))
                                   : Impl(EMBD_TRY(hnsw::HnswIndex::open(path, options, mapped)));
    EMBD_TRY(check_metric(path, index->metric(), options.metric));
    return index;
  });
}

/// Returns packed bits as rows of zeros and ones.
Matrix unpacked(PackedBits bits, std::size_t dim) {
  Matrix rows(bits.rows, dim);
  for (std::size_t i = 0; i < bits.rows; ++i) {
    const std::span packed(bits.data + i * bits.row_bytes, bits.row_bytes);
    usearch::decode_row(ElementType::b1, std::as_bytes(packed).data(), rows.row(i));
  }
  return rows;
}

template <class Queries>
Result<std::vector<std::vector<Hit>>> search_all(std::span<const IndexShard> shards,
                                                 const Queries& queries, std::size_t num_queries,
                                                 std::size_t k, const SearchOptions& options,
                                                 const std::stop_token& stop) {
  return guarded([&]() -> Result<std::vector<std::vector<Hit>>> {
    if (shards.empty())
      return fail(ErrorCode::invalid_argument,
                  "no index was given to search, expected at least one");
    const Metric metric = shards[0].index->info().metric;
    for (std::size_t s = 1; s < shards.size(); ++s) {
      if (shards[s].index->info().metric == metric) continue;
      return fail(ErrorCode::invalid_argument,
                  "index {} has the metric {}, but the first index has the metric {}, expected one "
                  "metric for all",
                  s, metric_name(shards[s].index->info().metric), metric_name(metric));
    }
    return search_and_merge<Hit>(shards.size(), num_queries, k, options,
                                 /*walks_graphs=*/!options.exact,
                                 [&](std::size_t s, SearchOptions of_shard) {
                                   of_shard.filter = shards[s].filter;
                                   return shards[s].index->search(queries, k, of_shard, stop);
                                 });
  });
}

/// A filter with less than this part (1 / kLeastShareOfBits) of the slots is searched as a sorted
/// list. So a filter of a few rows needs no memory for all rows. Graphs are searched with larger
/// filters only.
constexpr std::size_t kLeastShareOfBits = 1024;

}  // namespace

std::vector<std::uint32_t> Index::Impl::slots_of(std::span<const std::uint64_t> sorted_ids) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    if (!removed_[slot] && std::ranges::binary_search(sorted_ids, ids_[slot]))
      found.push_back(slot);
  }
  return found;
}

Result<IdFilter> Index::Impl::filter(std::span<const std::uint64_t> sorted_ids) const {
  const std::vector<std::uint32_t> slots = slots_of(sorted_ids);
  return IdFilter({slots.begin(), slots.end()}, num_slots());
}

std::vector<std::uint64_t> Index::Impl::ids() const {
  std::vector<std::uint64_t> present;
  for (std::size_t slot = 0; slot < num_slots(); ++slot) {
    if (!removed_[slot]) present.push_back(ids_[slot]);
  }
  return present;
}

std::vector<std::uint32_t> Index::Impl::slots() const {
  std::vector<std::uint32_t> present;
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    if (!removed_[slot]) present.push_back(slot);
  }
  return present;
}

void Index::Impl::read_rows(std::uint64_t first, std::uint64_t count, std::span<float> out) const {
  std::uint64_t place = num_removed() == 0 ? first : 0;
  for (std::size_t slot = place; place < first + count; ++slot) {
    if (removed_[slot]) continue;
    if (place >= first) read_slot(slot, out.subspan((place - first) * dim(), dim()));
    ++place;
  }
}

Index::Index(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

Result<Index> Index::build(MatrixView rows, std::span<const std::uint64_t> ids,
                           const IndexOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<Index> {
    EMBD_TRY(check_rows(rows, metric_or_default(options)));
    const auto all_ids = EMBD_TRY(ids_or_numbers(ids, rows.rows()));
    if (options.kind == IndexKind::vamana) {
      IndexOptions resolved = options;
      resolved.threads = threads_for(options.threads);
      return Index(EMBD_TRY(vamana::VamanaIndex::build(rows, all_ids, resolved, stop)));
    }
    auto index = EMBD_TRY(hnsw::HnswIndex::create(options, rows.cols()));
    EMBD_TRY(index->add(rows, all_ids, threads_for(options.threads), stop));
    return Index(std::move(index));
  });
}

Result<Index> Index::open(const std::filesystem::path& path, const OpenOptions& options) {
  return guarded([&]() -> Result<Index> {
    return Index(EMBD_TRY(open_index(path, options, /*mapped=*/false)));
  });
}

Result<Index> Index::view(const std::filesystem::path& path, const OpenOptions& options) {
  return guarded([&]() -> Result<Index> {
    return Index(EMBD_TRY(open_index(path, options, /*mapped=*/true)));
  });
}

void Index::set_recipe(const std::optional<Recipe>& recipe) {
  impl_->set_recipe(recipe);
}

IndexInfo Index::info() const {
  return impl_->info();
}

std::uint64_t Index::num_unreached() const {
  return impl_->num_unreached();
}

Result<std::vector<Hit>> Index::search(std::span<const float> query, std::size_t k,
                                       const SearchOptions& options) const {
  auto found = EMBD_TRY(search(MatrixView(query.data(), 1, query.size()), k, options));
  return std::move(found.front());
}

Result<std::vector<std::vector<Hit>>> Index::search(MatrixView queries, std::size_t k,
                                                    const SearchOptions& options,
                                                    std::stop_token stop) const {
  return guarded([&]() -> Result<std::vector<std::vector<Hit>>> {
    EMBD_TRY(check_rows_of(impl_->dim(), queries, impl_->metric()));
    if (k == 0)
      return fail(ErrorCode::invalid_argument, "k, the number of hits, is 0, expected at least 1");
    SearchOptions resolved = options;
    resolved.threads = queries.rows() > 1 || options.exact ? threads_for(options.threads) : 1;
    auto found = EMBD_TRY(impl_->search(queries, k, resolved, stop));
    if (stop.stop_requested()) return fail_stopped();
    return found;
  });
}

Result<std::vector<std::vector<Hit>>> Index::search(PackedBits queries, std::size_t k,
                                                    const SearchOptions& options,
                                                    std::stop_token stop) const {
  return guarded([&]() -> Result<std::vector<std::vector<Hit>>> {
    const IndexInfo about = info();
    const std::uint64_t row_bytes = usearch::row_bytes(ElementType::b1, about.dim);
    if (about.scalar != ElementType::b1 || queries.row_bytes != row_bytes) {
      return fail(
          ErrorCode::invalid_argument,
          "a query has {} bytes of packed bits, but a row of the index has {} values of type {}",
          queries.row_bytes, about.dim, element_name(about.scalar));
    }
    return search(unpacked(queries, about.dim), k, options, std::move(stop));
  });
}

Result<IdFilter> Index::filter(std::span<const std::uint64_t> ids) const {
  return guarded([&] { return impl_->filter(sorted_and_distinct(ids)); });
}

Result<void> Index::add(MatrixView rows, std::span<const std::uint64_t> ids, int threads,
                        std::stop_token stop) {
  return guarded([&]() -> Result<void> {
    EMBD_TRY(check_rows_of(impl_->dim(), rows, impl_->metric()));
    const auto all_ids = EMBD_TRY(ids_or_numbers(ids, rows.rows()));
    return impl_->add(rows, all_ids, threads_for(threads), stop);
  });
}

Result<std::uint64_t> Index::remove(std::span<const std::uint64_t> ids) {
  return guarded([&] { return impl_->remove(sorted_and_distinct(ids)); });
}

Result<void> Index::compact() {
  return guarded([&] { return impl_->compact(); });
}

Result<void> Index::save(const std::filesystem::path& path) const {
  return guarded([&]() -> Result<void> {
    const bool may_be_directory = impl_->info().kind == IndexKind::vamana;
    OutputSet set =
        EMBD_TRY(OutputSet::create(path, may_be_directory ? svs::check_replaceable : nullptr));
    // Files beside an older index of this name do not belong to the new one.
    for (const auto& file : files_beside(set.main())) set.include(file);
    if (auto saved = impl_->save(set.staged(set.main())); !saved)
      return std::unexpected(set.as_seen(std::move(saved).error()));
    return set.finish();
  });
}

std::vector<std::uint64_t> Index::ids() const {
  return impl_->ids();
}

std::vector<std::uint32_t> Index::slots() const {
  return impl_->slots();
}

Result<void> Index::read_rows(std::uint64_t first, std::uint64_t count,
                              std::span<float> out) const {
  const IndexInfo about = info();
  if (first > about.num_rows || count > about.num_rows - first) {
    return fail(ErrorCode::invalid_argument,
                "{} rows were asked for, beginning with row {}, but there are {} rows", count,
                first, about.num_rows);
  }
  EMBD_TRY(check_room(out, count, about.dim));
  impl_->read_rows(first, count, out);
  return {};
}

Result<std::vector<bool>> Index::contains(std::span<const std::uint64_t> ids) const {
  return guarded([&]() -> Result<std::vector<bool>> {
    const auto slots = EMBD_TRY(slots_by_id(*impl_, ids));
    std::vector<bool> found;
    found.reserve(ids.size());
    for (const std::uint64_t id : ids) found.push_back(slots.contains(id));
    return found;
  });
}

Result<void> Index::read_rows_of(std::span<const std::uint64_t> ids, std::span<float> out) const {
  return guarded([&]() -> Result<void> {
    EMBD_TRY(check_room(out, ids.size(), impl_->dim()));
    const auto slots = EMBD_TRY(slots_by_id(*impl_, ids));
    for (const std::uint64_t id : ids) {
      const auto found = slots.find(id);
      if (found == slots.end())
        return fail(ErrorCode::invalid_argument, "id {} is not in the index", id);
      impl_->read_slot(found->second, out.first(impl_->dim()));
      out = out.subspan(impl_->dim());
    }
    return {};
  });
}

Result<std::vector<std::vector<Hit>>> search_shards(std::span<const IndexShard> shards,
                                                    MatrixView queries, std::size_t k,
                                                    const SearchOptions& options,
                                                    std::stop_token stop) {
  return search_all(shards, queries, queries.rows(), k, options, stop);
}

Result<std::vector<std::vector<Hit>>> search_shards(std::span<const IndexShard> shards,
                                                    PackedBits queries, std::size_t k,
                                                    const SearchOptions& options,
                                                    std::stop_token stop) {
  return search_all(shards, queries, queries.rows, k, options, stop);
}

IdFilter::IdFilter(std::vector<std::uint64_t> slots, std::size_t num_slots)
    : slots_(std::move(slots)) {
  if (slots_.size() < num_slots / kLeastShareOfBits) return;
  bits_.resize((num_slots + 63) / 64);
  for (const std::uint64_t slot : slots_) bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

}  // namespace embd
