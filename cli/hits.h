#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/rerank.h"
#include "embd/searcher.h"

namespace embd::cli {

/// A row or a document that was found for a query, as it is printed.
struct Hit {
  RecordId id;                         ///< a number or a string
  std::optional<float> distance = {};  ///< of a search
  std::optional<float> score = {};     ///< of a reranker, together with its logit
  float logit = 0;
  std::string columns = {};  ///< Searcher::columns_json(); empty: none
  std::optional<std::string> text = {};
};
/// A list for each query, the best hit first.
using Hits = std::vector<std::vector<Hit>>;

/// The hits of a search. `texts` has those that are to be printed. Errors: those of reading the
/// columns of the rows.
Result<Hits> hits_of(const RowHits& found, const Searcher& searcher, const RowTexts& texts);
/// The hits of a search that a reranker has ranked. Errors: likewise.
Result<Hits> hits_of(const RankedRows& ranked, const Searcher& searcher, const RowTexts& texts);

struct HitOptions {
  const std::vector<std::string>& queries;  ///< as the table says them; empty for vectors
  /// The metric of a search. A table shows similarities instead of distances where it has them.
  std::optional<Metric> metric = {};
  bool json = false;
  bool similarity = false;  ///< JSON has similarities, too
  std::string output = "-";
};

/// Prints a table for people on a terminal: rank, score, similarity or distance, id, columns, text;
/// JSON Lines everywhere else, or if that is said:
/// {"query":0,"hits":[{"id":…,"score":…,"logit":…,"similarity":…,"distance":…,"columns":{…},
/// "text":…}]}, with what each hit has.
Result<void> print_hits(const Hits& hits, const HitOptions& options);

/// "hnsw", "vamana", or "none" for vectors without an index.
std::string_view kind_of_index(const Searcher& searcher);

}  // namespace embd::cli
