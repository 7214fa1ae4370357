#include "cli/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <new>
#include <optional>
#include <sstream>

#include "base/guard.h"
#include "base/kernel_profile.h"
#include "base/try.h"
#include "cli/options/arguments.h"
#include "cli/options/help.h"
#include "cli/program_version.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"

namespace embd::cli {
namespace {

ExitCode report(const Error& error) {
  say("embd: {}\n", error.message());
  return exit_code_of(error);
}

/// As far as the arguments went: of "embd", "search" and "model convert" the last.
const CLI::App& last_of(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : last_of(*parsed.front());
}

/// "embd", "embd search", "embd model convert".
std::string words_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : words_of(*parent) + " " + app.get_name();
}

/// What is wrong with the arguments, in our words where the parser's do not say what to do.
std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& last = last_of(app);
  const std::vector<std::string> rest = app.remaining(true);
  std::vector<std::string> verbs;
  for (const CLI::App* verb : last.get_subcommands({})) verbs.push_back(verb->get_name());
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !rest.empty();
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!verbs.empty() && (is_extra || is_missing)) {
    return fmt::format("{} {}, expected {}", words_of(last),
                       rest.empty() ? "alone" : fmt::format("has no {:?}", rest.front()),
                       fmt::join(verbs, ", "));
  }
  if (is_extra) return fmt::format("{} has no {:?}", words_of(last), rest.front());
  return error.what();
}

/// Help and version come from the parser as exceptions, too.
ExitCode report(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    std::ostringstream text;
    app.exit(error, text, text);
    const auto printed = print_to_standard_output(text.str());
    return printed ? ExitCode::good : report(printed.error());
  }
  say("embd: {}\nTry {} --help.\n", sentence_of(app, error), words_of(last_of(app)));
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
  return result ? *result : report(result.error());
}

Result<ExitCode> Commands::run_parsed() {
  EMBD_TRY(choose_kernel_profile());  // Before the first line of input is read.
  for (const auto& [verb, run] : verbs_)
    if (verb->parsed()) return guarded(run);
  return ExitCode::usage;
}

}  // namespace embd::cli
