#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "embd/error.h"
#include "embd/terms.h"
#include "embd/tokens.h"

namespace embd {

/// The places in a text that have terms of a query.
struct TermPlaces {
  std::vector<ByteRange> ranges = {};  ///< ascending; they neither touch nor overlap
  /// The number, from 1, of the line whose terms of the query have the greatest weight together;
  /// the first of several. Unset if the text has no term of the query.
  std::optional<std::uint64_t> line = {};
};

/// The terms of a query, which are looked for in the texts of the rows that it finds. Any number of
/// threads may use it at the same time.
class QueryTerms {
 public:
  /// Finds the terms of a query as an index counts them. `index` and `model` must outlive this
  /// object; `model` is only needed for an index of tokens. Fails with the errors of
  /// TermIndex::query().
  static Result<QueryTerms> create(const TermIndex& index, std::string_view query,
                                   const Model* model = nullptr);

  /// Returns the places of the query's terms in a text. Fails as create() does.
  Result<TermPlaces> places_in(std::string_view text) const;

 private:
  QueryTerms(const TermIndex& index, const Model* model) : index_(&index), model_(model) {}

  const TermIndex* index_;
  const Model* model_;
  std::unordered_map<std::string, float> weights_;  // of each term of the query
};

}  // namespace embd
