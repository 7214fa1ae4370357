// Our own: searching the indexes that are served.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>

#include "base/try.h"
#include "server/json_answer.h"
#include "server/json_request.h"
#include "server/ranked_search.h"
#include "server/search_answer.h"
#include "server/served_index.h"
#include "server/service.h"
#include "server/text_options.h"
#include "server/texts_work.h"

namespace embd::server {
namespace {

constexpr std::uint64_t most_hits = 1000;
constexpr std::uint64_t most_candidates = 10'000;

struct SearchRequest {
  std::optional<std::string> index;
  std::optional<Inputs> texts;
  std::optional<InputVectors> vectors;
  std::optional<std::uint64_t> k;
  std::optional<std::uint64_t> expansion;
  std::optional<bool> exact;
  std::optional<bool> truncate;
  std::optional<std::string> prompt_name;
  std::optional<bool> rerank;
  std::optional<std::uint64_t> candidates;
  bool has_filter = false;
  std::optional<std::vector<std::string>> filter_ids;
};

/// What all queries of a request have in common.
struct Search {
  const ServedIndex& index;
  std::size_t k;
  std::uint32_t expansion;
  bool exact;
  std::size_t most_bytes;
  std::optional<std::vector<std::string>> filter_ids;  ///< nothing: all rows may be found
  std::once_flag filter_made = {};
  std::optional<Result<RowFilter>> filter = {};
  std::atomic<std::size_t> bytes = 0;  ///< of the answer
};

/// The filter, made by the worker that is the first to need it; null where there is none.
Result<const RowFilter*> filter_of(Search& search) {
  if (!search.filter_ids) return nullptr;
  std::call_once(search.filter_made, [&] {
    search.filter.emplace(search.index.searcher().filter(*search.filter_ids));
  });
  if (!*search.filter) return std::unexpected(search.filter->error());
  return &**search.filter;
}

Answerable<const ServedIndex*> find_index(const Service& service,
                                          const std::optional<std::string>& name) {
  const auto& indexes = service.indexes();
  if (indexes.empty())
    return refuse(Problem::unknown_model, "no index is served: start with --index NAME=PATH");
  if (!name && indexes.size() == 1) return indexes.front().get();
  std::string names;
  for (const auto& index : indexes) {
    if (name && index->name() == *name) return index.get();
    names += (names.empty() ? "" : ", ") + index->name();
  }
  return refuse(name ? Problem::unknown_model : Problem::invalid,
                fmt::format("\"index\" must be one of {}", names), "index");
}

Answerable<std::uint64_t> number_up_to(std::optional<std::uint64_t> asked, std::uint64_t otherwise,
                                       std::uint64_t most, const char* param) {
  const std::uint64_t number = asked.value_or(otherwise);
  if (number == 0 || number > most)
    return refuse(Problem::invalid, fmt::format("\"{}\" must be from 1 to {}", param, most), param);
  return number;
}

Result<std::vector<RowHit>> hits_of(Search& search, std::span<const float> vector) {
  return search.index.search({.vector = vector,
                              .k = search.k,
                              .expansion = search.expansion,
                              .exact = search.exact,
                              .filter = EMBD_TRY(filter_of(search))});
}

Result<void> append_hits(Search& search, std::span<const float> vector, std::string& out) {
  const std::size_t before = out.size();
  const auto hits = EMBD_TRY(hits_of(search, vector));
  out += R"({"hits":[)";
  for (const auto& hit : hits) {
    if (!out.ends_with('[')) out += ',';
    append_hit(search.index, {hit}, out);
  }
  out += "]}";
  search.bytes += out.size() - before;
  if (search.bytes > search.most_bytes) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the answer is longer than {} bytes: ask for fewer hits or fewer "
                            "queries",
                            search.most_bytes));
  }
  return {};
}

/// Vectors as rows that queries of the index can be made of.
Answerable<Matrix> rows_of(const InputVectors& vectors, const Searcher& searcher) {
  const std::size_t dim = searcher.query_dim();
  if (vectors.empty())
    return refuse(Problem::empty_input, "\"vectors\" must hold at least one", "vectors");
  Matrix rows(vectors.size(), dim);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i].size() != dim) {
      return refuse(
          Problem::invalid,
          fmt::format("vector {} has {} values; a query has {}", i, vectors[i].size(), dim),
          "vectors");
    }
    std::ranges::copy(vectors[i], rows.row(i).begin());
  }
  if (const auto queries = searcher.code_queries(rows); !queries)
    return refuse(Problem::invalid, queries.error().what(), "vectors");
  return rows;
}

