#pragma once

#include <optional>
#include <string>

#include "base/path_roles.h"
#include "embd/rerank.h"
#include "faces/cli/options/input_options.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// A reranker, and the options for scoring pairs with it.
struct RerankerOptions {
  std::string model;
  std::string vocab;
  std::optional<Compute> compute = {};
  ScoreOptions score;
  std::filesystem::path hash_record = {};  ///< LoadOptions::hash_record
};

/// The arguments of `embd rerank`. With queries, the input has documents, which are ranked. Without
/// queries, it has pairs of texts, which are scored.
struct RerankRequest {
  TextInput input;
  RerankerOptions reranker;
  std::vector<std::filesystem::path> outputs;
  OnTruncate on_truncate = OnTruncate::warn;

  ScorePairsOptions pairs;
  bool keep_model_hash = true;
  std::string progress = "auto";
  std::string report;

  std::vector<std::string> queries;
  std::string query_file;
  std::size_t k = 10;
  bool json = false;
  const Verb* verb = nullptr;
};

/// Adds all options of `embd rerank` and its input.
void add_rerank_options(Verb& verb, RerankRequest& options);

/// Adds the files that open_reranker() reads to `roles`.
void reads_reranker(PathRoles& roles, const RerankerOptions& options);

/// Opens the reranker. Fails with invalid_argument if no model is named, because there is no
/// default, and with the errors of Reranker::open().
Result<Reranker> open_reranker(const RerankerOptions& options);

/// Opens the reranker that a verb uses in addition to its model. Returns nothing if `path` is
/// empty.
Result<std::optional<Reranker>> open_second_reranker(const std::string& path,
                                                     std::optional<Compute> compute = {});

/// Prints a warning on standard error that `truncated` of `pairs` pairs were cut, if `truncated` is
/// not 0.
void warn_of_cuts(std::uint64_t truncated, std::uint64_t pairs);

}  // namespace embd::cli
