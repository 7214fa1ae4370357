#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/texts.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// A file of texts: INPUT, and the options of add_text_options().
struct TextInput {
  std::string path = "-";
  InputOptions options;
};

/// Several files and folders of texts, and the options of add_text_options().
struct TextInputs {
  std::vector<std::filesystem::path> paths;
  InputOptions options;
};

/// Returns the paths; "-" for standard input if there are none.
std::vector<std::filesystem::path> paths_or_standard_input(
    const std::vector<std::filesystem::path>& paths);

/// Adds the options for reading a file of texts.
void add_text_options(Verb& verb, InputOptions& options);
/// Returns the names of the options that add_text_options() adds.
std::vector<std::string> text_options();
/// Returns the first option of text_options() that was given on the command line; nothing if none
/// was.
std::optional<std::string> given_text_option(const Verb& verb);
/// The action if a text is longer than the model can read: cut it silently, cut it and warn, or
/// fail.
enum class OnTruncate { ignore, warn, error };

/// Adds --on-truncate.
void add_on_truncate(Verb& verb, OnTruncate& on_truncate);

/// Adds --progress.
void add_progress(Verb& verb, std::string& progress);

/// Adds --token-ids-field, for verbs that embed texts. Call it after add_text_inputs().
Option& add_token_ids_field(Verb& verb, InputOptions& options);

/// Adds the positional argument for one file of texts, and its options. `positional` is the name of
/// the argument.
Option& add_text_input(Verb& verb, TextInput& input, const std::string& positional = "INPUT");
/// Adds the positional argument for several files and folders of texts, and their options.
Option& add_text_inputs(Verb& verb, TextInputs& input, const std::string& positional);

/// Returns all texts of a file, such as a file of queries. Returns none if `path` is empty. Fails
/// with the errors of reading the file.
Result<std::vector<std::string>> read_texts(const std::string& path, const InputOptions& options,
                                            const std::stop_token& stop);

/// The queries of a command line.
struct QueryTexts {
  const std::vector<std::string>& texts;  ///< the values of -q; "-": the lines of standard input
  const std::string& file;                ///< the value of --query-file; empty: none
  InputOptions input = {};                ///< for reading `file`
  bool is_standard_input_taken = false;   ///< another option reads standard input
};

/// Returns all queries, those of -q first. Fails with invalid_argument if standard input is named
/// twice, and with the errors of reading.
Result<std::vector<std::string>> read_queries(const QueryTexts& queries,
                                              const std::stop_token& stop);

}  // namespace embd::cli
