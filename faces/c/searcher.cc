#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/path_text.h"
#include "faces/c/fields.h"
#include "faces/c/support.h"
#include "jobs/options/vector_lists.h"

namespace embd::c {
namespace {

Result<void> open(std::span<const std::filesystem::path> paths, const embd_searcher_options* given,
                  embd_searcher** searcher) {
  EMBD_TRY(require(searcher != nullptr, "searcher is NULL"));
  using C = embd_searcher_options;
  using O = SearcherOptions;
  constexpr Fields<Field<&C::metric, &O::metric>, Field<&C::in_memory, &O::in_memory>,
                   Field<&C::force, &O::force>, Field<&C::terms, &O::terms>>
      fields;
  static_assert(are_all<O>(fields, {}));
  const embd_searcher_options c = known(given, EMBD_SEARCHER_OPTIONS_INIT);
  SearcherOptions options;
  options.filters = c.filters != 0;
  EMBD_TRY(set_all(fields, c, options));
  Searcher opened = EMBD_TRY(Searcher::open(paths, options));
  *searcher = new embd_searcher{std::move(opened)};
  return {};
}

Result<QueryOptions> query_options(const embd_query_options* given) {
  using C = embd_query_options;
  using O = QueryOptions;
  constexpr Fields<Field<&C::prompt, &O::prompt>, Field<&C::prompt_name, &O::prompt_name>,
                   Field<&C::threads, &O::threads>, Field<&C::force, &O::force>>
      fields;
  static_assert(are_all<O>(fields, {}));
  QueryOptions options;
  EMBD_TRY(set_all(fields, known(given, EMBD_QUERY_OPTIONS_INIT), options));
  return options;
}

/// Calls make(), which returns Queries, and puts the result into a new handle.
template <class Make>
embd_status make_queries(embd_queries** queries, embd_error** error, bool is_good,
                         const Make& make) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(is_good && queries != nullptr, "an argument is NULL"));
    auto made = EMBD_TRY(make());  // before the memory is there, which an error would leave
    *queries = new embd_queries{std::move(made)};
    return {};
  });
}

/// Copies a text into a buffer of `capacity` bytes, ending in NUL and cut to fit; copies nothing
/// for a null buffer. Returns the length of the whole text.
size_t copy_text(const std::string& from, char* text, size_t capacity) {
  if (capacity == 0 || text == nullptr) return from.size();
  const size_t copied = std::min(from.size(), capacity - 1);
  std::copy_n(from.begin(), copied, text);
  text[copied] = '\0';
  return from.size();
}

Result<std::vector<std::string>> strings_of(const char* const* ids, std::size_t count) {
  EMBD_TRY(require(std::none_of(ids, ids + count, [](const char* id) { return id == nullptr; }),
                   "an id is NULL"));
  return std::vector<std::string>(ids, ids + count);
}

Result<void> add_conditions(std::span<const embd_column_value> values, RowConditions& conditions) {
  static_assert(EMBD_GREATER_EQUAL == static_cast<int>(Relation::greater_equal));
  for (const auto& [column, value, relation] : values) {
    EMBD_TRY(require(column != nullptr && value != nullptr, "a column or a value is NULL"));
    EMBD_TRY(require(relation >= EMBD_EQUAL && relation <= EMBD_GREATER_EQUAL,
                     "a relation is not a value of the enumeration embd_relation"));
    conditions.add({.column = column, .values = {value}, .relation = Relation(relation)});
  }
  return {};
}

embd_row_hit as_c(const RowHit& hit) {
  return {hit.row, hit.distance};
}
embd_term_hit as_c(const TermHit& hit) {
  return {hit.row, hit.score};
}
embd_fused_row as_c(const FusedRow& row) {
  return {row.row, row.score, row.distance, row.term_score};
}

/// Copies the hits of each query into `hits` [queries, k] and their number into `counts` [queries].
template <class Hit, class HitInC>
void copy_hits(const std::vector<std::vector<Hit>>& found, std::size_t k, HitInC* hits,
               std::size_t* counts) {
  for (std::size_t query = 0; query < found.size(); ++query) {
    std::ranges::transform(found[query], hits + query * k,
                           [](const Hit& hit) { return as_c(hit); });
    counts[query] = found[query].size();
  }
}

Result<void> require_room(const void* hits, const std::size_t* counts, std::size_t count) {
  return require(count == 0 || (hits != nullptr && counts != nullptr), "hits or counts is NULL");
}

}  // namespace
}  // namespace embd::c

