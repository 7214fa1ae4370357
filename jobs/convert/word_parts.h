#pragma once

#include "embd/format_options.h"
#include "jobs/joined_sets.h"

namespace embd {

/// Gives the writer of word embeddings what the rows `taken` of all sets have besides words and
/// rows: original lengths, n-gram rows, metadata. Fails with invalid_argument for n-gram rows of
/// several sets, and if only some n-gram rows are taken.
Result<void> take_word_parts(const Readers& sets, RowRange taken, FinalfusionOptions& write);

}  // namespace embd
