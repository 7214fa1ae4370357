#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "embd/error.h"

namespace embd::cli {

/// What a verb does with its parsed options. Data goes to standard output or a file, everything
/// else to standard error.
using Run = std::function<Result<ExitCode>()>;

/// The verbs of the program. CLI::App is the one table of options: --help, the environment
/// variables and the completions are all made from it.
class Commands {
 public:
  Commands();

  CLI::App& app() noexcept { return app_; }
  /// A new verb under `parent`; its options are added by the caller, who keeps what they are bound
  /// to alive inside `run`.
  CLI::App& add(CLI::App& parent, const std::string& name, const std::string& description, Run run);
  /// Parses and runs. Prints the error, if there is one.
  ExitCode run(int argc, char** argv);

 private:
  Result<ExitCode> run_parsed();

  CLI::App app_;
  std::vector<std::pair<CLI::App*, Run>> verbs_;
};

// One file a verb.
void add_embed(Commands& commands);
void add_tokenize(Commands& commands);
void add_similarity(Commands& commands);
void add_convert(Commands& commands);
void add_inspect(Commands& commands);
void add_compare(Commands& commands);
void add_verify(Commands& commands);
void add_lock(Commands& commands);
void add_check(Commands& commands);
void add_index(Commands& commands);
void add_search(Commands& commands);
void add_serve(Commands& commands);
void add_model(Commands& commands);
void add_digest(Commands& commands);
void add_join(Commands& commands);
void add_completion(Commands& commands);
void add_man(Commands& commands);

}  // namespace embd::cli
