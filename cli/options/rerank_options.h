#pragma once

#include <optional>
#include <string>

#include "base/path_roles.h"
#include "cli/options/input_options.h"
#include "cli/options/verb.h"
#include "embd/rerank.h"

namespace embd::cli {

/// A cross-encoder, and how pairs are scored with it.
struct RerankerOptions {
  std::string model;
  std::string vocab;
  std::optional<Compute> compute = {};
  ScoreOptions score;
  std::filesystem::path hash_record = {};  ///< LoadOptions::hash_record
};

/// The arguments of `embd rerank`: pairs with an output or, with queries, documents to be ranked.
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

/// All options, the input included.
void add_rerank_options(Verb& verb, RerankRequest& options);

/// The files that open_reranker() reads.
void reads_reranker(PathRoles& roles, const RerankerOptions& options);

/// Error: invalid_argument where no model is named; there is none by default.
Result<Reranker> open_reranker(const RerankerOptions& options);

/// Opens the reranker that a verb may be given beside its model: none where `path` is empty.
Result<std::optional<Reranker>> open_second_reranker(const std::string& path,
                                                     std::optional<Compute> compute = {});

/// Says on standard error that `truncated` of `pairs` were cut, if any were.
void warn_of_cuts(std::uint64_t truncated, std::uint64_t pairs);

}  // namespace embd::cli
