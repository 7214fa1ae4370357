// Routes for rerankers: /rerank in the forms of TEI, Cohere, Jina, Voyage, infinity, vLLM,
// llama.cpp and Mixedbread; /score of vLLM; /predict of TEI.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <memory>
#include <numeric>

#include "base/json_text.h"
#include "base/try.h"
#include "engine/ranking.h"
#include "faces/server/json_answer.h"
#include "faces/server/json_request.h"
#include "faces/server/pairs_work.h"
#include "faces/server/service.h"
#include "faces/server/text_options.h"

namespace embd::server {
namespace {

/// The largest size of an item of an answer, without its text.
constexpr std::size_t item_bytes = 96;
/// The number of lists that the answer to a ranking has, with an item for each document.
constexpr std::size_t ranking_lists = 2;

struct RerankRequest {
  std::optional<std::string> model;
  std::optional<std::string> query;
  std::optional<std::vector<std::string>> texts;  ///< TEI
  std::optional<Documents> documents;             ///< all other APIs
  std::optional<Documents> input;                 ///< Mixedbread's name of documents
  std::optional<std::uint64_t> top_n;             ///< 0: all
  std::optional<std::uint64_t> top_k;             ///< Voyage's and Mixedbread's name of top_n
  std::optional<bool> raw_scores;
  std::optional<bool> use_activation;
  std::optional<bool> return_text;       ///< TEI
  std::optional<bool> return_documents;  ///< all other APIs
  std::optional<bool> return_input;      ///< Mixedbread's name of return_documents
  std::optional<bool> rewrite_query;     ///< Mixedbread
  std::optional<bool> truncate;
  std::optional<bool> truncation;  ///< Voyage's name of truncate
  std::optional<std::string> truncation_direction;
  std::optional<std::vector<std::string>> rank_fields;
  std::optional<std::uint64_t> max_tokens_per_doc;      ///< Cohere
  std::optional<std::uint64_t> max_chunks_per_doc;      ///< Cohere, version 1
  std::optional<std::uint64_t> priority;                ///< Cohere and vLLM
  std::optional<bool> return_embeddings;                ///< Jina
  std::optional<std::uint64_t> truncate_prompt_tokens;  ///< vLLM; for query and document together

