#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "embd/collect.h"
#include "embd/rerank.h"
#include "embd/searcher.h"
#include "jobs/search/query_terms.h"

namespace embd::cli {

/// A row or a document that was found for a query, as it is printed. The numbers that were computed
/// for it are set.
struct Hit {
  RecordId id;                             ///< a number or a string
  std::optional<float> score = {};         ///< of a reranker, or of vectors and terms together
  std::optional<float> logit = {};         ///< of a reranker
  std::optional<float> distance = {};      ///< of a search with vectors
  std::optional<float> term_score = {};    ///< of a search with terms
  std::string columns = {};                ///< Searcher::columns_json(); empty: none
  std::optional<PassagePlace> place = {};  ///< of a passage of a collection, instead of columns
  std::optional<std::string> text = {};
  TermPlaces terms = {};  ///< the terms of the query in `text`
};
/// The hits of all queries: a list for each query, the best hit first.
using Hits = std::vector<std::vector<Hit>>;

/// The rows that a search has found for each query, with the number by which they are ordered.
using FoundRows = std::variant<RowHits, TermHits, FusedRows>;

/// Returns the rows of all hits, in their order; distances are those of the hits, or 0.
RowHits rows_of(const FoundRows& found);
/// Returns the hits of a search for printing, with the ids and columns of the rows or, if they are
/// passages of `collection`, which may be null, their places. `texts` has the texts of the rows, or
/// is empty if no texts are printed. Fails with the errors of reading columns.
Result<Hits> hits_of(const FoundRows& found, const Searcher& searcher, const RowTexts& texts,
                     const Collection* collection = nullptr);
/// Returns the hits of a search that a reranker has ranked, in the same form and with the same
/// errors. `ranked` has rows of `found` only.
Result<Hits> hits_of(const RankedRows& ranked, const FoundRows& found, const Searcher& searcher,
                     const RowTexts& texts, const Collection* collection = nullptr);

/// Finds the terms of the queries in the texts of their hits, as the searcher's term index counts
/// them. `model` is only needed for an index of tokens, and may be null. Fails with the errors of
/// TermIndex::query().
Result<void> find_terms(const Searcher& searcher, const Model* model,
                        const std::vector<std::string>& queries, Hits& hits);

/// Returns the line of a hit that has most of the query's terms: of the document, if the hit is a
/// passage of one, otherwise of its text.
std::uint64_t line_of(const Hit& hit);

/// The forms in which hits are printed.
enum class HitFormat {
  automatic,  ///< a table on a terminal, otherwise JSON Lines
  json,       ///< JSON Lines
  lines,      ///< a line PATH:LINE:1:TEXT for each hit of a collection, as editors read it
};

/// Options of print_hits().
struct HitOptions {
  const std::vector<std::string>& queries;  ///< shown above each table; empty for vectors
  /// The metric of the search. If it has similarities, a table shows them instead of distances.
  std::optional<Metric> metric = {};
  HitFormat format = HitFormat::automatic;
  bool similarity = false;   ///< add similarities to JSON Lines
  std::string output = "-";  ///< the path of the output; "-" is standard output
};

/// Prints hits. A table has rank, score, similarity or distance, id, columns and text, in which
/// terms of the query are bold. JSON Lines have the members that each hit has:
/// {"query":0,"hits":[{"id":…,"score":…,"logit":…,"similarity":…,"distance":…,"term_score":…,
/// "file":…,"lines":[…,…],"line":…,"headings":[…],"changed":true,"gone":true,"columns":{…},
/// "text":…}]}
Result<void> print_hits(const Hits& hits, const HitOptions& options);

/// Returns the hits of a query as a JSON array, as print_hits() prints them.
Result<std::string> hits_to_json(const std::vector<Hit>& hits, const HitOptions& options);

/// Returns the kind of a searcher's index, "hnsw" or "vamana"; "none" if it searches vectors
/// without an index.
std::string_view kind_of_index(const Searcher& searcher);

}  // namespace embd::cli