using embd::Queries;
using embd::Result;
using namespace embd::c;

extern "C" {

embd_status embd_searcher_open(const char* path, const embd_searcher_options* options,
                               embd_searcher** searcher, embd_error** error) {
  return embd_searcher_open_shards(&path, 1, options, searcher, error);
}

embd_status embd_searcher_open_shards(const char* const* paths, size_t num_paths,
                                      const embd_searcher_options* options,
                                      embd_searcher** searcher, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    return open(EMBD_TRY(paths_of(paths, num_paths)), options, searcher);
  });
}

void embd_searcher_free(embd_searcher* searcher) {
  delete searcher;
}

uint64_t embd_searcher_size(const embd_searcher* searcher) {
  return searcher == nullptr ? 0 : searcher->searcher.info().num_rows;
}

uint64_t embd_searcher_dim(const embd_searcher* searcher) {
  return searcher == nullptr ? 0 : searcher->searcher.query_dim();
}

int embd_searcher_metric(const embd_searcher* searcher) {
  return searcher == nullptr ? EMBD_METRIC_OF_FILE : static_cast<int>(searcher->searcher.metric());
}

size_t embd_searcher_id(const embd_searcher* searcher, uint64_t row, char* text, size_t capacity) {
  size_t size = 0;
  run(nullptr, [&]() -> Result<void> {
    if (row >= embd_searcher_size(searcher)) return {};
    size = copy_text(embd::id_text(searcher->searcher.ids(), row), text, capacity);
    return {};
  });
  return size;
}

size_t embd_searcher_columns(const embd_searcher* searcher, uint64_t row, char* text,
                             size_t capacity) {
  size_t size = 0;
  run(nullptr, [&]() -> Result<void> {
    if (searcher == nullptr) return {};
    const std::string json = EMBD_TRY(searcher->searcher.columns_json(row));
    size = copy_text(json, text, capacity);
    return {};
  });
  return size;
}

embd_status embd_queries_from_texts(const embd_searcher* searcher, const embd_model* model,
                                    const embd_text* texts, size_t count,
                                    const embd_query_options* options, embd_queries** queries,
                                    embd_error** error) {
  const bool is_good = searcher != nullptr && model != nullptr;
  return make_queries(queries, error, is_good, [&]() -> Result<Queries> {
    return searcher->searcher.encode_queries(model->model, EMBD_TRY(texts_of(texts, count)),
                                             EMBD_TRY(query_options(options)));
  });
}

embd_status embd_queries_from_vectors(const embd_searcher* searcher, const float* vectors,
                                      size_t count, size_t dim, embd_queries** queries,
                                      embd_error** error) {
  return make_queries(queries, error, searcher != nullptr, [&]() -> Result<Queries> {
    return searcher->searcher.code_queries(EMBD_TRY(rows_of(vectors, count, dim)));
  });
}

embd_status embd_queries_from_bits(const embd_searcher* searcher, const uint8_t* bits, size_t count,
                                   size_t row_bytes, embd_queries** queries, embd_error** error) {
  const bool is_good = searcher != nullptr && (bits != nullptr || count == 0);
  return make_queries(queries, error, is_good, [&] {
    return searcher->searcher.code_queries(embd::PackedBits{bits, count, row_bytes});
  });
}

embd_status embd_queries_from_file(const embd_searcher* searcher, const char* path, int force,
                                   embd_queries** queries, embd_error** error) {
  const bool is_good = searcher != nullptr && path != nullptr;
  return make_queries(queries, error, is_good, [&] {
    return searcher->searcher.read_queries(embd::path_of_text(path), force != 0);
  });
}

embd_status embd_queries_from_terms(const embd_searcher* searcher, const embd_model* model,
                                    const embd_text* texts, size_t count, embd_queries** queries,
                                    embd_error** error) {
  return make_queries(queries, error, searcher != nullptr, [&]() -> Result<Queries> {
    return searcher->searcher.term_queries(EMBD_TRY(texts_of(texts, count)),
                                           model == nullptr ? nullptr : &model->model);
  });
}

embd_status embd_queries_add_terms(const embd_searcher* searcher, const embd_model* model,
                                   const embd_text* texts, size_t count, embd_queries* queries,
                                   embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(searcher != nullptr && queries != nullptr, "searcher or queries is NULL"));
    return searcher->searcher.add_terms(EMBD_TRY(texts_of(texts, count)),
                                        model == nullptr ? nullptr : &model->model,
                                        queries->queries);
  });
}

