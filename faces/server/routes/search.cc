// Routes of embd's own for searching the indexes of the server.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/try.h"
#include "engine/ranking.h"
#include "faces/server/exchange.h"
#include "faces/server/json_request.h"
#include "faces/server/pairs_work.h"
#include "faces/server/search_requests.h"
#include "faces/server/served_index.h"
#include "faces/server/service.h"
#include "faces/server/texts_work.h"

namespace embd::server {
namespace {

/// The rows that a search has found for the queries of a request. A reranker ranks them by their
/// texts.
struct FoundRows {
  const ServedIndex& index;
  std::vector<std::string> queries;
  std::size_t k;  ///< the number of rows that the answer has for each query
  std::vector<std::vector<ServedHit>> hits = {};
  std::vector<std::optional<QueryTerms>> terms = {};  ///< of each query, if terms are compared
};

/// The largest size of a hit in an answer, without its text and its id.
constexpr std::size_t hit_bytes = 240;

const QueryTerms* pointer_to(const std::optional<QueryTerms>& terms) {
  return terms ? &*terms : nullptr;
}

Response answer_of(const FoundRows& found, QueryUsage usage, const Scored& scored) {
  std::string out;
  std::size_t first = 0;
  for (std::size_t query = 0; query < found.hits.size(); ++query) {
    const std::vector<ServedHit>& hits = found.hits[query];
    out += out.empty() ? R"({"hits":[)" : R"(,{"hits":[)";
    for (const RankedDocument& best : best_of(scored.pairs, first, hits.size(), found.k)) {
      if (!out.ends_with('[')) out += ',';
      append_hit(found.index, {hits[best.index], best}, pointer_to(found.terms[query]), out);
    }
    out += "]}";
    first += hits.size();
  }
  usage.tokens += scored.tokens;
  return search_answer(found.index.name(), {std::move(out)}, usage);
}

/// Checks that the results of a search can be ranked. Refuses the request if there is no reranker,
/// if queries or rows have no texts, or if a query is too long for the reranker.
Answerable<void> check_ranked_search(const Service& service, const Call& call,
                                     const FoundRows& found) {
  EMBD_TRY(ranker_of(service, call));
  if (found.queries.empty())
    return refuse_field("rerank", "needs queries in \"texts\", not in \"vectors\"");
  if (!found.index.has_texts()) {
    return refuse_field(
        "rerank",
        fmt::format("needs the texts of the rows of {}: start the server with --texts NAME=FILE",
                    found.index.name()));
  }
  for (const std::string& query : found.queries) EMBD_TRY(checked_pairs_of(query, {}));
  return {};
}

/// Has the reranker score the text of each row with its query, and answers `call` with the best
/// rows, as `embd search --rerank` finds them. `usage` has the counts of the search, to which the
/// counts of the reranker are added. Fails as score_pairs() does.
Answerable<void> rank_found(Service& service, const Call& call,
                            std::shared_ptr<const FoundRows> found, QueryUsage usage) {
  PairsRequest request;
  for (std::size_t query = 0; query < found->queries.size(); ++query) {
    for (const ServedHit& hit : found->hits[query]) {
      const std::string_view text = found->index.text(hit.row);
      request.pairs.push_back({found->queries[query], text});
      request.answer_bytes += hit_bytes + text.size();
    }
  }
  if (request.pairs.empty()) {
    call->answer(answer_of(*found, std::move(usage), {}));
    return {};
  }
  request.finish = [found = std::move(found), usage = std::move(usage)](const Scored& scored) {
    return answer_of(*found, usage, scored);
  };
  return score_pairs(service, call, std::move(request));
}

constexpr std::uint64_t most_hits = 1000;
constexpr std::uint64_t most_candidates = 10'000;

struct SearchRequest {
  std::optional<std::string> index;
  std::optional<Inputs> texts;
  std::optional<InputVectors> vectors;
  std::optional<std::string> match;
  std::optional<std::uint64_t> k;
  std::optional<std::uint64_t> expansion;
  std::optional<bool> exact;
  std::optional<bool> truncate;
  std::optional<std::string> prompt_name;
  std::optional<bool> rerank;
  std::optional<std::uint64_t> candidates;
  bool has_filter = false;
  std::optional<std::vector<std::string>> filter_ids;
  std::optional<NamedValues> filter_columns;
};

/// The settings that all queries of a request share.
struct Search {
  const ServedIndex& index;
  Match match;
  std::vector<std::string> texts;  ///< of the queries; none if they are vectors
  std::size_t k;
  std::uint32_t expansion;
  bool exact;
  std::size_t most_bytes;
  std::optional<RowConditions> conditions;  ///< not set: all rows may be found
  std::once_flag filter_made = {};
  std::optional<Result<RowFilter>> filter = {};
  std::atomic<std::size_t> bytes = 0;  ///< the size of the answer so far
};

/// Returns the filter of a search; null if it has none. The first worker that needs it makes it.
Result<const RowFilter*> filter_of(Search& search) {
  if (!search.conditions) return nullptr;
  std::call_once(search.filter_made, [&] {
    search.filter.emplace(search.index.searcher().filter(*search.conditions));
  });
  if (!*search.filter) return std::unexpected(search.filter->error());
  return &**search.filter;
}

Answerable<std::uint64_t> number_up_to(std::optional<std::uint64_t> asked, std::uint64_t otherwise,
                                       std::uint64_t most, const char* param) {
  const std::uint64_t number = asked.value_or(otherwise);
  if (number == 0 || number > most)
    return refuse_field(param, fmt::format("must be from 1 to {}", most));
  return number;
}

Result<std::vector<ServedHit>> hits_of(Search& search, std::size_t query,
                                       std::span<const float> vector) {
  const RowFilter* filter = EMBD_TRY(filter_of(search));
  return search.index.search(
      {.match = search.match,
       .vector = vector,
       .text = search.match == Match::vectors ? std::string_view() : search.texts[query],
       .k = search.k,
       .expansion = search.expansion,
       .exact = search.exact,
       .filter = filter});
}

/// Returns the terms of a query; nothing if terms are not compared.
Result<std::optional<QueryTerms>> terms_of(const Search& search, std::size_t query) {
  if (search.match == Match::vectors) return std::nullopt;
  return EMBD_TRY(search.index.terms_of(search.texts[query]));
}

Result<void> append_hits(Search& search, std::size_t query, std::span<const float> vector,
                         std::string& out) {
  const std::size_t before = out.size();
  const auto hits = EMBD_TRY(hits_of(search, query, vector));
  const auto terms = EMBD_TRY(terms_of(search, query));
  out += R"({"hits":[)";
  for (const auto& hit : hits) {
    if (!out.ends_with('[')) out += ',';
    append_hit(search.index, {hit}, pointer_to(terms), out);
  }
  out += "]}";
  search.bytes += out.size() - before;
  if (search.bytes > search.most_bytes) {
    return fail(ErrorCode::invalid_argument,
                "the answer would be longer than {} bytes: ask for fewer hits or fewer queries",
                search.most_bytes);
  }
  return {};
}

/// Returns vectors as rows of a matrix, after checking that they can be queries of the index.
Answerable<Matrix> rows_of(const InputVectors& vectors, const Searcher& searcher) {
  const std::size_t dim = searcher.query_dim();
  if (vectors.empty())
    return refuse_field("vectors", "must contain at least one vector", Problem::empty_input);
  Matrix rows(vectors.size(), dim);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i].size() != dim) {
      return refuse(Problem::invalid,
                    fmt::format("vector {} has {} values, expected {}", i, vectors[i].size(), dim),
                    "vectors");
    }
    std::ranges::copy(vectors[i], rows.row(i).begin());
  }
  if (const auto queries = searcher.code_queries(rows); !queries)
    return refuse(Problem::invalid, queries.error().what(), "vectors");
  return rows;
}

