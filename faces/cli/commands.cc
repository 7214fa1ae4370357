#include "faces/cli/commands.h"

#include "base/guard.h"
#include "base/kernel_profile.h"
#include "base/try.h"
#include "faces/cli/options/help.h"
#include "faces/cli/options/parser.h"
#include "faces/cli/printable.h"
#include "faces/cli/program_version.h"
#include "faces/cli/remedy.h"
#include "faces/cli/standard_error.h"
#include "faces/cli/standard_output.h"

namespace embd::cli {
namespace {

/// Prints an error of `verb` and its remedy, and returns the exit code.
ExitCode report(const Verb& verb, const Error& error) {
  // No message, as in other programs: the reader of a pipe, such as `head`, has read all that it
  // wanted.
  if (error.code() == ErrorCode::pipe_closed) return ExitCode::pipe_closed;
  say("embd: {}\n", printable(error.message()));
  if (const std::string remedy = remedy_of(error, verb); !remedy.empty())
    say("{}\n", printable(remedy));
  return exit_code_of(error);
}

Result<ExitCode> print(const std::string& text) {
  EMBD_TRY(print_to_standard_output(text));
  return ExitCode::good;
}

Result<ExitCode> answer(const Parsed& parsed) {
  switch (parsed.request) {
    case Parsed::Request::help:
      return print(help_of(*parsed.verb));
    case Parsed::Request::version:
      return print(EMBD_TRY(program_version()) + "\n");
    case Parsed::Request::run:
      break;
  }
  EMBD_TRY(choose_kernel_profile());  // Fails before any input is read.
  return guarded(parsed.verb->run());
}

}  // namespace

void describe_program(Verb& program) {
  program.add_version_flag();
  program.set_footer(
      "Exit status: 0 success, 2 wrong usage, 3 bad input, 4 made with another recipe,\n"
      "5 a difference was found, 6 input or output failed, 130 interrupted, 141 the reader of\n"
      "the output went away.\n"
      "A long option --some-name may be set in the environment as EMBD_SOME_NAME.");
}

ExitCode run_program(Verb& program, int argc, char** argv) {
  const Parsed parsed = parse_arguments(program, argc, argv);
  if (parsed.mistake) {
    say("embd: {}\n{}\n", printable(*parsed.mistake), help_remedy(*parsed.verb));
    return ExitCode::usage;
  }
  const auto result = answer(parsed);
  return result ? *result : report(*parsed.verb, result.error());
}

}  // namespace embd::cli
