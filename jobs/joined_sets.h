#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "embd/digest.h"
#include "embd/vectors.h"
#include "formats/vectors/format.h"

// Several vector sets that are treated as one, with their rows one after the other.
namespace embd {

/// A vector set and the path where it was opened.
struct OpenSet {
  std::filesystem::path path;
  std::shared_ptr<const VectorReader> vectors;

  const VectorReader& operator*() const noexcept { return *vectors; }
  const VectorReader* operator->() const noexcept { return vectors.get(); }
};
using Readers = std::vector<OpenSet>;

/// Returns the recipe that all sets share, without the fields in which they differ; none if a set
/// has no recipe or was made with another prompt. Fails with recipe_mismatch, unless `force` is
/// true.
Result<std::optional<Recipe>> common_recipe(const Readers& sets, bool force);

/// Returns the ids of all rows: none if no set has ids, strings if the sets have different kinds.
/// Ids that only number the rows of their set count as none, unless `keep_row_numbers` is true;
/// otherwise parts that were made one by one would have every number several times.
Result<Ids> joined_ids(const Readers& sets, bool keep_row_numbers);

/// Returns the ids of the rows in `taken`, where `all` is the ids of all rows, or none. A row
/// without an id gets its number as id, and keeps it in a part.
Ids ids_of_part(const Ids& all, RowRange taken);

/// Returns the digest that was recorded beside vectors; nothing if there is none, or if `read`
/// selects only some rows of the file.
Result<std::optional<Digest>> recorded_digest(const VectorReader& vectors, const ReadOptions& read);

/// Adds up the digests that were recorded for `sets`. `ids` are the ids of the joined rows. Returns
/// nothing if a set has no digest, if its rows get other ids than they had, or if recipes differ.
Result<std::optional<Digest>> joined_digest(const Readers& sets, const ReadOptions& read,
                                            const Ids& ids);

/// Returns false if rows with `ids` would have other ids in a file of `format`, as in a format of
/// words, which turns numbers into words.
bool keeps_ids(const Format& format, const Ids& ids);

}  // namespace embd