/// Returns what the queries of a request are compared by: what it says or, if it says nothing, both
/// vectors and terms if there are both.
Answerable<Match> match_of(const SearchRequest& asked, const ServedIndex& index) {
  if (!asked.match) return asked.texts && index.has_terms() ? Match::both : Match::vectors;
  const auto match = value_named(*asked.match, match_names);
  if (!match) return refuse_field("match", "must be \"vectors\", \"terms\" or \"both\"");
  if (*match == Match::vectors) return *match;
  if (!asked.texts) return refuse_field("match", "needs queries in \"texts\", not in \"vectors\"");
  if (index.has_terms()) return *match;
  return refuse_field("match",
                      fmt::format("needs the terms of the rows of {}: start the server with "
                                  "--terms NAME=PATH",
                                  index.name()));
}

Answerable<void> set_queries(SearchRequest& asked, Match match, const ServedIndex& index,
                             TextsRequest& request) {
  if (asked.texts.has_value() == asked.vectors.has_value())
    return refuse(Problem::invalid, "either \"texts\" or \"vectors\" is required, and not both",
                  "texts");
  if (asked.vectors) {
    request.vectors = EMBD_TRY(rows_of(*asked.vectors, index.searcher()));
    return {};
  }
  if (match != Match::terms)
    return set_query_texts(index, {std::move(*asked.texts), asked.prompt_name, asked.truncate},
                           request);
  EMBD_TRY(check_query_texts(*asked.texts));
  request.texts = std::move(asked.texts->texts);
  request.vectors = Matrix(request.texts.size(), 0);  // Nothing is to be embedded.
  return {};
}

