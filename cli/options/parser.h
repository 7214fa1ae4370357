#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace embd::cli {

/// Gives every long option of `app` and its verbs its environment variable, undoes
/// protected_arguments() in every value, and refuses values that are empty where they are no texts.
void finish_options(CLI::App& app);

/// The arguments last to first, as CLI::App::parse takes them. CLI11 takes a value in square
/// brackets for a list and splits it at commas, and "++" for the end of a verb's arguments; here
/// they are texts like any other, so they are marked.
std::vector<std::string> protected_arguments(int argc, char** argv);

/// "max-length" → "EMBD_MAX_LENGTH".
std::string environment_name(const std::string& long_option);

}  // namespace embd::cli
