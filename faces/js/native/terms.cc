// Term indexes, and searches of an index by terms, and by vectors and terms.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "embd/terms.h"
#include "faces/js/native/answer.h"
#include "faces/js/native/open_indexes.h"
#include "faces/js/native/option_object.h"
#include "faces/js/native/rows.h"
#include "jobs/search/hybrid.h"

namespace embd::js {
namespace {

std::vector<std::string> strings_of(const char* bytes, const std::uint32_t* sizes,
                                    std::uint32_t count) {
  const std::vector<std::string_view> texts = texts_of(bytes, sizes, count);
  return {texts.begin(), texts.end()};
}

/// Reads the rows that may be found, if the options restrict them.
Result<std::optional<std::vector<std::uint64_t>>> read_rows(const char* text, std::uint32_t size) {
  OptionObject object = EMBD_TRY(OptionObject::parse({text, size}));
  auto rows = EMBD_TRY(take_numbers(object, "rows"));
  EMBD_TRY(object.finish());
  return rows;
}

}  // namespace

Handles<OpenTerms>& term_indexes() {
  static Handles<OpenTerms> open;
  return open;
}

Result<std::vector<std::string>> query_terms(const TermIndex& index, std::string_view text,
                                             std::int32_t model_handle) {
  const Model* model = nullptr;
  if (model_handle != 0) model = EMBD_TRY(models().find(model_handle));
  return EMBD_TRY(index.query(text, model)).texts;
}

EMBD_EXPORT(std::int32_t, embd_terms_open)(const char* name, std::uint32_t name_size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    std::string path(name, name_size);
    TermIndex index = EMBD_TRY(TermIndex::open(path));
    return term_indexes().add({std::move(path), std::move(index)});
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_close)(std::int32_t handle) {
  return answer_with([&](Answer&) { return term_indexes().close(handle); });
}

EMBD_EXPORT(std::int32_t, embd_terms_info)(std::int32_t handle) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndexInfo info = EMBD_TRY(term_indexes().find(handle))->index.info();
    answer.say(nlohmann::json{{"rows", info.num_rows},
                              {"terms", info.num_terms},
                              {"postings", info.num_postings},
                              {"average_length", info.average_length},
                              {"term_kind", name_of(info.recipe.kind, term_kind_names)},
                              {"stemmer", name_of(info.recipe.stemmer, stemmer_names)}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_query)(std::int32_t handle, std::int32_t model_handle,
                                            const char* text, std::uint32_t size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndex& index = EMBD_TRY(term_indexes().find(handle))->index;
    auto terms = EMBD_TRY(query_terms(index, {text, size}, model_handle));
    answer.say(nlohmann::json{{"terms", std::move(terms)}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_weight)(std::int32_t handle, const char* term,
                                             std::uint32_t size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndex& index = EMBD_TRY(term_indexes().find(handle))->index;
    answer.say(nlohmann::json{{"weight", index.weight({term, size})}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_search)(std::int32_t handle, const char* terms,
                                             const std::uint32_t* sizes, std::uint32_t count,
                                             std::uint32_t k, const char* options,
                                             std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndex& index = EMBD_TRY(term_indexes().find(handle))->index;
    const auto rows = EMBD_TRY(read_rows(options, options_size));
    const auto found = EMBD_TRY(index.search(strings_of(terms, sizes, count), k, {.rows = rows}));
    nlohmann::json hits = nlohmann::json::array();
    for (const TermHit& hit : found) hits.push_back({{"row", hit.row}, {"score", hit.score}});
    answer.say(nlohmann::json{{"hits", std::move(hits)}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_scores)(std::int32_t handle, const char* terms,
                                             const std::uint32_t* sizes, std::uint32_t count,
                                             const char* options, std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndex& index = EMBD_TRY(term_indexes().find(handle))->index;
    const auto rows = EMBD_TRY(read_rows(options, options_size));
    if (!rows) return not_of_type("rows", "an array of whole numbers");
    answer.keep(EMBD_TRY(index.scores(strings_of(terms, sizes, count), *rows)));
    return 0;
  });
}

namespace {

/// A row that was found by its terms, in the layout in which JavaScript reads it.
struct FusedHitBytes {
  std::uint64_t id;
  float score;
  float distance;
  float term_score;
  std::uint32_t unused = 0;
};
static_assert(sizeof(FusedHitBytes) == 24);

/// Fails with bad_count unless the term index has as many rows as the index.
Result<void> check_terms(const OpenIndex& open, const OpenTerms& terms) {
  const std::uint64_t num_rows = open.index.info().num_rows;
  if (terms.index.num_rows() == num_rows) return {};
  return fail_in(
      terms.name, ErrorCode::bad_count,
      "the term index has {} rows, but the index has {}, expected the term index of the same texts",
      terms.index.num_rows(), num_rows);
}

/// Searches an index by terms, and by vectors and terms.
class TermSearch {
 public:
  /// Fails as check_terms() and Index::filter() do, and with invalid_argument for a k of 0.
  static Result<TermSearch> create(OpenIndex& open, const OpenTerms& terms, Search search,
                                   std::uint32_t k) {
    if (k == 0) return fail(ErrorCode::invalid_argument, "k is 0, expected at least 1");
    EMBD_TRY(check_terms(open, terms));
    if (!open.rows) open.rows.emplace(open.index);
    TermSearch made(open, terms.index, std::move(search), k);
    if (!made.search_.ids) return made;
    made.allowed_ = EMBD_TRY(open.index.filter(*made.search_.ids));
    made.allowed_rows_.emplace();
    for (const std::uint64_t slot : made.allowed_->slots())
      made.allowed_rows_->push_back(open.rows->by_slot.row(static_cast<std::uint32_t>(slot)));
    return made;
  }

  /// Finds the k rows with the best term scores.
  Result<std::vector<FusedHitBytes>> by_terms(std::span<const std::string> query_terms) const {
    std::vector<FusedHitBytes> hits;
    for (const TermHit& hit : EMBD_TRY(best(query_terms, k_)))
      hits.push_back({.id = open_->rows->ids[hit.row], .term_score = hit.score});
    return hits;
  }

  /// Finds the k best rows by a vector and by terms, as Searcher::search_both() does.
  Result<std::vector<FusedHitBytes>> by_both(MatrixView query,
                                             std::span<const std::string> query_terms) const {
    const std::size_t candidates = num_candidates(k_);
    SearchOptions options = search_.options;
    if (allowed_) options.filter = &*allowed_;
    const CandidateNumbers numbers = {
        .distances =
            [&](std::span<const std::uint64_t> rows) {
              const IdFilter filter = open_->rows->by_slot.filter(rows, open_->rows->ids.size());
              return nearest(query, rows.size(), {.exact = true, .filter = &filter});
            },
        .term_scores = [&](auto rows) { return terms_->scores(query_terms, rows); }};
    std::vector<FusedHitBytes> hits;
    for (const FusedRow& row :
         EMBD_TRY(fuse_hits(EMBD_TRY(nearest(query, candidates, options)),
                            EMBD_TRY(best(query_terms, candidates)), numbers, k_)))
      hits.push_back({.id = open_->rows->ids[row.row],
                      .score = row.score,
                      .distance = row.distance,
                      .term_score = row.term_score});
    return hits;
  }

 private:
  TermSearch(const OpenIndex& open, const TermIndex& terms, Search search, std::uint32_t k)
      : open_(&open), terms_(&terms), search_(std::move(search)), k_(k) {}

  Result<std::vector<TermHit>> best(std::span<const std::string> query_terms,
                                    std::size_t count) const {
    return terms_->search(query_terms, count, {.rows = allowed_rows_});
  }
  Result<std::vector<RowHit>> nearest(MatrixView query, std::size_t count,
                                      const SearchOptions& options) const {
    std::vector<RowHit> hits;
    count = std::min(count, open_->rows->ids.size());
    if (count == 0) return hits;
    for (const Hit& hit : EMBD_TRY(open_->index.search(query, count, options)).front())
      hits.push_back({open_->rows->by_slot.row(hit.slot), hit.distance});
    return hits;
  }

  const OpenIndex* open_;
  const TermIndex* terms_;
  Search search_;
  std::size_t k_;
  std::optional<IdFilter> allowed_;
  std::optional<std::vector<std::uint64_t>> allowed_rows_;
};

}  // namespace

EMBD_EXPORT(std::int32_t, embd_index_check_terms)(std::int32_t handle, std::int32_t terms_handle) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    EMBD_TRY(check_terms(*EMBD_TRY(indexes().find(handle)),
                         *EMBD_TRY(term_indexes().find(terms_handle))));
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_index_search_terms)(std::int32_t handle, std::int32_t terms_handle,
                                                   std::int32_t model_handle, const char* texts,
                                                   const std::uint32_t* sizes, std::uint32_t count,
                                                   const float* queries, std::uint32_t dim,
                                                   std::uint32_t k, const char* options,
                                                   std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    OpenIndex& open = *EMBD_TRY(indexes().find(handle));
    const OpenTerms& terms = *EMBD_TRY(term_indexes().find(terms_handle));
    const TermSearch search =
        EMBD_TRY(TermSearch::create(open, terms, EMBD_TRY(read_search(options, options_size)), k));
    std::vector<FusedHitBytes> hits;
    nlohmann::json counts = nlohmann::json::array();
    for (const std::string_view text : texts_of(texts, sizes, count)) {
      const auto of_text = EMBD_TRY(query_terms(terms.index, text, model_handle));
      const auto found = EMBD_TRY(
          queries == nullptr ? search.by_terms(of_text)
                             : search.by_both({queries + counts.size() * dim, 1, dim}, of_text));
      counts.push_back(found.size());
      hits.insert(hits.end(), found.begin(), found.end());
    }
    answer.say(nlohmann::json{{"counts", std::move(counts)}});
    answer.keep(std::move(hits));
    return 0;
  });
}

}  // namespace embd::js