Answerable<SearchRequest> read_search(const Service& service, const Exchange& call) {
  SearchRequest asked;
  const Field filter[] = {{"ids", &asked.filter_ids}, {"columns", &asked.filter_columns}};
  const Field fields[] = {
      {"index", &asked.index},
      {"texts", &asked.texts},
      {"vectors", &asked.vectors},
      {"match", &asked.match},
      {"k", &asked.k},
      {"expansion", &asked.expansion},
      {"exact", &asked.exact},
      {"truncate", &asked.truncate},
      {"prompt_name", &asked.prompt_name},
      {"rerank", &asked.rerank},
      {"candidates", &asked.candidates},
      {"filter",
       Object{.fields = filter, .unknown = UnknownMembers::refused, .given = &asked.has_filter}}};
  // Unknown members are refused, because a filter with a misspelt name would have no effect.
  EMBD_TRY(read_json_request(call.request.body, fields, service.limits().inputs,
                             UnknownMembers::refused));
  if (asked.has_filter && !asked.filter_ids && !asked.filter_columns)
    return refuse_field("filter", "must contain \"ids\", a list, or \"columns\", an object");
  if (asked.filter_columns && asked.filter_columns->all.empty())
    return refuse(Problem::invalid, "\"columns\" must name at least one column", "filter");
  return asked;
}

/// Returns the conditions of a request's filter; nothing if it has none.
Answerable<std::optional<RowConditions>> conditions_of(SearchRequest& asked,
                                                       const Searcher& searcher) {
  if (!asked.has_filter) return std::nullopt;
  RowConditions conditions = {.ids = std::move(asked.filter_ids)};
  if (!asked.filter_columns) return conditions;
  for (auto& [name, relation, values] : asked.filter_columns->all) {
    if (std::ranges::find(searcher.columns(), name) == searcher.columns().end()) {
      return refuse(
          Problem::invalid,
          fmt::format("the rows have no column {:?}, expected one of {}", name.substr(0, 64),
                      searcher.columns().empty()
                          ? std::string("none")
                          : fmt::format("{}", fmt::join(searcher.columns(), ", "))),
          "filter");
    }
    const auto known = relation.empty() ? Relation::equal : value_named(relation, relation_names);
    if (!known)
      return refuse(
          Problem::invalid,
          fmt::format("the column {:?} has the relation {:?}, expected eq, ne, lt, lte, gt "
                      "or gte",
                      name, relation.substr(0, 64)),
          "filter");
    conditions.columns.push_back({std::move(name), std::move(values), *known});
  }
  return conditions;
}

