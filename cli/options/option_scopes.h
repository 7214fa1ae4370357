#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/verb.h"
#include "embd/error.h"
#include "embd/output_options.h"
#include "embd/vectors.h"
#include "jobs/outputs/output_target.h"

// Options that only some formats have a use for, or that mean nothing without another. One that is
// given on the command line and would do nothing is refused. (One from the environment is not: it
// stands there for all verbs.)
namespace embd::cli {

/// Resolves the outputs of the verb and checks that each option given has a use for one of their
/// formats. Errors: invalid_argument, naming the option; those of resolve_outputs().
Result<std::vector<OutputTarget>> outputs_of(const Verb& verb,
                                             const std::vector<std::filesystem::path>& paths,
                                             const OutputOptions& options);
/// Checks that each option given has a use for one of the formats that are read. Errors:
/// invalid_argument, naming the option; what telling a format gives.
Result<void> check_input_scopes(const Verb& verb, const std::vector<std::filesystem::path>& inputs,
                                const ReadOptions& options);
/// Of an index that `embd index` builds or `embd search` searches: its kind is "hnsw", "vamana" or,
/// of vectors without an index, "none".
Result<void> check_index_scopes(const Verb& verb, std::string_view kind);
/// That each option given stands beside the one it needs.
Result<void> check_needs(const Verb& verb);

}  // namespace embd::cli
