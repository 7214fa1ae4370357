#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/model_options.h"
#include "cli/options/verb.h"
#include "embd/searcher.h"

namespace embd::cli {

/// The arguments of `embd search`.
struct SearchRequest {
  std::vector<std::filesystem::path> shards;
  SearcherOptions searcher;
  std::size_t k = 10;
  SearchOptions search;
  std::string filter_ids;            ///< one id a line; empty: none
  std::vector<std::string> filters;  ///< NAME=VALUE each
  std::string texts;                 ///< file of the rows' texts; empty: none
  InputOptions input;  ///< how `texts` is read, or `query_file` where there are no `texts`
  bool json = false;
  bool similarity = false;
  std::string reranker;          ///< a cross-encoder that ranks the hits; empty: none
  std::size_t candidates = 100;  ///< hits that it ranks, at least k

  // Queries: vectors, or texts and the model to embed them with.
  std::string queries;
  std::vector<std::string> query_texts;
  std::string query_file;
  std::string query_field;  ///< of query_file; empty: as `input` has it, or "text"
  ModelOptions model;
  QueryOptions query;
  bool words = false;                  ///< texts are words of a finalfusion file
  std::vector<std::string> analogies;  ///< three words each
  const Verb* verb = nullptr;
};

/// The conditions that SearchRequest.filters are: several values of one column are alternatives.
/// Error: invalid_argument.
Result<std::vector<ColumnCondition>> conditions_of(const std::vector<std::string>& filters);

/// All options but the shards.
void add_search_options(Verb& verb, SearchRequest& options);

}  // namespace embd::cli
