#pragma once

#include <filesystem>
#include <vector>

#include "base/paths.h"
#include "embd/rerank.h"
#include "jobs/embed/embed_plan.h"

namespace embd {

/// A job that scores pairs of texts. It is resolved and checked before a file is written, so that a
/// mistake costs no time.
struct ScorePlan {
  EmbedPlan job;
  ScorePairsOptions options;
};

/// Checks a job and returns its plan. `others` are further files that the caller reads or writes.
/// Fails with invalid_argument if texts are given as token ids, and as plan_embedding() does.
Result<ScorePlan> plan_scoring(const std::filesystem::path& input,
                               std::vector<OutputTarget> outputs, const InputOptions& texts,
                               const ScorePairsOptions& options, PathRoles others = {},
                               const EmbedRoleNames& names = {});

/// Does the work of score_pairs_file() in embd/rerank.h for a plan that plan_scoring() has
/// returned.
Result<EmbedReport> score_pairs_file(const Reranker& model, const ScorePlan& plan,
                                     std::stop_token stop);
/// Scores the pairs of a reader that the caller has opened. The first text of each pair must be the
/// only further field of its record.
Result<EmbedReport> score_records(const Reranker& model, RecordReader& records,
                                  const ScorePlan& plan, std::stop_token stop);

}  // namespace embd