Answerable<void> set_queries(SearchRequest& asked, const ServedIndex& index,
                             TextsRequest& request) {
  if (asked.texts.has_value() == asked.vectors.has_value())
    return refuse(Problem::invalid, "either \"texts\" or \"vectors\" must be there", "texts");
  if (asked.vectors) {
    request.vectors = EMBD_TRY(rows_of(*asked.vectors, index.searcher()));
    return {};
  }
  if (asked.texts->size() == 0 || std::ranges::any_of(asked.texts->texts, &std::string::empty))
    return refuse(Problem::empty_input, "\"texts\" may hold no empty text", "texts");
  if (!asked.texts->ids.empty())
    return refuse(Problem::invalid, "\"texts\" must be a text or a list of texts", "texts");
  if (index.model() == nullptr) {
    return refuse(
        Problem::invalid,
        fmt::format("no model that is served makes vectors of the {} values of the rows of "
                    "{}: search with \"vectors\"",
                    index.searcher().query_dim(), index.name()),
        "texts");
  }
  request.model = index.model();
  const Model& model = request.model->model;
  const std::string prompt_name = EMBD_TRY(checked_prompt_name(model, asked.prompt_name));
  auto options = index.searcher().encode_options(model, {.prompt_name = prompt_name});
  if (!options) return refuse(Problem::invalid, options.error().what(), "texts");
  request.options = std::move(*options);
  request.texts = std::move(asked.texts->texts);
  request.truncate = asked.truncate.value_or(true);
  return {};
}

Answerable<SearchRequest> read_search(const Service& service, const Exchange& call) {
  SearchRequest asked;
  const Field filter[] = {{"ids", &asked.filter_ids}};
  const Field fields[] = {
      {"index", &asked.index},
      {"texts", &asked.texts},
      {"vectors", &asked.vectors},
      {"k", &asked.k},
      {"expansion", &asked.expansion},
      {"exact", &asked.exact},
      {"truncate", &asked.truncate},
      {"prompt_name", &asked.prompt_name},
      {"rerank", &asked.rerank},
      {"candidates", &asked.candidates},
      {"filter",
       Object{.fields = filter, .unknown = UnknownMembers::refused, .given = &asked.has_filter}}};
  // A filter whose name is misspelt would let everything be found.
  EMBD_TRY(read_json_request(call.request.body, fields, service.limits().inputs,
                             UnknownMembers::refused));
  if (asked.has_filter && !asked.filter_ids)
    return refuse(Problem::invalid, "\"filter\" must hold \"ids\", a list", "filter");
  return asked;
}

/// Has the answer be the hits of each query.
void answer_with_hits(const std::shared_ptr<Search>& search, TextsRequest& request) {
  request.write_row = [search](std::size_t, std::span<const float> vector, std::string& out) {
    return append_hits(*search, vector, out);
  };
  request.finish = [search](Embedded&& embedded) {
    return search_answer(search->index.name(), std::move(embedded.parts),
                         {.tokens = embedded.tokens, .truncated = embedded.truncated});
  };
}

/// Has the answer be the best of more hits, as the reranker ranks them by their texts.
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
  request.write_row = [search, found](std::size_t query, std::span<const float> vector,
                                      std::string&) -> Result<void> {
    found->hits[query] = EMBD_TRY(hits_of(*search, vector));
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
  EMBD_TRY(set_queries(asked, index, request));
  const std::uint64_t k = EMBD_TRY(number_up_to(asked.k, 10, most_hits, "k"));
  const std::uint64_t expansion =
      EMBD_TRY(number_up_to(asked.expansion, 64, most_candidates, "expansion"));
  const auto shared =
      std::shared_ptr<Search>(new Search{.index = index,
                                         .k = k,
                                         .expansion = static_cast<std::uint32_t>(expansion),
                                         .exact = asked.exact.value_or(false),
                                         .most_bytes = service.limits().answer_bytes,
                                         .filter_ids = std::move(asked.filter_ids)});
  request.row_tokens = index.search_cost(shared->exact);
  const bool ranks = asked.rerank.value_or(false);
  if (asked.candidates && !ranks)
    return refuse(Problem::invalid, "\"candidates\" is for \"rerank\"", "candidates");
  if (ranks) {
    EMBD_TRY(answer_with_ranking(service, call, asked.candidates, shared, request));
  } else {
    answer_with_hits(shared, request);
  }
  return embed_texts(service, call, std::move(request));
}

/// As much of a text as the page shows, in whole characters.
std::string_view beginning(std::string_view text) {
  constexpr std::size_t most_bytes = 500;
  if (text.size() <= most_bytes) return text;
  std::size_t bytes = most_bytes;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

/// Places of rows on a plane, and their texts, for the page.
Answerable<void> map(Service& service, const Call& call) {
  const ServedIndex& index =
      *EMBD_TRY(find_index(service, query_parameter(call->request.head.query, "index")));
  const auto points = index.map();
  if (!points) return std::unexpected(failure_of(points.error()));
  Response response;
  std::string& out = response.body.emplace_back(fmt::format(
      R"({{"index":{},"rows":{},"points":[)", json_string(index.name()), index.num_rows()));
  for (const MapPoint& point : *points) {
    if (!out.ends_with('[')) out += ',';
    out +=
        fmt::format(R"({{"id":{},"x":{:.5},"y":{:.5})", index.id_json(point.row), point.x, point.y);
    if (index.has_texts()) {
      out += ",\"text\":" + json_string(beginning(index.text(point.row)));
    }
    out += '}';
  }
  out += "]}";
  call->answer(std::move(response));
  return {};
}

constexpr Route routes[] = {
    {.method = "POST", .path = "/search", .api = Api::own, .handler = search, .needs_model = true},
    {.method = "GET", .path = "/map", .api = Api::own, .handler = map, .takes_long = true},
};

}  // namespace

std::span<const Route> search_routes() {
  return routes;
}

}  // namespace embd::server
