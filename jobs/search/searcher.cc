#include "embd/searcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "base/guard.h"
#include "base/try.h"
#include "index/shards.h"
#include "jobs/joined_sets.h"
#include "jobs/recipe_check.h"
#include "jobs/search/search_shard.h"

namespace embd {
namespace {

/// That the rows of `shard` lie at distances that can be compared with those of `other`.
Result<void> check_shard(const SearchShard& shard, const SearchShard& other) {
  const std::uint64_t dim = shard.vectors()->info().dim;
  const std::uint64_t other_dim = other.vectors()->info().dim;
  if (dim != other_dim && shard.num_rows() > 0 && other.num_rows() > 0) {
    return fail_in(
        shard.path(), ErrorCode::bad_count,
        fmt::format("rows of {} values, {} has {}", dim, other.path().native(), other_dim));
  }
  const StoredCodes& codes = shard.codes();
  if (codes.type == other.codes().type && same_ranges(codes.ranges, other.codes().ranges))
    return {};
  return fail_in(
      shard.path(), ErrorCode::invalid_argument,
      fmt::format("cannot be compared with {}: one has codes (int8, binary) and the other "
                  "none, or codes of another kind or of other ranges",
                  other.path().native()));
}

}  // namespace

struct Searcher::Impl {
  std::vector<SearchShard> shards;
  std::vector<std::uint64_t> first_rows;  // of each shard
  VectorSetInfo info;
  Ids ids;
  std::optional<Recipe> recipe;
  const SearchShard* of_recipe = nullptr;  // that it came from

  Result<void> open(std::span<const std::filesystem::path> paths, SearcherOptions options);
  Result<void> take_recipes(bool force);
  Result<void> take_ids();
  Result<Matrix> coded(Matrix queries) const;
  const SearchShard& first() const noexcept { return shards.front(); }
  /// The shard whose name errors about the rows have.
  std::string_view path() const noexcept {
    return (of_recipe != nullptr ? *of_recipe : first()).path().native();
  }
};

Result<void> Searcher::Impl::open(std::span<const std::filesystem::path> paths,
                                  SearcherOptions options) {
  if (paths.empty()) return fail(ErrorCode::invalid_argument, "nothing to search");
  shards.reserve(paths.size());
  std::size_t typical = 0;  // the first with rows: one without may not say their dimension
  for (const std::filesystem::path& path : paths) {
    shards.push_back(EMBD_TRY(SearchShard::open(path, options)));
    if (shards[typical].num_rows() == 0) typical = shards.size() - 1;
    EMBD_TRY(check_shard(shards.back(), shards[typical]));
    options.metric = first().metric();
  }
  const auto with_index = std::ranges::find_if(shards, &SearchShard::has_index);
  info = (with_index == shards.end() ? shards[typical] : *with_index).vectors()->info();
  info.dim = shards[typical].vectors()->info().dim;
  info.num_rows = 0;
  for (const SearchShard& shard : shards) {
    first_rows.push_back(info.num_rows);
    info.num_rows += shard.num_rows();
  }
  EMBD_TRY(take_recipes(options.force));
  return take_ids();
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
    EMBD_TRY(check_recipes(*found, *recipe, shard.path().native(), path(), force));
  }
  return {};
}

Result<void> Searcher::Impl::take_ids() {
  if (shards.size() == 1) {
    ids = EMBD_TRY(first().vectors()->ids());
    return {};
  }
  Readers sets;
  for (const SearchShard& shard : shards) sets.push_back({shard.path(), shard.vectors()});
  ids = EMBD_TRY(joined_ids(sets, /*keep_row_numbers=*/false));
  return {};
}

/// Queries as the rows are.
Result<Matrix> Searcher::Impl::coded(Matrix queries) const {
  return in_file(first().path(), as_codes(first().codes(), std::move(queries)));
}

Result<Searcher> Searcher::open(const std::filesystem::path& path, const SearcherOptions& options) {
  return open(std::span(&path, 1), options);
}

Result<Searcher> Searcher::open(std::span<const std::filesystem::path> shards,
                                const SearcherOptions& options) {
  return guarded([&]() -> Result<Searcher> {
    auto impl = std::make_unique<Impl>();
    EMBD_TRY(impl->open(shards, options));
    return Searcher(std::move(impl));
  });
}

Searcher::Searcher(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;
Searcher::~Searcher() = default;

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
Metric Searcher::metric() const noexcept {
  return impl_->first().metric();
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
    for (std::size_t s = 0; s < impl_->shards.size(); ++s) {
      const SearchShard& shard = impl_->shards[s];
      std::vector<std::uint32_t> rows;
      for (std::uint32_t row = 0; row < shard.num_rows(); ++row)
        if (wanted.contains(id_text(impl_->ids, impl_->first_rows[s] + row))) rows.push_back(row);
      filter.of_shards_.push_back(EMBD_TRY(shard.filter(rows)));
      for (const std::uint32_t row : rows) filter.rows_.push_back(impl_->first_rows[s] + row);
    }
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
    EMBD_TRY(check_recipe(*impl_->recipe, model, options, impl_->path(), query.force));
  }
  return impl_->coded(EMBD_TRY(model.encode(texts, options, std::move(stop))));
}

Result<Matrix> Searcher::read_queries(const std::filesystem::path& path, bool force) const {
  return guarded([&]() -> Result<Matrix> {
    const auto reader = EMBD_TRY(embd::open_vectors(path));
    const std::optional<Recipe> theirs = EMBD_TRY(reader->recipe());
    if (impl_->recipe && theirs) {
      EMBD_TRY(check_recipes(*impl_->recipe, *theirs, impl_->path(), path.native(), force));
    }
    const StoredCodes codes = EMBD_TRY(stored_codes(*reader));
    if (codes.type == OutputType::automatic) return impl_->coded(EMBD_TRY(all_rows(*reader)));
    const SearchShard& first = impl_->first();
    const bool are_alike =
        codes.type == first.codes().type &&
        (!codes.ranges || !first.codes().ranges || same_ranges(codes.ranges, first.codes().ranges));
    if (!are_alike) {
      return fail_in(
          path, ErrorCode::invalid_argument,
          fmt::format("codes that those of {} cannot be compared with", first.path().native()));
    }
    return all_rows(*reader);
  });
}

Result<RowHits> Searcher::search(MatrixView queries, std::size_t k, const SearchOptions& options,
                                 const RowFilter* filter, std::stop_token stop) const {
  return guarded([&]() -> Result<RowHits> {
    if (k == 0) return fail(ErrorCode::invalid_argument, "k is 0");
    const auto search_shard = [&](std::size_t s, const SearchOptions& given) -> Result<RowHits> {
      SearchOptions of_shard = given;
      of_shard.filter = filter != nullptr ? filter->of_shards_[s].get() : nullptr;
      RowHits hits = EMBD_TRY(impl_->shards[s].search(queries, k, of_shard, stop));
      for (std::vector<RowHit>& of_query : hits)
        for (RowHit& hit : of_query) hit.row += impl_->first_rows[s];
      return hits;
    };
    return search_and_merge<RowHit>(impl_->shards.size(), queries.rows(), k, options,
                                    /*walks_graphs=*/has_index() && !options.exact, search_shard);
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
