#pragma once

#include "embd/finalfusion_options.h"
#include "jobs/joined_sets.h"

namespace embd {

/// Gives the writer of word embeddings what rows `taken` of all sets have besides words and rows:
/// original lengths, subword rows, metadata. Error: invalid_argument for subword rows of several
/// sets or of some rows only.
Result<void> take_word_parts(const Readers& sets, RowRange taken, FinalfusionOptions& write);

}  // namespace embd
