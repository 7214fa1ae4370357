#pragma once

#include <filesystem>
#include <vector>

#include "embd/embed_file.h"
#include "jobs/embed/journal.h"

namespace embd {

/// All that decides the bytes of the outputs but the texts themselves, by name. What changes none
/// (threads, blocks of tokens, the report of progress) is left out; the recipe has what decides the
/// vectors. Error: those of reading OutputOptions.int8_ranges.
Result<Conditions> conditions_of(const std::vector<std::filesystem::path>& outputs,
                                 const InputOptions& input, const EmbedOptions& options,
                                 const Recipe& recipe);

}  // namespace embd
