#pragma once

#include <filesystem>
#include <optional>
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

  /// Returns the paths; "-" for standard input if there are none.
  std::vector<std::filesystem::path> paths_or_standard_input() const {
    return paths.empty() ? std::vector<std::filesystem::path>{"-"} : paths;
  }
};

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

}  // namespace embd::cli
