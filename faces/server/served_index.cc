#include "faces/server/served_index.h"

#include "base/json_text.h"
#include "base/try.h"

namespace embd::server {
namespace {

/// Selects the model for queries as ServedIndex::open() describes. Returns null if no model makes
/// vectors of the rows' dimension.
Result<const ServedModel*> model_of(const Searcher& searcher, const Models& models) {
  const ServedModel* found = nullptr;
  std::optional<Error> mismatch;
  for (const auto& served : models.all()) {
    const auto options = searcher.encode_options(served->model);
    if (!options && options.error().code() == ErrorCode::recipe_mismatch) {
      mismatch = options.error();
    } else if (!options && options.error().code() != ErrorCode::invalid_argument) {
      return std::unexpected(options.error());
    } else if (options && searcher.compute_note(served->model).empty()) {
      return served.get();
    } else if (options && found == nullptr) {
      found = served.get();
    }
  }
  if (found == nullptr && mismatch) return std::unexpected(std::move(*mismatch));
  return found;
}

}  // namespace

Result<std::unique_ptr<ServedIndex>> ServedIndex::open(const IndexPlace& place,
                                                       const Models& models) {
  Searcher searcher = EMBD_TRY(
      Searcher::open(place.paths, {.metric = place.metric, .filters = true, .terms = place.terms}));
  std::unique_ptr<ServedIndex> served(new ServedIndex(place.name, std::move(searcher)));
  // Vectors can be searched for without a model; texts need a model that agrees with the rows'
  // recipe.
  served->model_ = EMBD_TRY(model_of(served->searcher_, models));
  served->texts_ = EMBD_TRY(served->searcher_.texts(place.texts, nullptr, served->query_model()));
  return served;
}

std::uint64_t ServedIndex::search_cost(Match match, bool exact) const noexcept {
  // A token takes about 21 million multiplications in the layers. A comparison takes longer for
  // each value, because it waits for memory; so do the scores of rows in a search for terms.
  constexpr std::uint64_t values_a_token = 2'500'000;
  constexpr std::uint64_t rows_a_token = 65'536;
  const std::uint64_t of_terms = match == Match::vectors ? 0 : 1 + num_rows() / rows_a_token;
  if (match == Match::terms) return of_terms;
  return of_terms + searcher_.shard_rows().size() + searcher_.num_compared(exact) / values_a_token;
}

Result<Queries> ServedIndex::queries_of(const Query& query) const {
  const std::span texts(&query.text, 1);
  if (query.match == Match::terms) return searcher_.term_queries(texts, query_model());
  Queries queries =
      EMBD_TRY(searcher_.code_queries(MatrixView(query.vector.data(), 1, query.vector.size())));
  if (query.match == Match::both) EMBD_TRY(searcher_.add_terms(texts, query_model(), queries));
  return queries;
}

Result<std::vector<ServedHit>> ServedIndex::search(const Query& query) const {
  const SearchOptions options = {
      .expansion = query.expansion, .window = query.expansion, .exact = query.exact, .threads = 1};
  const Queries queries = EMBD_TRY(queries_of(query));
  std::vector<ServedHit> hits;
  if (query.match == Match::vectors) {
    const RowHits nearest = EMBD_TRY(searcher_.search(queries, query.k, options, query.filter));
    for (const auto& [row, distance] : nearest.front())
      hits.push_back({.row = row, .distance = distance});
  } else if (query.match == Match::terms) {
    const TermHits best = EMBD_TRY(searcher_.search_terms(queries, query.k, query.filter));
    for (const auto& [row, score] : best.front()) hits.push_back({.row = row, .term_score = score});
  } else {
    const FusedRows fused =
        EMBD_TRY(searcher_.search_both(queries, query.k, options, query.filter));
    for (const auto& [row, score, distance, term_score] : fused.front())
      hits.push_back({row, score, distance, term_score});
  }
  return hits;
}

Result<QueryTerms> ServedIndex::terms_of(std::string_view query) const {
  return QueryTerms::create(*searcher_.terms(), query, query_model());
}

std::string ServedIndex::id_json(std::size_t row) const {
  const std::string id = id_text(searcher_.ids(), row);
  return std::holds_alternative<std::vector<std::string>>(searcher_.ids()) ? json_string(id) : id;
}

std::string ServedIndex::columns_json(std::size_t row) const {
  // The columns were read when the index was opened, so this cannot fail.
  return searcher_.columns_json(row).value_or(std::string());
}

}  // namespace embd::server
