#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/verb.h"
#include "embd/texts.h"

namespace embd::cli {

/// Where texts come from: INPUT and the options of add_text_options().
struct TextInput {
  std::string path = "-";
  InputOptions options;
};

/// Where texts come from: files and folders, and the options of add_text_options().
struct TextInputs {
  std::vector<std::filesystem::path> paths;
  InputOptions options;

  std::vector<std::filesystem::path> paths_or_standard_input() const {
    return paths.empty() ? std::vector<std::filesystem::path>{"-"} : paths;
  }
};

/// Adds the options that say how a file of texts is read.
void add_text_options(Verb& verb, InputOptions& options);
/// Returns the names of these options.
std::vector<std::string> text_options();
/// The one of these options that was given on the command line, if any was.
std::optional<std::string> given_text_option(const Verb& verb);
/// The consequence of a text being longer than the model takes.
enum class OnTruncate { ignore, warn, error };

/// --on-truncate.
void add_on_truncate(Verb& verb, OnTruncate& on_truncate);

/// --progress.
void add_progress(Verb& verb, std::string& progress);

/// --token-ids-field, for verbs that embed; after add_text_inputs().
Option& add_token_ids_field(Verb& verb, InputOptions& options);

/// `positional`: the name under which the path is taken, such as "INPUT".
Option& add_text_input(Verb& verb, TextInput& input, const std::string& positional = "INPUT");
/// Adds the positional argument for several files and folders of texts, and their options.
Option& add_text_inputs(Verb& verb, TextInputs& input, const std::string& positional);

}  // namespace embd::cli