/// Sets the functions of `request` that answer with the hits of each query.
void answer_with_hits(const std::shared_ptr<Search>& search, TextsRequest& request) {
  request.write_row = [search](std::size_t query, std::span<const float> vector, std::string& out) {
    return append_hits(*search, query, vector, out);
  };
  request.finish = [search](Embedded&& embedded) {
    return search_answer(search->index.name(), std::move(embedded.parts),
                         {.tokens = embedded.tokens, .truncated = embedded.truncated});
  };
}

/// Sets the functions of `request` that search for more hits, have the reranker rank them by their
/// texts, and answer with the best.
Answerable<void> answer_with_ranking(Service& service, const Call& call,
                                     std::optional<std::uint64_t> candidates,
                                     const std::shared_ptr<Search>& search, TextsRequest& request) {
  constexpr std::uint64_t usual_candidates = 100;
  const std::uint64_t num_candidates =
      EMBD_TRY(number_up_to(candidates, usual_candidates, most_hits, "candidates"));
  const auto found = std::make_shared<FoundRows>(
      FoundRows{.index = search->index, .queries = request.texts, .k = search->k});
  EMBD_TRY(check_ranked_search(service, call, *found));
  search->k = std::max<std::size_t>(search->k, num_candidates);
  found->hits.resize(found->queries.size());
  found->terms.resize(found->queries.size());
  request.write_row = [search, found](std::size_t query, std::span<const float> vector,
                                      std::string&) -> Result<void> {
    found->hits[query] = EMBD_TRY(hits_of(*search, query, vector));
    found->terms[query] = EMBD_TRY(terms_of(*search, query));
    return {};
  };
  request.go_on = [&service, call, found](Embedded&& embedded) {
    return rank_found(service, call, found,
                      {.tokens = embedded.tokens, .truncated = embedded.truncated});
  };
  return {};
}

Answerable<void> search(Service& service, const Call& call) {
  SearchRequest asked = EMBD_TRY(read_search(service, *call));
  const ServedIndex& index = *EMBD_TRY(find_index(service, asked.index));
  TextsRequest request;
  const Match match = EMBD_TRY(match_of(asked, index));
  EMBD_TRY(set_queries(asked, match, index, request));
  const std::uint64_t k = EMBD_TRY(number_up_to(asked.k, 10, most_hits, "k"));
  const std::uint64_t expansion =
      EMBD_TRY(number_up_to(asked.expansion, 64, most_candidates, "expansion"));
  auto conditions = EMBD_TRY(conditions_of(asked, index.searcher()));
  const auto shared =
      std::shared_ptr<Search>(new Search{.index = index,
                                         .match = match,
                                         .texts = request.texts,
                                         .k = k,
                                         .expansion = static_cast<std::uint32_t>(expansion),
                                         .exact = asked.exact.value_or(false),
                                         .most_bytes = service.limits().answer_bytes,
                                         .conditions = std::move(conditions)});
  request.row_tokens = index.search_cost(match, shared->exact);
  const bool ranks = asked.rerank.value_or(false);
  if (asked.candidates && !ranks)
    return refuse_field("candidates", "has no effect without \"rerank\": give both or neither");
  if (ranks) {
    EMBD_TRY(answer_with_ranking(service, call, asked.candidates, shared, request));
  } else {
    answer_with_hits(shared, request);
  }
  return embed_texts(service, call, std::move(request));
}

}  // namespace

std::span<const Route> search_routes() {
  static constexpr Route routes[] = {
      Route::post(Api::own, "/search", search, "Nearest rows of an index", "SearchRequest", "Hits")
          .with(&Route::needs_model),
  };
  return routes;
}

}  // namespace embd::server