  bool is_tei() const noexcept { return texts.has_value(); }
};

/// A query with the documents to rank for it, and what the answer has of them.
struct Ranking {
  std::string query;
  std::vector<std::string> documents;
  std::size_t top_n;
  bool with_text;
  std::string_view text_name;  ///< the member of an item of "data" that has its text
};

constexpr Refused no_length_of_one = {
    "is not supported, because a pair is cut as a whole: give \"truncate_prompt_tokens\""};

Answerable<RerankRequest> read_rerank(const Service& service, const Call& call) {
  RerankRequest asked;
  const Field fields[] = {{"model", &asked.model},
                          {"query", &asked.query},
                          {"texts", &asked.texts},
                          {"documents", &asked.documents},
                          {"input", &asked.input},
                          {"top_n", &asked.top_n},
                          {"top_k", &asked.top_k},
                          {"raw_scores", &asked.raw_scores},
                          {"use_activation", &asked.use_activation},
                          {"return_text", &asked.return_text},
                          {"return_documents", &asked.return_documents},
                          {"return_input", &asked.return_input},
                          {"rewrite_query", &asked.rewrite_query},
                          {"truncate", &asked.truncate},
                          {"truncation", &asked.truncation},
                          {"truncation_direction", &asked.truncation_direction},
                          {"rank_fields", &asked.rank_fields},
                          {"max_tokens_per_doc", &asked.max_tokens_per_doc},
                          {"max_chunks_per_doc", &asked.max_chunks_per_doc},
                          {"max_query_length", no_length_of_one},
                          {"max_doc_length", no_length_of_one},
                          {"truncate_prompt_tokens", &asked.truncate_prompt_tokens},
                          {"priority", &asked.priority},
                          {"return_embeddings", &asked.return_embeddings},
                          {"user", Unused{}}};
  const auto read = read_json_request(call->request.body, fields, service.limits().inputs);
  // From here on, errors have the form of the API to which the body belongs.
  if (asked.is_tei()) call->api = Api::tei;
  if ((asked.documents || asked.input) && call->api == Api::tei) call->api = Api::rerank;
  if (!read) return std::unexpected(read.error());
  asked.return_documents = EMBD_TRY(
      either(asked.return_documents, "return_documents", asked.return_input, "return_input"));
  if (asked.documents && asked.input)
    return refuse(Problem::invalid,
                  "\"documents\" and \"input\" were both given, expected one of them", "input");
  if (asked.input) asked.documents = std::move(asked.input);
  if (asked.texts && asked.documents)
    return refuse(Problem::invalid,
                  "\"texts\" and \"documents\" were both given, expected one of them", "documents");
  return asked;
}

/// Returns the number of tokens that a request wants pairs cut to; nothing if it does not give one.
Answerable<std::optional<std::uint32_t>> checked_length(const RerankRequest& asked,
                                                        const Reranker& reranker) {
  if (asked.max_tokens_per_doc && *asked.max_tokens_per_doc < reranker.max_length()) {
    return refuse_field(
        "max_tokens_per_doc",
        fmt::format("must be at least {}, the number of tokens that the model "
                    "takes, because a pair is cut as a whole: give \"truncate_prompt_tokens\"",
                    reranker.max_length()));
  }
  if (!asked.truncate_prompt_tokens) return std::nullopt;
  if (*asked.truncate_prompt_tokens < reranker.least_length() ||
      *asked.truncate_prompt_tokens > reranker.max_length())
    return refuse_field(
        "truncate_prompt_tokens",
        fmt::format("must be {} to {}", reranker.least_length(), reranker.max_length()));
  return static_cast<std::uint32_t>(*asked.truncate_prompt_tokens);
}

Answerable<void> check_rerank(const RerankRequest& asked) {
  if (!asked.query) return refuse_field("query", "is required");
  if (asked.query->empty()) return refuse_field("query", "must not be empty", Problem::empty_input);
  if (!asked.texts && !asked.documents)
    return refuse_field("documents",
                        "is required (or \"texts\", its name in the API of "
                        "text-embeddings-inference)");
  const char* name = asked.is_tei() ? "texts" : "documents";
  if (asked.is_tei() ? asked.texts->empty() : asked.documents->texts.empty())
    return refuse_field(name, "must contain at least one text", Problem::empty_input);
  if (asked.rank_fields && *asked.rank_fields != std::vector<std::string>{"text"})
    return refuse_field("rank_fields", "must be [\"text\"]");
  return {};
}

/// Refuses options that no reranker of this server can fulfil.
Answerable<void> check_abilities(const RerankRequest& asked) {
  if (asked.max_chunks_per_doc.value_or(1) != 1)
    return refuse_field("max_chunks_per_doc",
                        "must be 1, because a long document is cut, not divided");
  if (asked.priority.value_or(0) != 0)
    return refuse_field("priority", "must be 0, because requests take turns");
  if (asked.rewrite_query.value_or(false))
    return refuse_field("rewrite_query", "is not supported: send the query to rank for");
  if (asked.return_embeddings.value_or(false))
    return refuse_field("return_embeddings", "is not supported: the result for a pair is a score");
  return {};
}

void append_truncated(const Scored& scored, std::string& out) {
  if (scored.truncated.empty()) return;
  out += ",\"truncated\":";
  append_json_numbers(scored.truncated, out);
}

Response tei_answer(const Ranking& ranking, const Scored& scored) {
  Response response;
  std::string& out = response.body.emplace_back("[");
  for (const RankedDocument& best : best_of(scored.pairs, ranking.top_n)) {
    if (!out.ends_with('[')) out += ',';
    out += fmt::format(R"({{"index":{})", best.index);
    if (ranking.with_text)
      out += fmt::format(R"(,"text":{})", json_string(ranking.documents[best.index]));
    out += fmt::format(R"(,"score":{}}})", best.score);
  }
  out += ']';
  return response;
}

/// The members of an answer that identify the request, the model and the API.
struct Label {
  std::string id;
  std::string model;
  std::string_view object;
  std::string_view api_version;
};

/// Returns an answer with all members that the APIs other than TEI's have: "results" as Cohere,
/// Jina, infinity, vLLM and llama.cpp have them, and the same as "data", as Voyage and Mixedbread
/// have them. A body need not show to which of them it belongs.
Response ranking_answer(const Label& label, const Ranking& ranking, const Scored& scored) {
  const std::vector<RankedDocument> best = best_of(scored.pairs, ranking.top_n);
  Response response;
  std::string& out = response.body.emplace_back(fmt::format(
      R"({{"id":{},"object":"{}","created":{},"model":{},"results":[)", json_string(label.id),
      label.object, std::time(nullptr), json_string(label.model)));
  for (const RankedDocument& document : best) {
    if (!out.ends_with('[')) out += ',';
    out += fmt::format(R"({{"index":{},"relevance_score":{})", document.index, document.score);
    if (ranking.with_text)
      out += fmt::format(R"(,"document":{{"text":{}}})",
                         json_string(ranking.documents[document.index]));
    out += '}';
  }
  out += "],\"data\":[";
  for (const RankedDocument& document : best) {
    if (!out.ends_with('[')) out += ',';
    out += fmt::format(R"({{"index":{0},"relevance_score":{1},"score":{1})", document.index,
                       document.score);
    if (ranking.with_text)
      out += fmt::format(R"(,"{}":{})", ranking.text_name,
                         json_string(ranking.documents[document.index]));
    out += '}';
  }
  // Cohere counts a search in up to 100 documents as one unit.
  out += fmt::format(
      R"(],"usage":{{"prompt_tokens":{0},"total_tokens":{0}}},"meta":{{"api_version":{{"version":)"
      R"("{1}"}},"billed_units":{{"search_units":{2}}},"tokens":{{"input_tokens":{0}}}}})",
      scored.tokens, label.api_version, (ranking.documents.size() + 99) / 100);
  append_truncated(scored, out);
  out += '}';
  return response;
}

Answerable<void> rerank(Service& service, const Call& call, std::string_view object,
                        std::string_view api_version) {
  RerankRequest asked = EMBD_TRY(read_rerank(service, call));
  const Reranker& reranker = *EMBD_TRY(ranker_of(service, call));
  EMBD_TRY(service.models().check_reranker(asked.model));
  EMBD_TRY(check_rerank(asked));
  EMBD_TRY(check_abilities(asked));
  const auto top_n = EMBD_TRY(either(asked.top_n, "top_n", asked.top_k, "top_k"));
  const auto truncate =
      EMBD_TRY(either(asked.truncate, "truncate", asked.truncation, "truncation"));
  const bool is_tei = asked.is_tei();
  const auto ranking = std::make_shared<Ranking>(
      Ranking{.query = std::move(*asked.query),
              .documents = std::move(is_tei ? *asked.texts : asked.documents->texts),
              .top_n = 0,
              .with_text = (is_tei ? asked.return_text : asked.return_documents).value_or(false),
              .text_name = asked.input ? "input" : "document"});
  const std::size_t all = ranking->documents.size();
  ranking->top_n = top_n.value_or(0) == 0 ? all : *top_n;
  const std::vector<std::string_view> documents(ranking->documents.begin(),
                                                ranking->documents.end());
  PairsRequest request = {.pairs = EMBD_TRY(checked_pairs_of(ranking->query, documents)),
                          .truncate = truncate.value_or(true),
                          .answer_bytes = ranking_lists * all * item_bytes};
  request.options.truncation_side = EMBD_TRY(checked_side(asked.truncation_direction));
  request.options.max_length = EMBD_TRY(checked_length(asked, reranker));
  const bool raw = asked.raw_scores.value_or(false) || !asked.use_activation.value_or(true);
  request.options.activation = raw ? ScoreActivation::identity : ScoreActivation::sigmoid;
  if (ranking->with_text)
    for (const std::string& document : ranking->documents)
      request.answer_bytes += ranking_lists * document.size();
  const Label label = {call->request.id, reranker.name(), object, api_version};
  request.finish = [ranking, is_tei, label](const Scored& scored) {
    return is_tei ? tei_answer(*ranking, scored) : ranking_answer(label, *ranking, scored);
  };
  return score_pairs(service, call, std::move(request));
}

Answerable<void> rerank_plain(Service& service, const Call& call) {
  return rerank(service, call, "rerank", "1");
}
Answerable<void> rerank_v1(Service& service, const Call& call) {
  return rerank(service, call, "list", "1");
}
Answerable<void> rerank_v2(Service& service, const Call& call) {
  return rerank(service, call, "list", "2");
}

/// The texts of a request to /score.
struct ScoreTexts {
  std::vector<std::string> first;
  std::vector<std::string> second;
};

Answerable<std::vector<std::string>> texts_of(std::optional<Inputs>& inputs, const char* name) {
  if (!inputs) return refuse_field(name, "is required");
  if (!inputs->ids.empty()) return refuse_field(name, "must be a text or a list of texts");
  if (inputs->texts.empty())
    return refuse_field(name, "must contain at least one text", Problem::empty_input);
  return std::move(inputs->texts);
}

/// Returns the pairs to score. A single first text is paired with each second text; several first
/// texts are paired with the second texts in order.
Answerable<std::vector<TextPair>> pairs_of(const ScoreTexts& texts) {
  if (texts.first.size() == 1)
    return checked_pairs_of(texts.first.front(), std::vector<std::string_view>(texts.second.begin(),
                                                                               texts.second.end()));
  if (texts.first.size() != texts.second.size()) {
    return refuse_field("text_1",
                        fmt::format("contains {} texts and \"text_2\" contains {}, expected "
                                    "one text in \"text_1\" or as many as in \"text_2\"",
                                    texts.first.size(), texts.second.size()));
  }
  std::vector<TextPair> pairs;
  for (std::size_t i = 0; i < texts.first.size(); ++i)
    pairs.push_back({texts.first[i], texts.second[i]});
  return pairs;
}

/// Answers vLLM's /score: the scores after the model's activation, in the order of the pairs.
Answerable<void> score(Service& service, const Call& call) {
  std::optional<std::string> model;
  std::optional<Inputs> text_1;
  std::optional<Inputs> text_2;
  std::optional<bool> use_activation;
  const Field fields[] = {{"model", &model},
                          {"text_1", &text_1},
                          {"text_2", &text_2},
                          {"use_activation", &use_activation}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  const Reranker& reranker = *EMBD_TRY(ranker_of(service, call));
  EMBD_TRY(service.models().check_reranker(model));
  const auto texts = std::make_shared<ScoreTexts>();
  texts->first = EMBD_TRY(texts_of(text_1, "text_1"));
  texts->second = EMBD_TRY(texts_of(text_2, "text_2"));
  PairsRequest request = {.pairs = EMBD_TRY(pairs_of(*texts))};
  request.answer_bytes = request.pairs.size() * item_bytes;
  if (!use_activation.value_or(true)) request.options.activation = ScoreActivation::identity;
  request.finish = [texts, id = call->request.id, name = reranker.name()](const Scored& scored) {
    Response response;
    std::string& out = response.body.emplace_back(
        fmt::format(R"({{"id":{},"object":"list","created":{},"model":{},"data":[)",
                    json_string(id), std::time(nullptr), json_string(name)));
    for (std::size_t i = 0; i < scored.pairs.scores.rows(); ++i)
      out += fmt::format(R"({}{{"index":{},"object":"score","score":{}}})", i == 0 ? "" : ",", i,
                         scored.pairs.scores.row(i)[0]);
    out += fmt::format(R"(],"usage":{{"prompt_tokens":{0},"total_tokens":{0}}})", scored.tokens);
    append_truncated(scored, out);
    out += '}';
    return response;
  };
  return score_pairs(service, call, std::move(request));
}

/// Returns the softmax of logits. It is computed in double precision, so that the sum of
/// exponentials is rounded only once.
std::vector<float> softmax_of(std::span<const float> logits) {
  const double largest = std::ranges::max(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  std::vector<float> shares;
  for (const float logit : logits)
    shares.push_back(static_cast<float>(std::exp(logit - largest) / sum));
  return shares;
}

/// Appends the scores of all labels, the highest first: [{"score":…,"label":…},…].
void append_prediction(std::span<const std::string> labels, std::span<const float> logits,
                       std::span<const float> scores, std::string& out) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return logits[a] > logits[b]; });
  out += '[';
  for (const std::size_t label : order) {
    if (!out.ends_with('[')) out += ',';
    out += fmt::format(R"({{"score":{},"label":{}}})", scores[label], json_string(labels[label]));
  }
  out += ']';
}

/// Answers TEI's /predict: the scores of all labels. For several labels it is the softmax of the
/// logits.
Answerable<void> predict(Service& service, const Call& call) {
  const auto inputs = std::make_shared<std::optional<TextGroups>>();
  std::optional<bool> raw_scores;
  std::optional<bool> truncate;
  std::optional<std::string> truncation_direction;
  const Field fields[] = {{"inputs", inputs.get()},
                          {"raw_scores", &raw_scores},
                          {"truncate", &truncate},
                          {"truncation_direction", &truncation_direction}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  const Reranker& reranker = *EMBD_TRY(reranker_of(service, call));
  if (!*inputs || (*inputs)->groups.empty())
    return refuse(Problem::empty_input, "`inputs` cannot be empty", "inputs");
  PairsRequest request = {.truncate = truncate.value_or(true)};
  for (const auto& group : (*inputs)->groups) {
    if (group.size() != 2)
      return refuse(Problem::invalid, "`inputs` must be a pair of texts or a list of pairs",
                    "inputs");
    request.pairs.push_back({group[0], group[1]});
  }
  const std::span<const std::string> labels = reranker.labels();
  for (const std::string& label : labels)
    request.answer_bytes += request.pairs.size() * (item_bytes + 6 * label.size());
  request.options.truncation_side = EMBD_TRY(checked_side(truncation_direction));
  const bool raw = raw_scores.value_or(false);
  const bool shares = !raw && labels.size() > 1;
  request.options.activation = raw || shares ? ScoreActivation::identity : ScoreActivation::sigmoid;
  request.finish = [inputs, labels, shares](const Scored& scored) {
    Response response;
    const bool single = (*inputs)->single;
    std::string& out = response.body.emplace_back(single ? "" : "[");
    for (std::size_t i = 0; i < scored.pairs.logits.rows(); ++i) {
      const auto logits = scored.pairs.logits.row(i);
      const auto scores = scored.pairs.scores.row(i);
      if (i != 0) out += ',';
      if (shares) {
        append_prediction(labels, logits, softmax_of(logits), out);
      } else {
        append_prediction(labels, logits, scores, out);
      }
    }
    if (!single) out += ']';
    return response;
  };
  return score_pairs(service, call, std::move(request));
}

}  // namespace

std::span<const Route> rerank_routes() {
  static constexpr Route routes[] = {
      Route::post(Api::tei, "/rerank", rerank_plain,
                  "Rank texts for a query, as TEI, Cohere, Jina, Voyage, infinity or vLLM",
                  "RerankRequest", "Ranking")
          .with(&Route::api_of_body),
      Route::post(Api::rerank, "/v1/rerank", rerank_v1,
                  "Rank documents for a query, as Cohere (v1), Jina, Voyage, vLLM and llama.cpp",
                  "RerankRequest", "Ranking")
          .with(&Route::api_of_body),
      Route::post(Api::cohere, "/v2/rerank", rerank_v2, "Rank documents for a query, as Cohere",
                  "RerankRequest", "Ranking")
          .with(&Route::api_of_body),
      Route::post(Api::rerank, "/reranking", rerank_v1, "The same as /v1/rerank, as llama.cpp",
                  "RerankRequest", "Ranking")
          .with(&Route::api_of_body),
      Route::post(Api::rerank, "/v1/reranking", rerank_v1, "The same, as llama.cpp and Mixedbread",
                  "RerankRequest", "Ranking")
          .with(&Route::api_of_body),
      Route::post(Api::ollama, "/api/rerank", rerank_v1, "The same, with Ollama's errors",
                  "RerankRequest", "Ranking")
          .with(&Route::api_of_body),
      Route::post(Api::openai, "/score", score, "Scores of pairs, as vLLM", "ScoreRequest",
                  "Scores"),
      Route::post(Api::openai, "/v1/score", score, "The same as /score", "ScoreRequest", "Scores"),
      Route::post(Api::tei, "/predict", predict, "Scores of all labels of pairs, as TEI",
                  "PredictRequest", "Predictions"),
  };
  return routes;
}

}  // namespace embd::server