void embd_queries_free(embd_queries* queries) {
  delete queries;
}

size_t embd_queries_size(const embd_queries* queries) {
  return queries == nullptr ? 0 : queries->queries.size();
}

embd_status embd_filter_create(const embd_searcher* searcher, const char* const* ids, size_t count,
                               embd_filter** filter, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(searcher != nullptr && filter != nullptr && (ids != nullptr || count == 0),
                     "searcher, ids or filter is NULL"));
    const auto strings = EMBD_TRY(strings_of(ids, count));
    auto made = EMBD_TRY(searcher->searcher.filter(strings));
    *filter = new embd_filter{std::move(made)};
    return {};
  });
}

embd_status embd_filter_create_where(const embd_searcher* searcher, const char* const* ids,
                                     size_t num_ids, const embd_column_value* values,
                                     size_t num_values, embd_filter** filter, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(searcher != nullptr && filter != nullptr && (ids != nullptr || num_ids == 0) &&
                         (values != nullptr || num_values == 0),
                     "searcher, ids, values or filter is NULL"));
    embd::RowConditions conditions;
    if (ids != nullptr) conditions.ids = EMBD_TRY(strings_of(ids, num_ids));
    EMBD_TRY(add_conditions({values, num_values}, conditions));
    auto made = EMBD_TRY(searcher->searcher.filter(conditions));
    *filter = new embd_filter{std::move(made)};
    return {};
  });
}

void embd_filter_free(embd_filter* filter) {
  delete filter;
}

uint64_t embd_filter_size(const embd_filter* filter) {
  return filter == nullptr ? 0 : filter->filter.size();
}

embd_status embd_searcher_search(const embd_searcher* searcher, const embd_queries* queries,
                                 size_t k, const embd_search_options* options,
                                 const embd_filter* filter, embd_row_hit* hits, size_t* counts,
                                 embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(searcher != nullptr && queries != nullptr, "searcher or queries is NULL"));
    EMBD_TRY(require_room(hits, counts, queries->queries.size()));
    const embd::RowHits found =
        EMBD_TRY(searcher->searcher.search(queries->queries, k, EMBD_TRY(search_options(options)),
                                           filter == nullptr ? nullptr : &filter->filter));
    copy_hits(found, k, hits, counts);
    return {};
  });
}

embd_status embd_searcher_search_terms(const embd_searcher* searcher, const embd_queries* queries,
                                       size_t k, const embd_filter* filter, embd_term_hit* hits,
                                       size_t* counts, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(searcher != nullptr && queries != nullptr, "searcher or queries is NULL"));
    EMBD_TRY(require_room(hits, counts, queries->queries.size()));
    const embd::TermHits found = EMBD_TRY(searcher->searcher.search_terms(
        queries->queries, k, filter == nullptr ? nullptr : &filter->filter));
    copy_hits(found, k, hits, counts);
    return {};
  });
}

embd_status embd_searcher_search_both(const embd_searcher* searcher, const embd_queries* queries,
                                      size_t k, const embd_search_options* options,
                                      const embd_filter* filter, embd_fused_row* rows,
                                      size_t* counts, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(searcher != nullptr && queries != nullptr, "searcher or queries is NULL"));
    EMBD_TRY(require_room(rows, counts, queries->queries.size()));
    const embd::FusedRows found = EMBD_TRY(
        searcher->searcher.search_both(queries->queries, k, EMBD_TRY(search_options(options)),
                                       filter == nullptr ? nullptr : &filter->filter));
    copy_hits(found, k, rows, counts);
    return {};
  });
}

embd_status embd_searcher_search_texts(const embd_searcher* searcher, const embd_model* model,
                                       const embd_text* texts, size_t count, const char* prompt,
                                       size_t k, const embd_search_options* options,
                                       embd_row_hit* hits, size_t* counts, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(searcher != nullptr && model != nullptr, "searcher or model is NULL"));
    EMBD_TRY(require_room(hits, counts, count));
    const embd::SearchOptions search = EMBD_TRY(search_options(options));
    embd::QueryOptions query = {.threads = search.threads};
    if (prompt != nullptr) query.prompt = prompt;
    const embd::Queries queries = EMBD_TRY(
        searcher->searcher.encode_queries(model->model, EMBD_TRY(texts_of(texts, count)), query));
    const embd::RowHits found = EMBD_TRY(searcher->searcher.search(queries, k, search));
    copy_hits(found, k, hits, counts);
    return {};
  });
}

}  // extern "C"
