#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "embd/vectors.h"

// Several vector sets as one, their rows one after the other.
namespace embd {

/// A vector set and where it was opened.
struct OpenSet {
  std::filesystem::path path;
  std::shared_ptr<const VectorReader> vectors;

  const VectorReader& operator*() const noexcept { return *vectors; }
  const VectorReader* operator->() const noexcept { return vectors.get(); }
};
using Readers = std::vector<OpenSet>;

/// The recipe that all sets share, without what they differ in; none if one has none or was made
/// with another prompt. Error: recipe_mismatch, unless `force`.
Result<std::optional<Recipe>> common_recipe(const Readers& sets, bool force);

/// The ids of all rows; none if no set has any; strings if kinds are mixed. Ids that are just the
/// row numbers of their set say nothing and, unless `keep_row_numbers`, count as none: otherwise
/// parts that were made one by one would have each number several times.
Result<Ids> joined_ids(const Readers& sets, bool keep_row_numbers);

/// The ids of rows `taken` of sets whose ids, or none, are `all`. A row without an id has its
/// number for one, and keeps it in a part.
Ids ids_of_part(const Ids& all, RowRange taken);

}  // namespace embd
