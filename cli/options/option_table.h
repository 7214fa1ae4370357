#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace embd::cli {

struct OptionEntry {
  std::string short_name;  ///< "-o", or empty
  std::string name;        ///< "--output", or empty; of a positional its name alone, "INPUT"
  std::string value;       ///< "OUT"; empty for a flag
  std::string description;
  bool is_required = false;
};

/// A verb with the words that open it ("model convert"); the program itself has none.
struct VerbEntry {
  std::string words;
  std::string description;
  std::vector<OptionEntry> positionals;
  std::vector<OptionEntry> options;
  std::vector<std::string> verbs;  ///< under it
};

/// All verbs and options of `app`, itself first: what the help, the manual page and the completions
/// are made of.
std::vector<VerbEntry> option_table(const CLI::App& app);

}  // namespace embd::cli
