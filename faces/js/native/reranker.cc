#include "embd/reranker.h"

#include "faces/js/native/answer.h"
#include "faces/js/native/model.h"
#include "faces/js/native/option_object.h"
#include "faces/js/native/rows.h"
#include "jobs/options/model_lists.h"

namespace embd::js {
namespace {

/// Returns the rerankers that are open.
Handles<Reranker>& rerankers() {
  static Handles<Reranker> open;
  return open;
}

}  // namespace

EMBD_EXPORT(std::int32_t, embd_reranker_open)(const char* name, std::uint32_t name_size,
                                              const char* options, std::uint32_t options_size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    const auto how = EMBD_TRY(read_options<LoadOptions>(options, options_size));
    return rerankers().add(EMBD_TRY(Reranker::open(std::string(name, name_size), how)));
  });
}

EMBD_EXPORT(std::int32_t, embd_reranker_close)(std::int32_t handle) {
  return answer_with([&](Answer&) { return rerankers().close(handle); });
}

EMBD_EXPORT(std::int32_t, embd_reranker_info)(std::int32_t handle) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Reranker& reranker = *EMBD_TRY(rerankers().find(handle));
    nlohmann::json facts = facts_of(reranker);
    facts["labels"] = reranker.labels();
    facts["activation"] = name_of(reranker.activation(), score_activation_names);
    answer.say(facts);
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_reranker_rank)(std::int32_t handle, const char* query,
                                              std::uint32_t query_size, const char* documents,
                                              const std::uint32_t* sizes, std::uint32_t count,
                                              std::uint32_t k, const char* options,
                                              std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Reranker& reranker = *EMBD_TRY(rerankers().find(handle));
    const auto how = EMBD_TRY(read_options<ScoreOptions>(options, options_size));
    const auto texts = texts_of(documents, sizes, count);
    nlohmann::json ranked = nlohmann::json::array();
    for (const RankedDocument& document :
         EMBD_TRY(reranker.rank({query, query_size}, texts, k == 0 ? texts.size() : k, how))) {
      ranked.push_back({{"index", document.index},
                        {"score", document.score},
                        {"logit", document.logit},
                        {"truncated", document.truncated}});
    }
    answer.say(nlohmann::json{{"documents", std::move(ranked)}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_reranker_score)(std::int32_t handle, const char* texts,
                                               const std::uint32_t* sizes, std::uint32_t count,
                                               const char* options, std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Reranker& reranker = *EMBD_TRY(rerankers().find(handle));
    const auto how = EMBD_TRY(read_options<ScoreOptions>(options, options_size));
    const auto halves = texts_of(texts, sizes, 2 * count);
    std::vector<TextPair> pairs;
    for (std::size_t i = 0; i < halves.size(); i += 2) pairs.push_back({halves[i], halves[i + 1]});
    const PairScores scores = EMBD_TRY(reranker.score(pairs, how));
    answer.say(nlohmann::json{{"labels", scores.scores.cols()}});
    answer.keep(std::vector(scores.scores.values().begin(), scores.scores.values().end()));
    return 0;
  });
}

}  // namespace embd::js
