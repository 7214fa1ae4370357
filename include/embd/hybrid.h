#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "embd/enum_names.h"
#include "embd/terms.h"

// Hybrid search: the results of comparing vectors and of comparing terms, as one list.
namespace embd {

/// The way in which a search compares a query with the rows.
enum class Match : std::uint8_t {
  vectors,  ///< by its vector
  terms,    ///< by its terms (TermIndex)
  both,     ///< by both; the results are fused
};
/// The names of the ways on the command line, in Python and in requests to the server.
inline constexpr EnumNames<Match, 3> match_names = {
    {{"vectors", Match::vectors}, {"terms", Match::terms}, {"both", Match::both}}};

/// The rows that a search for terms found, for each query, best first.
using TermHits = std::vector<std::vector<TermHit>>;

/// A row that a search by vectors and terms found.
struct FusedRow {
  std::uint64_t row = 0;  ///< its number in the vector set
  float score = 0;        ///< from 0 to 1; higher is better (fuse_rows())
  float distance = 0;     ///< the distance of its vector to the query's; smaller is nearer
  /// The BM25 score of its text; higher is better. 0 if the text has no term of the query.
  float term_score = 0;
  bool operator==(const FusedRow&) const = default;
};
/// The rows of each query, best first.
using FusedRows = std::vector<std::vector<FusedRow>>;

/// Computes the scores of the rows that were found for a query, and returns the `k` best of them,
/// best first. Rows with equal scores (before they are rounded to float) are in ascending order.
/// The members `score` of `rows` are ignored.
///
/// The score is 0.6 · v + 0.4 · t. Here v is the negative distance and t is the term score, each
/// scaled linearly so that it is 0 for the worst of the rows and 1 for the best. If all rows are
/// equal in one of them, it is 0 for all. A distance or term score that is not finite counts as the
/// worst.
std::vector<FusedRow> fuse_rows(std::vector<FusedRow> rows, std::size_t k);

}  // namespace embd
