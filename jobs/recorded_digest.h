#pragma once

#include <optional>

#include "embd/digest.h"
#include "formats/vectors/format.h"
#include "jobs/joined_sets.h"

// The digest that was written down beside vectors when they were made (VectorReader::digest).
namespace embd {

/// Nothing where none was, and where `read` takes other rows than those of the whole file.
Result<std::optional<Digest>> recorded_digest(const VectorReader& vectors, const ReadOptions& read);

/// Of all rows of `sets`, one set after the other, which are to have `ids` in a file of `format`:
/// the sum of their digests. Nothing where a set has none, or its rows get other ids.
Result<std::optional<Digest>> joined_digest(const Readers& sets, const ReadOptions& read,
                                            const Ids& ids, const Format& format);

}  // namespace embd
