#include "embd/searcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "base/cpu.h"
#include "base/guard.h"
#include "base/output_set.h"
#include "base/try.h"
#include "formats/svs/svs_reader.h"
#include "index/exact.h"
#include "jobs/recipe_check.h"
#include "jobs/stored_codes.h"
#include "vectors/format_table.h"
#include "vectors/index_reader.h"

namespace embd {
namespace {

Result<Matrix> read_rows(const VectorReader& reader) {
  Matrix rows(reader.info().num_rows, reader.info().dim);
  EMBD_TRY(reader.read(0, reader.info().num_rows, rows.values()));
  return rows;
}

StoredRows stored(MatrixView matrix) {
  return {reinterpret_cast<const std::byte*>(matrix.data()), 4 * matrix.cols(), nullptr};
}

/// Which row lies in which slot of an index; empty where they are the same.
std::vector<std::uint32_t> rows_of_slots(const std::vector<std::uint32_t>& slots) {
  if (slots.empty() || slots.back() + 1 == slots.size()) return {};
  std::vector<std::uint32_t> rows(slots.back() + std::size_t{1});
  for (std::uint32_t row = 0; row < slots.size(); ++row) rows[slots[row]] = row;
  return rows;
}

}  // namespace

struct Searcher::Impl {
  std::filesystem::path path;
  std::unique_ptr<VectorReader> vectors;
  Ids ids;
  std::optional<Recipe> recipe;
  StoredCodes codes;
  Metric metric = Metric::cos;
  std::shared_ptr<const Index> index;      // or null
  std::vector<std::uint32_t> row_of_slot;  // empty: the same numbers
  Matrix copied_rows;                      // without an index, where the file does not map them
  MatrixView rows;                         // without an index
  std::vector<std::byte> bits;             // without an index, instead of rows of binary codes
  Result<void> open_index(const SearcherOptions& options);
  Result<void> open_vectors(const SearcherOptions& options);
  Result<Matrix> coded(Matrix queries) const;
  std::uint64_t num_rows() const noexcept { return vectors->info().num_rows; }
  Result<RowHits> search_index(MatrixView queries, std::size_t k, SearchOptions options,
                               std::stop_token stop) const;
  Result<RowHits> search_rows(MatrixView queries, std::size_t k,
                              const SearchOptions& options) const;
  Result<std::vector<std::vector<Neighbour>>> compare(MatrixView queries, std::size_t k,
                                                      const RowChoice& choice, int threads) const;
};

Result<void> Searcher::Impl::open_index(const SearcherOptions& options) {
  OpenOptions open;
  open.metric = options.metric.value_or(Metric::cos);
  const auto opener = options.in_memory ? Index::open : Index::view;
  EMBD_TRY(finish_exchange(path));
  const SetSnapshot snapshot = SetSnapshot::begin(path);
  index = std::make_shared<const Index>(EMBD_TRY(opener(path, open)));
  metric = index->info().metric;
  if (options.metric && *options.metric != metric) {
    return std::unexpected(Error(ErrorCode::invalid_argument,
                                 fmt::format("built for the metric {}, not {}", metric_name(metric),
                                             metric_name(*options.metric)))
                               .in_file(path.native()));
  }
  row_of_slot = rows_of_slots(index->slots());
  vectors = EMBD_TRY(index_vectors(index, path));
  if (!snapshot.is_current()) {
    return std::unexpected(
        Error(ErrorCode::io_failed, "replaced while it was opened").in_file(path.native()));
  }
  return {};
}

Result<void> Searcher::Impl::open_vectors(const SearcherOptions& options) {
  vectors = EMBD_TRY(embd::open_vectors(path, options.read));
  codes = EMBD_TRY(stored_codes(*vectors));
  if (codes.type == OutputType::binary) {
    metric = options.metric.value_or(Metric::hamming);
    if (auto distance = Distance::create(metric, ElementType::b1, 8); !distance)
      return std::unexpected(std::move(distance).error().in_file(path.native()));
    bits = bits_of(EMBD_TRY(read_rows(*vectors)));
    return {};
  }
  metric = options.metric.value_or(Metric::cos);
  const PlainRowSource* plain = vectors->plain_rows();
  if (const auto mapped = plain != nullptr ? plain->view() : std::nullopt) {
    rows = *mapped;
    return {};
  }
  copied_rows = EMBD_TRY(read_rows(*vectors));
  rows = copied_rows;
  return {};
}

Result<Searcher> Searcher::open(const std::filesystem::path& path, const SearcherOptions& options) {
  return guarded([&]() -> Result<Searcher> {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    const Format* format = EMBD_TRY(format_of_input(path, options.read.format));
    const bool is_index = format->name == "usearch" || svs::is_vamana(path);
    EMBD_TRY(is_index ? impl->open_index(options) : impl->open_vectors(options));
    impl->ids = EMBD_TRY(impl->vectors->ids());
    impl->recipe = EMBD_TRY(impl->vectors->recipe());
    if (is_index) impl->codes = EMBD_TRY(stored_codes(*impl->vectors));
    return Searcher(std::move(impl));
  });
}

Searcher::Searcher(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;
Searcher::~Searcher() = default;

const VectorSetInfo& Searcher::info() const noexcept {
  return impl_->vectors->info();
}
bool Searcher::has_index() const noexcept {
  return impl_->index != nullptr;
}
Metric Searcher::metric() const noexcept {
  return impl_->metric;
}
const Ids& Searcher::ids() const noexcept {
  return impl_->ids;
}
const std::optional<Recipe>& Searcher::recipe() const noexcept {
  return impl_->recipe;
}

Result<RowFilter> Searcher::filter(std::span<const std::string> ids) const {
  return guarded([&]() -> Result<RowFilter> {
    const std::unordered_set<std::string_view> wanted(ids.begin(), ids.end());
    RowFilter filter;
    for (std::uint32_t row = 0; row < impl_->num_rows(); ++row)
      if (wanted.contains(id_text(impl_->ids, row))) filter.rows_.push_back(row);
    if (impl_->index == nullptr) {
      filter.slots_ = std::make_shared<const IdFilter>(
          std::vector<std::uint32_t>(filter.rows_.begin(), filter.rows_.end()), impl_->num_rows());
      return filter;
    }
    const std::vector<std::uint64_t> keys = impl_->index->ids();
    std::vector<std::uint64_t> allowed;
    for (const std::uint64_t row : filter.rows_) allowed.push_back(keys[row]);
    filter.slots_ = std::make_shared<const IdFilter>(EMBD_TRY(impl_->index->filter(allowed)));
    return filter;
  });
}

Result<Matrix> Searcher::encode(const Model& model, std::span<const std::string_view> texts,
                                const QueryOptions& query, std::stop_token stop) const {
  EncodeOptions options;
  options.threads = query.threads;
  if (impl_->recipe) {
    options = options_of(*impl_->recipe, options, model);
    // A query is one vector with a prompt of its own.
    options.windows = Windows::none;
    options.stride = 0;
  }
  options.prompt = query.prompt;
  options.prompt_name = query.prompt_name;
  if (!options.prompt && options.prompt_name.empty()) options.prompt_name = "query";
  if (impl_->recipe) {
    EMBD_TRY(check_recipe(*impl_->recipe, model, options, impl_->path.native(), query.force));
  }
  return impl_->coded(EMBD_TRY(model.encode(texts, options, std::move(stop))));
}

Result<Matrix> Searcher::read_queries(const std::filesystem::path& path, bool force) const {
  return guarded([&]() -> Result<Matrix> {
    const auto reader = EMBD_TRY(embd::open_vectors(path));
    const std::optional<Recipe> theirs = EMBD_TRY(reader->recipe());
    if (impl_->recipe && theirs) {
      EMBD_TRY(check_recipes(*impl_->recipe, *theirs, impl_->path.native(), path.native(), force));
    }
    const StoredCodes codes = EMBD_TRY(stored_codes(*reader));
    if (codes.type == OutputType::automatic) return impl_->coded(EMBD_TRY(read_rows(*reader)));
    const bool are_alike =
        codes.type == impl_->codes.type &&
        (!codes.ranges || !impl_->codes.ranges ||
         std::ranges::equal(codes.ranges->values(), impl_->codes.ranges->values()));
    if (!are_alike) {
      return std::unexpected(
          Error(ErrorCode::invalid_argument,
                fmt::format("codes that those of {} cannot be compared with", impl_->path.native()))
              .in_file(path.native()));
    }
    return read_rows(*reader);
  });
}

/// Queries as the rows are.
Result<Matrix> Searcher::Impl::coded(Matrix queries) const {
  auto codes_of_queries = as_codes(codes, std::move(queries));
  if (!codes_of_queries)
    return std::unexpected(std::move(codes_of_queries).error().in_file(path.native()));
  return codes_of_queries;
}

Result<RowHits> Searcher::Impl::search_index(MatrixView queries, std::size_t k,
                                             SearchOptions options, std::stop_token stop) const {
  const auto found = EMBD_TRY(index->search(queries, k, options, std::move(stop)));
  RowHits hits(found.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (const Hit& hit : found[q])
      hits[q].push_back({row_of_slot.empty() ? hit.slot : row_of_slot[hit.slot], hit.distance});
  }
  return hits;
}

Result<std::vector<std::vector<Neighbour>>> Searcher::Impl::compare(MatrixView queries,
                                                                    std::size_t k,
                                                                    const RowChoice& choice,
                                                                    int threads) const {
  if (codes.type != OutputType::binary) {
    const Distance distance = EMBD_TRY(Distance::create(metric, ElementType::f32, rows.cols()));
    return exact_search(distance, stored(queries), queries.rows(), stored(rows), rows.rows(), k,
                        choice, threads);
  }
  const std::size_t row_bytes = queries.cols();
  const Distance distance = EMBD_TRY(Distance::create(metric, ElementType::b1, 8 * row_bytes));
  const std::vector<std::byte> query_bits = bits_of(queries);
  return exact_search(distance, {query_bits.data(), row_bytes, nullptr}, queries.rows(),
                      {bits.data(), row_bytes, nullptr}, num_rows(), k, choice, threads);
}

Result<RowHits> Searcher::Impl::search_rows(MatrixView queries, std::size_t k,
                                            const SearchOptions& options) const {
  if (num_rows() == 0) return RowHits(queries.rows());  // It may not say its dimension.
  if (queries.cols() != vectors->info().dim) {
    return fail(ErrorCode::invalid_argument, fmt::format("queries of {} values; the rows have {}",
                                                         queries.cols(), vectors->info().dim));
  }
  const int threads = options.threads > 0 ? options.threads : available_threads();
  const auto found = EMBD_TRY(compare(queries, k, {.filter = options.filter}, threads));
  RowHits hits(found.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (const auto& [d, slot] : found[q]) hits[q].push_back({slot, d});
  }
  return hits;
}

Result<RowHits> Searcher::search(MatrixView queries, std::size_t k, const SearchOptions& options,
                                 const RowFilter* filter, std::stop_token stop) const {
  return guarded([&]() -> Result<RowHits> {
    if (k == 0) return fail(ErrorCode::invalid_argument, "k is 0");
    SearchOptions resolved = options;
    resolved.filter = filter != nullptr ? filter->slots_.get() : nullptr;
    // No more rows than there are can be found, nor be candidates.
    const std::uint64_t most = std::max<std::uint64_t>(1, impl_->num_rows());
    k = std::min<std::uint64_t>(k, most);
    for (std::uint32_t* size : {&resolved.expansion, &resolved.window, &resolved.capacity})
      *size = static_cast<std::uint32_t>(std::min<std::uint64_t>(*size, most));
    return impl_->index != nullptr ? impl_->search_index(queries, k, resolved, std::move(stop))
                                   : impl_->search_rows(queries, k, resolved);
  });
}

Result<RowHits> Searcher::search(const Model& model, std::span<const std::string_view> texts,
                                 std::size_t k, const SearchOptions& options,
                                 const QueryOptions& query, const RowFilter* filter,
                                 std::stop_token stop) const {
  const Matrix queries = EMBD_TRY(encode(model, texts, query, stop));
  return search(queries, k, options, filter, std::move(stop));
}

}  // namespace embd
