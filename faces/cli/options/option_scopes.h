#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/output_options.h"
#include "embd/vectors.h"
#include "faces/cli/options/verb.h"
#include "jobs/outputs/output_target.h"

// Checks for options that are for some formats only, or that do nothing without another option. An
// option that would do nothing is refused if it was given on the command line. Options from the
// environment are not refused, because the environment is set for all verbs.
namespace embd::cli {

/// Resolves the outputs of a verb, and checks that each option on the command line is for one of
/// their formats. Fails with invalid_argument, naming the option, if it is not, and with the errors
/// of resolve_outputs().
Result<std::vector<OutputTarget>> outputs_of(const Verb& verb,
                                             const std::vector<std::filesystem::path>& paths,
                                             const OutputOptions& options);
/// Checks that each option for reading vectors is for one of the formats of `inputs`. Fails with
/// invalid_argument, naming the option, if it is not, and with the errors of finding a file's
/// format.
Result<void> check_input_scopes(const Verb& verb, const std::vector<std::filesystem::path>& inputs,
                                const ReadOptions& options);
/// Checks that each option is for the index that `embd index` builds or `embd search` searches.
/// `kind` is "hnsw", "vamana", or "none" for vectors without an index. Fails with invalid_argument,
/// naming the option.
Result<void> check_index_scopes(const Verb& verb, std::string_view kind);
/// Checks that each option was given together with the option without which it does nothing. Fails
/// with invalid_argument, naming both.
Result<void> check_needs(const Verb& verb);

}  // namespace embd::cli
