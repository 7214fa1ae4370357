#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "embd/error.h"

namespace embd {

/// A hit as a row of a vector set.
struct RowHit {
  std::size_t row;
  float distance;
};
using RowHits = std::vector<std::vector<RowHit>>;

/// Questions to the words of a finalfusion file.
struct WordQueries {
  std::vector<std::string> words;
  /// A is to B as C is to what?
  std::vector<std::array<std::string, 3>> analogies;
};

/// The words most similar to each of `queries.words`, then to each analogy: at most `k`, of those
/// `allowed`, without the query's own. As finalfusion has it, similarity is the dot product with
/// the rows as stored, and the distance 1 minus that. Errors: those of opening the file; missing
/// for a word that has no vector.
Result<RowHits> search_words(const std::filesystem::path& path, const WordQueries& queries,
                             std::size_t k,
                             const std::optional<std::unordered_set<std::size_t>>& allowed);

}  // namespace embd
