#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "embd/convert.h"
#include "embd/error.h"
#include "embd/index_options.h"
#include "embd/output_options.h"
#include "embd/vectors.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/verb.h"
#include "jobs/outputs/output_target.h"

namespace embd::cli {

/// Adds the options for reading a vector set: --from, --dtype, --column, --section, --all-rows and
/// --unnormalize.
void add_read_options(Verb& verb, ReadOptions& options);

/// Adds the options for building the HNSW graph of a `.usearch` file. All verbs that can write such
/// a file have them.
void add_hnsw_options(Verb& verb, IndexOptions& options);

/// Adds the options for writing vectors, which embed, convert and join share. `format_option` is
/// the name of the option for the format: "output_format" or "to".
void add_output_options(Verb& verb, OutputOptions& options, std::string_view format_option);

/// Prints on standard error which metadata of its inputs a conversion did not keep, and what
/// quantizing lost.
void say_conversion(const std::filesystem::path& output, const ConvertReport& report);
/// Prints on standard error what quantizing lost in each output.
void say_losses(const std::vector<OutputLoss>& losses);

// Checks for options that are for some formats only, or that do nothing without another option. An
// option that would do nothing is refused if it was given on the command line. Options from the
// environment are not refused, because the environment is set for all verbs.

/// Resolves the outputs of a verb, and checks that each option on the command line is for one of
/// their formats. Fails with invalid_argument, naming the option, if it is not, and with the errors
/// of resolve_outputs(). `has_terms` is true if a term index is one of the outputs, too; it is not
/// among `paths`.
Result<std::vector<OutputTarget>> outputs_of(const Verb& verb,
                                             const std::vector<std::filesystem::path>& paths,
                                             const OutputOptions& options, bool has_terms = false);
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
