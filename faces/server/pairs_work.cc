#include "faces/server/pairs_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "engine/ranking.h"
#include "faces/server/call_work.h"
#include "faces/server/service.h"

namespace embd::server {
namespace {

/// The largest size of a query. The tokens of longer queries are not kept from one pair to the next
/// (TokenizerWorker).
constexpr std::size_t most_query_bytes = std::size_t{64} << 10;

/// Returns a key for the options that a score depends on.
std::string fingerprint(const ScoreOptions& options) {
  return fmt::format("pairs {}/{}/{}", key_part(options.max_length),
                     key_part(options.truncation_side), key_part(options.activation));
}

class PairsWork final : public CallWork {
 public:
  PairsWork(Service& service, Call call, PairsRequest request)
      : CallWork(service, std::move(call)), request_(std::move(request)) {}

  /// Does all work before queueing: counts tokens, reserves memory, and divides the pairs into
  /// slices.
  Answerable<void> prepare();
  Result<void> run(std::span<const Slice> slices) override;

 private:
  Answerable<void> finish() override;
  std::size_t num_characters() const override;
  Answerable<void> count_tokens();
  const Reranker& reranker() const { return *service_.models().reranker(); }

  PairsRequest request_;
  PairScores scores_;
};

Answerable<void> PairsWork::count_tokens() {
  const Clock::time_point start = Clock::now();
  tokens_.reserve(request_.pairs.size());
  for (const TextPair& pair : request_.pairs) {
    const auto tokens = reranker().tokenize(pair, request_.options);
    if (!tokens) return std::unexpected(failure_of(tokens.error()));
    if (tokens->truncated && !request_.truncate) {
      return refuse(Problem::text_too_long,
                    fmt::format("pair {} has {} tokens, but the model takes at most {}, and the "
                                "request does not allow truncation",
                                tokens_.size(), tokens->whole_length,
                                request_.options.max_length.value_or(reranker().max_length())));
    }
    EMBD_TRY(add_tokens(static_cast<std::uint32_t>(tokens->ids.size()), tokens->truncated));
  }
  tokenizing_ = Clock::now() - start;
  return {};
}

Answerable<void> PairsWork::prepare() {
  EMBD_TRY(count_tokens());
  const std::size_t labels = reranker().labels().size();
  EMBD_TRY(take_memory(request_.answer_bytes, tokens_.size() * labels * 2 * sizeof(float)));
  scores_ = {.logits = Matrix(tokens_.size(), labels),
             .scores = Matrix(tokens_.size(), labels),
             .reports = std::vector<RowReport>(tokens_.size())};
  cut_slices(tokens_.size(),
             [this](std::size_t i) { return service_.models().reranker_cost(tokens_[i]); });
  kind = fingerprint(request_.options);
  return {};
}

/// Scores the pairs of several slices, whose works are of one kind, together.
Result<void> PairsWork::run(std::span<const Slice> slices) {
  std::vector<TextPair> pairs;
  for (const auto& [slice_work, index] : slices) {
    const auto& work = static_cast<const PairsWork&>(*slice_work);
    const auto [first, end] = work.slices_[index];
    for (std::size_t i = first; i < end; ++i) pairs.push_back(work.request_.pairs[i]);
  }
  ScoreOptions options = request_.options;
  options.threads = 1;
  options.batch_tokens = most_slice_tokens;
  const auto done = reranker().score(pairs, options);
  if (!done) {
    // If slices of several requests fail together, each is done again by itself.
    const std::size_t first = slices_[slices.front().index].first;
    return std::unexpected(
        in_request(done.error(), "pair", [first](std::size_t n) { return first + n; }));
  }
  const PairScores& computed = *done;
  std::size_t n = 0;
  std::uint64_t tokens = 0;
  for (const auto& [slice_work, index] : slices) {
    auto& work = static_cast<PairsWork&>(*slice_work);
    const auto [first, end] = work.slices_[index];
    for (std::size_t i = first; i < end; ++i, ++n) {
      std::ranges::copy(computed.logits.row(n), work.scores_.logits.row(i).begin());
      std::ranges::copy(computed.scores.row(n), work.scores_.scores.row(i).begin());
      work.scores_.reports[i] = computed.reports[n];
      tokens += work.tokens_[i];
    }
  }
  ModelCounters& counters = service_.metrics().model(reranker().name());
  counters.pairs.add(pairs.size());
  counters.tokens.add(tokens);
  return {};
}

std::size_t PairsWork::num_characters() const {
  std::size_t characters = 0;
  for (const TextPair& pair : request_.pairs) characters += pair.first.size() + pair.second.size();
  return characters;
}

Answerable<void> PairsWork::finish() {
  service_.metrics().model(reranker().name()).truncated_pairs.add(truncated_.size());
  answer(request_.finish(
      {.pairs = std::move(scores_), .tokens = total_tokens_, .truncated = truncated_}));
  return {};
}

}  // namespace

Answerable<const Reranker*> reranker_of(const Service& service, const Call& call) {
  if (service.models().reranker() != nullptr) return service.models().reranker();
  return refuse(Problem::not_this_model,
                fmt::format("the model {} makes embeddings, but {} needs a reranker: start the "
                            "server with embd serve --reranker MODEL",
                            service.models().names().front().name, call->request.head.path));
}

Answerable<const Reranker*> ranker_of(const Service& service, const Call& call) {
  const Reranker* reranker = EMBD_TRY(reranker_of(service, call));
  if (const std::size_t labels = reranker->labels().size(); labels != 1) {
    return refuse(Problem::not_this_model,
                  fmt::format("the model {} has {} labels and is not a re-ranker model, which has "
                              "one: /predict gives the scores of all labels",
                              reranker->name(), labels));
  }
  return reranker;
}

Answerable<std::vector<TextPair>> checked_pairs_of(std::string_view query,
                                                   std::span<const std::string_view> documents) {
  if (query.size() > most_query_bytes) {
    return refuse(
        Problem::text_too_long,
        fmt::format("the query has {} bytes, expected at most {}", query.size(), most_query_bytes),
        "query");
  }
  return pairs_of(query, documents);
}

Answerable<void> score_pairs(Service& service, const Call& call, PairsRequest request) {
  const auto work = std::make_shared<PairsWork>(service, call, std::move(request));
  EMBD_TRY(work->prepare());
  return submit(service, work);
}

}  // namespace embd::server
