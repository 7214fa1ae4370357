#include "cli/commands.h"

#include <memory>
#include <sstream>

#include "base/guard.h"
#include "base/kernel_profile.h"
#include "base/try.h"
#include "cli/options/arguments.h"
#include "cli/options/help.h"
#include "cli/options/parse_errors.h"
#include "cli/printable.h"
#include "cli/program_version.h"
#include "cli/remedy.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"

namespace embd::cli {
namespace {

/// `verb`: that failed.
ExitCode report(const CLI::App& verb, const Error& error) {
  say("embd: {}\n", printable(error.message()));
  if (const std::string remedy = remedy_of(error, verb); !remedy.empty())
    say("{}\n", printable(remedy));
  return exit_code_of(error);
}

/// Help and version come from the parser as exceptions, too.
ExitCode report(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    std::ostringstream text;
    app.exit(error, text, text);
    const auto printed = print_to_standard_output(text.str());
    return printed ? ExitCode::good : report(app, printed.error());
  }
  say("embd: {}\n{}\n", printable(sentence_of(app, error)), help_remedy(last_parsed(app)));
  return ExitCode::usage;
}

}  // namespace

Commands::Commands() : app_("Sentence embeddings: the same text gives the same bytes.", "embd") {
  app_.require_subcommand(1);
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_version_flag("--version", [] {
    const auto version = program_version();
    if (!version) throw CLI::ValidationError("--version", version.error().message());
    return *version;
  });
  app_.footer(
      "Exit: 0 good, 2 usage, 3 bad input, 4 made with another recipe, 5 a difference was\n"
      "found, 6 input or output failed, 130 interrupted, 141 the output's reader went away.\n"
      "A long option --some-name may be set in the environment as EMBD_SOME_NAME.");
}

CLI::App& Commands::add(CLI::App& parent, const std::string& name, const std::string& description,
                        Run run) {
  CLI::App& verb = *parent.add_subcommand(name, description);
  verb.footer("");
  verbs_.emplace_back(&verb, std::move(run));
  return verb;
}

ExitCode Commands::run(int argc, char** argv) {
  try {
    finish_options(app_);
    app_.parse(protected_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    return report(app_, error);
  }
  const auto result = run_parsed();
  return result ? *result : report(last_parsed(app_), result.error());
}

Result<ExitCode> Commands::run_parsed() {
  EMBD_TRY(choose_kernel_profile());  // Before the first line of input is read.
  for (const auto& [verb, run] : verbs_)
    if (verb->parsed()) return guarded(run);
  return ExitCode::usage;
}

}  // namespace embd::cli
