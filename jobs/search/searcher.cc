#include "embd/searcher.h"

#include <iterator>
#include <mutex>
#include <numeric>

#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/finalfusion/finalfusion_embeddings.h"
#include "index/shards.h"
#include "jobs/joined_sets.h"
#include "jobs/recipe_check.h"
#include "jobs/search/column_values.h"
#include "jobs/search/row_texts.h"
#include "jobs/search/search_shard.h"
#include "jobs/sets/collection_record.h"

namespace embd {
namespace {

/// Checks that distances to the rows of `shard` can be compared with distances to the rows of
/// `other`.
Result<void> check_shard(const SearchShard& shard, const SearchShard& other) {
  const std::uint64_t dim = shard.vectors()->info().dim;
  const std::uint64_t other_dim = other.vectors()->info().dim;
  if (dim != other_dim && shard.num_rows() > 0 && other.num_rows() > 0) {
    return fail_in(shard.path(), ErrorCode::bad_count,
                   "the rows have {} values, but the rows of {} have {}", dim,
                   text_of_path(other.path()), other_dim);
  }
  const StoredCodes& codes = shard.codes();
  if (codes.type == other.codes().type && same_ranges(codes.ranges, other.codes().ranges))
    return {};
  return fail_in(
      shard.path(), ErrorCode::invalid_argument,
      "the rows cannot be searched together with the rows of {}, because only one of the two files "
      "holds codes (int8 or binary), or their codes are of different kinds or ranges",
      text_of_path(other.path()));
}

/// Returns rows of whole numbers below 256 as bytes.
std::vector<std::uint8_t> bytes_of(const Matrix& rows) {
  std::vector<std::uint8_t> bytes(rows.values().size());
  std::ranges::transform(rows.values(), bytes.begin(),
                         [](float value) { return static_cast<std::uint8_t>(value); });
  return bytes;
}

/// Returns the rows that are in both of two ascending lists.
std::vector<std::uint64_t> in_both(const std::vector<std::uint64_t>& a,
                                   const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

/// Returns the numbers of `count` rows, from 0.
std::vector<std::uint64_t> all_rows(std::uint64_t count) {
  std::vector<std::uint64_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  return rows;
}

}  // namespace

struct Searcher::Impl {
  std::vector<SearchShard> shards;
  std::vector<std::uint64_t> first_rows;  // of each shard
  VectorSetInfo info;
  Ids ids;
  std::optional<Recipe> recipe;
  const SearchShard* of_recipe = nullptr;  // that it came from
  const SearchShard* typical = nullptr;  // the first with rows: one without may not say their kind
  std::optional<TermIndex> terms;

  /// `passages` is null unless the only path is the vector set of a collection.
  Result<void> open(std::span<const std::filesystem::path> paths, SearcherOptions options,
                    const Passages* passages = nullptr);
  Result<void> take_recipes(bool force);
  Result<void> take_ids();
  Result<void> open_terms(const std::filesystem::path& path);
  const RowsById& rows_by_id() const;
  const RowColumns& columns() const;
  Readers sets() const;
  std::unexpected<Error> wrong_dim(std::uint64_t dim) const;
  Result<void> check_queries(MatrixView vectors) const;
  Result<void> check_codes(const StoredCodes& queries, const std::filesystem::path& path) const;
  /// Returns true if queries may be packed bits.
  bool are_bits() const noexcept {
    return codes().type == OutputType::binary || typical->stores_bits();
  }
  const SearchShard& first() const noexcept { return shards.front(); }
  const StoredCodes& codes() const noexcept { return typical->codes(); }
  /// Returns the path that errors about the rows name.
  std::string path() const {
    return text_of_path((of_recipe != nullptr ? *of_recipe : first()).path());
  }

