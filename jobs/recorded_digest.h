#pragma once

#include <optional>

#include "embd/digest.h"
#include "formats/vectors/format.h"
#include "jobs/joined_sets.h"

// The digest that was written down beside vectors when they were made (VectorReader::digest).
namespace embd {

/// Nothing where none was, and where `read` takes other rows than those of the whole file.
Result<std::optional<Digest>> recorded_digest(const VectorReader& vectors, const ReadOptions& read);

/// The sum of the digests of `sets`, whose rows are to have `ids`, one set after the other. Nothing
/// where a set has none, or its rows get other ids.
Result<std::optional<Digest>> joined_digest(const Readers& sets, const ReadOptions& read,
                                            const Ids& ids);

/// Returns false if rows with `ids` get others in a file of `format`: one of words makes words of
/// numbers.
bool keeps_ids(const Format& format, const Ids& ids);

}  // namespace embd
