#pragma once

#include <optional>

#include "embd/digest.h"
#include "formats/vectors/format.h"
#include "jobs/joined_sets.h"

// Functions for the digest that is stored with a vector set when it is made (VectorReader::digest).
namespace embd {

/// Returns the digest that was recorded beside vectors; nothing if there is none, or if `read`
/// selects only some rows of the file.
Result<std::optional<Digest>> recorded_digest(const VectorReader& vectors, const ReadOptions& read);

/// Returns the sum of the recorded digests of `sets`, whose rows get the ids `ids`, one set after
/// the other. Returns nothing if a set has no digest, or if its rows get other ids than they had.
Result<std::optional<Digest>> joined_digest(const Readers& sets, const ReadOptions& read,
                                            const Ids& ids);

/// Returns false if rows with `ids` would have other ids in a file of `format`, as in a format of
/// words, which turns numbers into words.
bool keeps_ids(const Format& format, const Ids& ids);

}  // namespace embd
