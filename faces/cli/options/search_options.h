#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "embd/searcher.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// The arguments of `embd search`.
struct SearchRequest {
  std::vector<std::filesystem::path> shards;
  SearcherOptions searcher;
  std::size_t k = 10;
  SearchOptions search;
  std::string filter_ids;    ///< a file with an id on each line; empty: none
  RowConditions conditions;  ///< on the columns of rows
  std::string texts;         ///< a file of the rows' texts; empty: none
  InputOptions input;        ///< for reading `texts`, otherwise `query_file`
  bool json = false;
  bool similarity = false;
  std::string reranker;          ///< a reranker that ranks the hits; empty: none
  std::size_t candidates = 100;  ///< the number of hits to rank, at least k

  // The queries: vectors, or texts and the model that embeds them.
  std::string queries;
  std::vector<std::string> query_texts;
  std::string query_file;
  std::string query_field;  ///< the field of `query_file`; empty: that of `input`, or "text"
  ModelOptions model;
  QueryOptions query;
  bool words = false;                  ///< queries are words of a finalfusion file
  std::vector<std::string> analogies;  ///< words A, B, C of each analogy
  const Verb* verb = nullptr;
};

/// Adds all options of `embd search`, but not the shards.
void add_search_options(Verb& verb, SearchRequest& options);

}  // namespace embd::cli