 private:
  mutable std::once_flag rows_by_id_once_;
  mutable std::optional<RowsById> rows_by_id_;
  mutable std::once_flag columns_once_;
  mutable std::optional<RowColumns> columns_;
};

Result<void> Searcher::Impl::open(std::span<const std::filesystem::path> paths,
                                  SearcherOptions options, const Passages* passages) {
  if (paths.empty())
    return fail(ErrorCode::invalid_argument, "no file to search was given, expected at least one");
  shards.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    shards.push_back(EMBD_TRY(SearchShard::open(path, options, passages)));
    if (typical == nullptr || typical->num_rows() == 0) typical = &shards.back();
    EMBD_TRY(check_shard(shards.back(), *typical));
    options.metric = first().metric();
  }
  const auto with_index = std::ranges::find_if(shards, &SearchShard::has_index);
  info = (with_index == shards.end() ? *typical : *with_index).vectors()->info();
  info.dim = typical->vectors()->info().dim;
  info.num_rows = 0;
  for (const SearchShard& shard : shards) {
    first_rows.push_back(info.num_rows);
    info.num_rows += shard.num_rows();
  }
  EMBD_TRY(take_recipes(options.force));
  EMBD_TRY(take_ids());
  EMBD_TRY(open_terms(options.terms));
  if (!options.filters) return {};
  rows_by_id();
  return columns().read_all();
}

Result<void> Searcher::Impl::take_recipes(bool force) {
  for (const SearchShard& shard : shards) {
    const std::optional<Recipe> found = EMBD_TRY(shard.vectors()->recipe());
    if (!found) continue;
    if (!recipe) {
      recipe = found;
      of_recipe = &shard;
      continue;
    }
    EMBD_TRY(check_recipes(*found, *recipe, text_of_path(shard.path()), path(), force));
  }
  return {};
}

Result<void> Searcher::Impl::take_ids() {
  if (shards.size() == 1) {
    ids = EMBD_TRY(first().vectors()->ids());
    return {};
  }
  ids = EMBD_TRY(joined_ids(sets(), /*keep_row_numbers=*/false));
  return {};
}

Result<void> Searcher::Impl::open_terms(const std::filesystem::path& path) {
  if (path.empty()) return {};
  terms.emplace(EMBD_TRY(TermIndex::open(path)));
  if (terms->num_rows() == info.num_rows) return {};
  return fail_in(
      path, ErrorCode::bad_count,
      "the term index has {} rows, but {} has {}, expected the term index of the same texts",
      terms->num_rows(), text_of_path(first().path()), info.num_rows);
}

Readers Searcher::Impl::sets() const {
  Readers sets;
  for (const SearchShard& shard : shards) sets.push_back({shard.path(), shard.vectors()});
  return sets;
}

const RowsById& Searcher::Impl::rows_by_id() const {
  std::call_once(rows_by_id_once_, [&] { rows_by_id_.emplace(ids, info.num_rows); });
  return *rows_by_id_;
}

const RowColumns& Searcher::Impl::columns() const {
  std::call_once(columns_once_, [&] { columns_.emplace(sets()); });
  return *columns_;
}

std::unexpected<Error> Searcher::Impl::wrong_dim(std::uint64_t dim) const {
  return fail_in(first().path(), ErrorCode::invalid_argument,
                 "the queries have {} values, but the rows have {}, expected vectors of one model",
                 dim, codes().encoded_dim);
}

Result<void> Searcher::Impl::check_queries(MatrixView vectors) const {
  for (const SearchShard& shard : shards)
    if (shard.num_rows() > 0) EMBD_TRY(shard.check_queries(vectors));
  return {};
}

/// Checks that queries that are codes are codes of the same kind as the rows.
Result<void> Searcher::Impl::check_codes(const StoredCodes& queries,
                                         const std::filesystem::path& path) const {
  const StoredCodes& rows = codes();
  const bool have_same_ranges =
      !queries.ranges || !rows.ranges || same_ranges(queries.ranges, rows.ranges);
  if (queries.type == rows.type && queries.encoded_dim == rows.encoded_dim && have_same_ranges)
    return {};
  return fail_in(path, ErrorCode::invalid_argument,
                 "the queries are codes of another type, another dimension or other ranges than "
                 "the rows of {}, expected codes like the rows",
                 text_of_path(typical->path()));
}

Searcher::Searcher(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;
Searcher::~Searcher() = default;

Result<Searcher> Searcher::open(const std::filesystem::path& path, const SearcherOptions& options) {
  return open({&path, 1}, options);
}

Result<Searcher> Searcher::open(std::span<const std::filesystem::path> shards,
                                const SearcherOptions& options) {
  return guarded([&]() -> Result<Searcher> {
    if (shards.size() == 1 && is_collection(shards.front()))
      return open_collection(shards.front(), options);
    auto impl = std::make_shared<Impl>();
    EMBD_TRY(impl->open(shards, options));
    return Searcher(std::move(impl));
  });
}

Result<Searcher> Searcher::open_collection(const std::filesystem::path& folder,
                                           const SearcherOptions& options) {
  return collection::with_generation<Searcher>(
      folder, [&](const CollectionInfo& info) -> Result<Searcher> {
        SearcherOptions with_terms = options;
        if (options.terms.empty()) with_terms.terms = collection::terms_in(folder, info.generation);
        const std::filesystem::path passages = collection::passages_in(folder, info.generation);
        Passages known = {.index = collection::index_in(folder, info.generation)};
        const Metric metric = options.metric.value_or(Metric::cos);
        if (!os::is_file(known.index) || metric != Metric::cos) known.index.clear();
        auto impl = std::make_shared<Impl>();
        EMBD_TRY(impl->open({&passages, 1}, with_terms, &known));
        return Searcher(std::move(impl));
      });
}

const VectorSetInfo& Searcher::info() const noexcept {
  return impl_->info;
}
std::vector<std::uint64_t> Searcher::shard_rows() const {
  std::vector<std::uint64_t> rows;
  for (const SearchShard& shard : impl_->shards) rows.push_back(shard.num_rows());
  return rows;
}
bool Searcher::has_index() const noexcept {
  return std::ranges::any_of(impl_->shards, &SearchShard::has_index);
}
std::optional<IndexKind> Searcher::index_kind() const {
  for (const SearchShard& shard : impl_->shards)
    if (const auto kind = shard.index_kind()) return kind;
  return std::nullopt;
}
Metric Searcher::metric() const noexcept {
  return impl_->first().metric();
}
const Ids& Searcher::ids() const noexcept {
  return impl_->ids;
}
const TermIndex* Searcher::terms() const noexcept {
  return impl_->terms ? &*impl_->terms : nullptr;
}
const std::optional<Recipe>& Searcher::recipe() const noexcept {
  return impl_->recipe;
}
std::uint64_t Searcher::query_dim() const noexcept {
  return impl_->codes().encoded_dim;
}

std::string Searcher::length_note() const {
  for (const SearchShard& shard : impl_->shards)
    if (std::string note = shard.length_note(); !note.empty()) return note;
  return {};
}

std::string Searcher::compute_note(const Model& model) const {
  if (!impl_->recipe) return {};
  return compute_difference(*impl_->recipe, model, impl_->path());
}

Result<void> Searcher::read_rows(std::uint64_t first, std::uint64_t count,
                                 std::span<float> out) const {
  const std::uint64_t num_rows = info().num_rows;
  const std::uint64_t dim = info().dim;
  if (first > num_rows || count > num_rows - first || out.size() != count * dim) {
    return fail(ErrorCode::invalid_argument,
                "rows {} to {} of {} were asked for and the output has room for {} values, "
                "expected existing rows and room for exactly their values",
                first, first + count, num_rows, out.size());
  }
  for (std::size_t s = 0; s < impl_->shards.size() && count > 0; ++s) {
    const std::uint64_t end = impl_->first_rows[s] + impl_->shards[s].num_rows();
    if (first >= end) continue;
    const std::uint64_t some = std::min(count, end - first);
    EMBD_TRY(impl_->shards[s].vectors()->read(first - impl_->first_rows[s], some,
                                              out.first(some * dim)));
    out = out.subspan(some * dim);
    first += some;
    count -= some;
  }
  return {};
}

Result<RowTexts> Searcher::texts(const RowTextFiles& files, const RowHits* hits,
                                 const Model* model) const {
  return guarded([&]() -> Result<RowTexts> {
    const bool are_windows = recipe() && recipe()->windows == Windows::rows;
    std::optional<TextsOfWindows> windows =
        are_windows ? std::optional<TextsOfWindows>(std::in_place, ids(), *recipe(), model)
                    : std::nullopt;
    RowTextsBuilder builder(info().num_rows, hits, windows ? &*windows : nullptr);
    if (files.paths.empty()) {
      const auto has_texts = [](const SearchShard& shard) {
        return shard.vectors()->row_texts() != nullptr;
      };
      if (!std::ranges::all_of(impl_->shards, has_texts)) return RowTexts();
      for (std::size_t s = 0; s < impl_->shards.size(); ++s)
        EMBD_TRY(builder.read_stored(*impl_->shards[s].vectors(), impl_->first_rows[s]));
      return std::move(builder).finish();
    }
    if (windows) {
      for (const std::filesystem::path& path : files.paths)
        EMBD_TRY(builder.read_windows(path, files.input));
      EMBD_TRY(builder.check_complete(ids(), files.paths));
      return std::move(builder).finish();
    }
    if (has_ids(files.input)) {
      for (const std::filesystem::path& path : files.paths)
        EMBD_TRY(builder.read_by_id(path, files.input, impl_->rows_by_id()));
      EMBD_TRY(builder.check_complete(ids(), files.paths));
      return std::move(builder).finish();
    }
    const bool is_one_for_all = files.paths.size() == 1;
    if (!is_one_for_all && files.paths.size() != impl_->shards.size()) {
      return fail(ErrorCode::invalid_argument,
                  "{} files of texts were given for {} shards, expected one file for each shard, "
                  "or one for all",
                  files.paths.size(), impl_->shards.size());
    }
    for (std::size_t s = 0; s < files.paths.size(); ++s) {
      const std::uint64_t num_rows = is_one_for_all ? info().num_rows : impl_->shards[s].num_rows();
      EMBD_TRY(builder.read_in_order(files.paths[s], files.input, impl_->first_rows[s], num_rows));
    }
    return std::move(builder).finish();
  });
}

std::uint64_t Searcher::num_compared(bool exact) const noexcept {
  std::uint64_t num_rows = 0;
  for (const SearchShard& shard : impl_->shards)
    if (exact || !shard.has_index()) num_rows += shard.num_rows();
  return num_rows * info().dim;
}

Result<RowFilter> Searcher::filter(std::span<const std::string> ids) const {
  return filter({.ids = std::vector<std::string>(ids.begin(), ids.end())});
}

Result<RowFilter> Searcher::filter(const RowConditions& conditions) const {
  return guarded([&]() -> Result<RowFilter> {
    std::optional<std::vector<std::uint64_t>> rows;
    if (conditions.ids) rows = impl_->rows_by_id().rows_of(*conditions.ids);
    for (const ColumnCondition& condition : conditions.columns) {
      const ColumnValues& column = *EMBD_TRY(impl_->columns().column(condition.column));
      auto matching = EMBD_TRY(column.rows_of(condition));
      rows = rows ? in_both(*rows, matching) : std::move(matching);
    }
    RowFilter filter;
    filter.maker_ = impl_;
    filter.rows_ = rows ? std::move(*rows) : all_rows(info().num_rows);
    std::vector<std::uint64_t> of_shard;
    auto row = filter.rows_.begin();
    for (std::size_t s = 0; s < impl_->shards.size(); ++s) {
      const SearchShard& shard = impl_->shards[s];
      const std::uint64_t first = impl_->first_rows[s];
      of_shard.clear();
      for (; row != filter.rows_.end() && *row < first + shard.num_rows(); ++row)
        of_shard.push_back(*row - first);
      filter.of_shards_.push_back(shard.filter(of_shard));
    }
    return filter;
  });
}

const std::vector<std::string>& Searcher::columns() const {
  return impl_->columns().names();
}

Result<std::string> Searcher::columns_json(std::uint64_t row) const {
  return guarded([&]() -> Result<std::string> {
    if (row < info().num_rows) return impl_->columns().json(row);
    return fail(ErrorCode::invalid_argument,
                "row {} was asked for, but there are {} rows, counted from 0", row,
                info().num_rows);
  });
}

Result<EncodeOptions> Searcher::encode_options(const Model& model,
                                               const QueryOptions& query) const {
  const EncodeOptions options =
      EMBD_TRY(options_of_queries(impl_->recipe, query, model, impl_->path()));
  const std::uint64_t dim = options.truncate_dim != 0 ? options.truncate_dim : model.dim();
  if (info().num_rows > 0 && dim != query_dim()) return impl_->wrong_dim(dim);
  return options;
}

Result<Queries> Searcher::encode_queries(const Model& model,
                                         std::span<const std::string_view> texts,
                                         const QueryOptions& query, std::stop_token stop) const {
  const EncodeOptions options = EMBD_TRY(encode_options(model, query));
  Queries queries = EMBD_TRY(code_queries(EMBD_TRY(model.encode(texts, options, std::move(stop)))));
  if (impl_->terms) queries.terms_ = EMBD_TRY(terms_of(texts, &model));
  return queries;
}

Result<Queries> Searcher::code_queries(MatrixView vectors) const {
  return guarded([&]() -> Result<Queries> {
    // A set without rows may not state its dimension, and no query is compared with it.
    if (info().num_rows > 0 && vectors.cols() != query_dim())
      return impl_->wrong_dim(vectors.cols());
    EMBD_TRY(impl_->check_queries(vectors));
    Matrix rows(vectors.rows(), vectors.cols());
    std::ranges::copy(vectors.values(), rows.data());
    if (info().num_rows > 0)
      rows = EMBD_TRY(in_file(impl_->first().path(), as_codes(impl_->codes(), std::move(rows))));
    return Queries(std::move(rows), impl_);
  });
}

Result<Queries> Searcher::code_queries(PackedBits bits) const {
  return guarded([&]() -> Result<Queries> {
    if (!impl_->are_bits())
      return fail(ErrorCode::invalid_argument,
                  "the queries are packed bits, but the rows are not, expected vectors");
    if (bits.row_bytes != binary_dim(query_dim())) return impl_->wrong_dim(8 * bits.row_bytes);
    Matrix codes(bits.rows, bits.row_bytes);
    std::ranges::transform(std::span(bits.data, bits.rows * bits.row_bytes), codes.data(),
                           [](std::uint8_t byte) { return static_cast<float>(byte) - 128; });
    if (impl_->codes().type != OutputType::binary) codes = signs_of(codes, query_dim());
    return Queries(std::move(codes), impl_);
  });
}

Result<Queries> Searcher::read_queries(const std::filesystem::path& path, bool force) const {
  return guarded([&]() -> Result<Queries> {
    const auto reader = EMBD_TRY(embd::open_vectors(path));
    const std::optional<Recipe> theirs = EMBD_TRY(reader->recipe());
    if (impl_->recipe && theirs) {
      EMBD_TRY(check_recipes(*impl_->recipe, *theirs, impl_->path(), text_of_path(path), force));
    }
    const StoredCodes codes = EMBD_TRY(stored_codes(*reader));
    Matrix rows = EMBD_TRY(all_rows(*reader));
    if (codes.type != OutputType::automatic) {
      EMBD_TRY(impl_->check_codes(codes, path));
      return Queries(std::move(rows), impl_);
    }
    if (reader->info().element_type != ElementType::u8 || !impl_->are_bits() ||
        rows.cols() == query_dim())
      return in_file(path, code_queries(rows));
    const std::vector<std::uint8_t> bits = bytes_of(rows);
    return in_file(path, code_queries(PackedBits{bits.data(), rows.rows(), rows.cols()}));
  });
}

/// Checks the arguments of a search for k hits.
Result<void> Searcher::check_call(const Queries& queries, std::size_t k,
                                  const RowFilter* filter) const {
  if (k == 0)
    return fail(ErrorCode::invalid_argument, "k, the number of hits, is 0, expected at least 1");
  const auto is_ours = [&](const std::weak_ptr<const void>& maker) {
    return !maker.owner_before(impl_) && !impl_.owner_before(maker);
  };
  if (is_ours(queries.maker_) && (filter == nullptr || is_ours(filter->maker_))) return {};
  return fail(
      ErrorCode::invalid_argument,
      "the queries or the filter were made by another Searcher, expected them to be made by "
      "this one");
}

Result<RowHits> Searcher::search(const Queries& queries, std::size_t k,
                                 const SearchOptions& options, const RowFilter* filter,
                                 std::stop_token stop) const {
  return guarded([&]() -> Result<RowHits> {
    EMBD_TRY(check_call(queries, k, filter));
    if (!queries.have_vectors())
      return fail(ErrorCode::invalid_argument,
                  "the queries have terms only, expected queries with vectors");
    const auto search_shard = [&](std::size_t s, const SearchOptions& given) -> Result<RowHits> {
      SearchOptions of_shard = given;
      of_shard.filter = filter != nullptr ? filter->of_shards_[s].get() : nullptr;
      RowHits hits = EMBD_TRY(impl_->shards[s].search(*queries.vectors_, k, of_shard, stop));
      for (std::vector<RowHit>& of_query : hits)
        for (RowHit& hit : of_query) hit.row += impl_->first_rows[s];
      return hits;
    };
    return search_and_merge<RowHit>(impl_->shards.size(), queries.size(), k, options,
                                    /*walks_graphs=*/has_index() && !options.exact, search_shard);
  });
}

Result<RowHits> Searcher::search(const Model& model, std::span<const std::string_view> texts,
                                 std::size_t k, const SearchOptions& options,
                                 const RowFilter* filter, std::stop_token stop) const {
  const Queries queries = EMBD_TRY(encode_queries(model, texts, {}, stop));
  return search(queries, k, options, filter, std::move(stop));
}

/// Returns the distances of rows, which are ascending, to one of the queries.
Result<std::vector<RowHit>> Searcher::distances(const Queries& queries, std::size_t query,
                                                std::span<const std::uint64_t> rows) const {
  std::vector<RowHit> hits;
  auto row = rows.begin();
  for (std::size_t s = 0; s < impl_->shards.size(); ++s) {
    const SearchShard& shard = impl_->shards[s];
    const std::uint64_t first = impl_->first_rows[s];
    std::vector<std::uint64_t> of_shard;
    for (; row != rows.end() && *row < first + shard.num_rows(); ++row)
      of_shard.push_back(*row - first);
    if (of_shard.empty()) continue;
    const auto filter = shard.filter(of_shard);
    const SearchOptions exact = {.exact = true, .filter = filter.get(), .threads = 1};
    const RowHits found = EMBD_TRY(
        shard.search(queries.vectors_->view().slice(query, 1), of_shard.size(), exact, {}));
    for (const RowHit& hit : found.front()) hits.push_back({hit.row + first, hit.distance});
  }
  return hits;
}

Result<RowHits> search_words(const std::filesystem::path& path, const WordQueries& queries,
                             std::size_t k, const RowFilter* allowed) {
  return guarded([&]() -> Result<RowHits> {
    const auto embeddings = EMBD_TRY(finalfusion::Embeddings::open(path));
    const std::size_t num_words = embeddings.num_words();
    const std::size_t count = allowed != nullptr ? num_words : std::min(k, num_words);
    RowHits hits;
    const auto add = [&](std::span<const finalfusion::SimilarWord> found) {
      std::vector<RowHit>& rows = hits.emplace_back();
      for (const auto& [row, word, similarity] : found) {
        if (rows.size() == k) break;
        if (allowed == nullptr || allowed->contains(row)) rows.push_back({row, 1.0F - similarity});
      }
    };
    for (const std::string& word : queries.words) add(EMBD_TRY(embeddings.similar(word, count)));
    for (const auto& [a, b, c] : queries.analogies)
      add(EMBD_TRY(embeddings.analogy(a, b, c, count)));
    return hits;
  });
}

}  // namespace embd
