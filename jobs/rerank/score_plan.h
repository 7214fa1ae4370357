#pragma once

#include <filesystem>
#include <vector>

#include "base/path_roles.h"
#include "embd/rerank.h"
#include "jobs/embed/embed_plan.h"

namespace embd {

/// A job of scoring pairs, resolved and checked before a file is written.
struct ScorePlan {
  EmbedPlan job;
  ScorePairsOptions options;
};

/// Checks a job. `others`: what the caller reads and writes besides. Error: invalid_argument, as of
/// plan_embedding().
Result<ScorePlan> plan_scoring(const std::filesystem::path& input,
                               std::vector<OutputTarget> outputs, const InputOptions& texts,
                               const ScorePairsOptions& options, PathRoles others = {},
                               const EmbedRoleNames& names = {});

/// score_pairs_file() of embd/rerank.h, planned.
Result<EmbedReport> score_pairs_file(const Reranker& model, const ScorePlan& plan,
                                     std::stop_token stop);
/// Scores the pairs of records that the caller reads, with the first text of each as the only one
/// of its further fields.
Result<EmbedReport> score_records(const Reranker& model, RecordReader& records,
                                  const ScorePlan& plan, std::stop_token stop);

}  // namespace embd
