// The members of a Searcher that search by terms, and by vectors and terms.

#include <utility>

#include "base/try.h"
#include "embd/searcher.h"
#include "jobs/search/hybrid.h"

namespace embd {

Result<Queries::TermsOfEach> Searcher::terms_of(std::span<const std::string_view> texts,
                                                const Model* model) const {
  if (terms() == nullptr)
    return fail(ErrorCode::invalid_argument,
                "the searcher was opened without a term index, which terms are searched in");
  Queries::TermsOfEach all;
  for (const std::string_view text : texts)
    all.push_back(EMBD_TRY(terms()->query(text, model)).texts);
  return all;
}

Result<Queries> Searcher::term_queries(std::span<const std::string_view> texts,
                                       const Model* model) const {
  return guarded(
      [&]() -> Result<Queries> { return Queries(EMBD_TRY(terms_of(texts, model)), impl_); });
}

Result<void> Searcher::add_terms(std::span<const std::string_view> texts, const Model* model,
                                 Queries& queries) const {
  return guarded([&]() -> Result<void> {
    if (texts.size() != queries.size())
      return fail(ErrorCode::invalid_argument,
                  "{} texts were given for {} queries, expected one for each", texts.size(),
                  queries.size());
    queries.terms_ = EMBD_TRY(terms_of(texts, model));
    return {};
  });
}

Result<TermHits> Searcher::search_terms(const Queries& queries, std::size_t k,
                                        const RowFilter* filter, std::stop_token stop) const {
  return guarded([&]() -> Result<TermHits> {
    EMBD_TRY(check_call(queries, k, filter));
    if (!queries.have_terms())
      return fail(ErrorCode::invalid_argument,
                  "the queries have no terms, expected queries of texts");
    TermSearchOptions options;
    if (filter != nullptr) options.rows = filter->rows_;
    TermHits hits;
    for (const std::vector<std::string>& of_query : *queries.terms_) {
      if (stop.stop_requested()) return fail_stopped();
      hits.push_back(EMBD_TRY(terms()->search(of_query, k, options)));
    }
    return hits;
  });
}

Result<FusedRows> Searcher::search_both(const Queries& queries, std::size_t k,
                                        const SearchOptions& options, const RowFilter* filter,
                                        std::stop_token stop) const {
  return guarded([&]() -> Result<FusedRows> {
    EMBD_TRY(check_call(queries, k, filter));
    const std::size_t candidates = num_candidates(k);
    const TermHits best = EMBD_TRY(search_terms(queries, candidates, filter, stop));
    const RowHits nearest = EMBD_TRY(search(queries, candidates, options, filter, std::move(stop)));
    FusedRows fused;
    for (std::size_t query = 0; query < queries.size(); ++query) {
      const CandidateNumbers numbers = {
          .distances = [&](auto rows) { return distances(queries, query, rows); },
          .term_scores =
              [&](auto rows) { return terms()->scores((*queries.terms_)[query], rows); }};
      fused.push_back(EMBD_TRY(fuse_hits(nearest[query], best[query], numbers, k)));
    }
    return fused;
  });
}

}  // namespace embd
