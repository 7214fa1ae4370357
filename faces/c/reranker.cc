#include <algorithm>
#include <vector>

#include "base/path_text.h"
#include "faces/c/fields.h"
#include "faces/c/support.h"
#include "jobs/options/model_lists.h"

namespace embd::c {

Result<ScoreOptions> score_options(const embd_score_options* given) {
  using C = embd_score_options;
  using O = ScoreOptions;
  constexpr Fields<Field<&C::prompt, &O::prompt>, Field<&C::prompt_name, &O::prompt_name>,
                   Field<&C::max_length, &O::max_length>,
                   Field<&C::truncation_side, &O::truncation_side>,
                   Field<&C::activation, &O::activation>, Field<&C::threads, &O::threads>>
      fields;
  // A job of pairs has a member for refuse_truncated.
  static_assert(are_all<O>(fields, {"refuse_truncated", "batch_tokens", "dedup"}));
  ScoreOptions options;
  EMBD_TRY(set_all(fields, known(given, EMBD_SCORE_OPTIONS_INIT), options));
  return options;
}

namespace {

/// Copies values to the caller, unless its pointer is null.
void give_values(MatrixView values, float* out) {
  if (out != nullptr) std::ranges::copy(values.values(), out);
}

/// Returns true if `out_size` is one float for each pair and label.
bool is_room(const Reranker& reranker, std::size_t num_pairs, std::size_t out_size) {
  const std::size_t num_labels = reranker.labels().size();
  return out_size / num_labels == num_pairs && out_size % num_labels == 0;
}

Result<PairScores> score(const Reranker& reranker, std::span<const embd_text_pair> pairs,
                         const embd_score_options* options) {
  std::vector<TextPair> views;
  views.reserve(pairs.size());
  for (const embd_text_pair& pair : pairs) {
    const std::string_view first = EMBD_TRY(text_of(pair.first));
    const std::string_view second = EMBD_TRY(text_of(pair.second));
    views.push_back({first, second});
  }
  const ScoreOptions cpp_options = EMBD_TRY(score_options(options));
  return reranker.score(views, cpp_options);
}

Result<void> rank(const Reranker& reranker, const embd_text& query,
                  std::span<const embd_text> documents, const embd_score_options* options,
                  std::span<embd_ranked_document> ranking, std::size_t* found) {
  const auto views = EMBD_TRY(texts_of(documents.data(), documents.size()));
  const std::string_view query_view = EMBD_TRY(text_of(query));
  const ScoreOptions cpp_options = EMBD_TRY(score_options(options));
  const auto best = EMBD_TRY(reranker.rank(query_view, views, ranking.size(), cpp_options));
  std::ranges::transform(best, ranking.begin(), [](const RankedDocument& document) {
    return embd_ranked_document{document.index, document.score, document.logit};
  });
  *found = best.size();
  return {};
}

}  // namespace
}  // namespace embd::c

using embd::Result;
using namespace embd::c;

extern "C" {

embd_status embd_reranker_open(const char* path, const embd_load_options* options,
                               embd_reranker** reranker, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(path != nullptr && reranker != nullptr, "path or reranker is NULL"));
    const embd::LoadOptions load = EMBD_TRY(load_options(options));
    embd::Reranker opened = EMBD_TRY(embd::Reranker::open(embd::path_of_text(path), load));
    *reranker = new embd_reranker{std::move(opened)};
    return {};
  });
}

void embd_reranker_free(embd_reranker* reranker) {
  delete reranker;
}

const char* embd_reranker_name(const embd_reranker* reranker) {
  return reranker == nullptr ? "" : reranker->reranker.name().c_str();
}

uint32_t embd_reranker_max_length(const embd_reranker* reranker) {
  return reranker == nullptr ? 0 : reranker->reranker.max_length();
}

size_t embd_reranker_num_labels(const embd_reranker* reranker) {
  return reranker == nullptr ? 0 : reranker->reranker.labels().size();
}

const char* embd_reranker_label(const embd_reranker* reranker, size_t index) {
  if (index >= embd_reranker_num_labels(reranker)) return nullptr;
  return reranker->reranker.labels()[index].c_str();
}

embd_status embd_reranker_score(const embd_reranker* reranker, const embd_text_pair* pairs,
                                size_t count, const embd_score_options* options, float* logits,
                                float* scores, size_t out_size, embd_row_report* reports,
                                embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(reranker != nullptr && (pairs != nullptr || count == 0),
                     "reranker or pairs is NULL"));
    EMBD_TRY(require(
        (logits == nullptr && scores == nullptr) || is_room(reranker->reranker, count, out_size),
        "out_size is not count × labels"));
    const embd::PairScores scored = EMBD_TRY(score(reranker->reranker, {pairs, count}, options));
    give_values(scored.logits, logits);
    give_values(scored.scores, scores);
    give(scored.reports, reports);
    return {};
  });
}

embd_status embd_reranker_rank(const embd_reranker* reranker, embd_text query,
                               const embd_text* documents, size_t count, size_t k,
                               const embd_score_options* options, embd_ranked_document* ranking,
                               size_t* found, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(reranker != nullptr && (documents != nullptr || count == 0) &&
                         (ranking != nullptr || k == 0) && found != nullptr,
                     "reranker, documents, ranking or found is NULL"));
    return rank(reranker->reranker, query, {documents, count}, options, {ranking, k}, found);
  });
}

}  // extern "C"
