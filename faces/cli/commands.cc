#include "faces/cli/commands.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error_codes.h"
#include "base/kernel_profile.h"
#include "base/try.h"
#include "embd/error.h"
#include "embd/version.h"
#include "faces/cli/options/verb.h"
#include "faces/cli/printing.h"
#include "faces/cli/remedy.h"

namespace embd::cli {
namespace {

/// Returns the text of --version, such as "embd 0.1.0 (kernels avx512; gcc 12.2.0)". It also
/// names the sets of kernels that are not used because this processor computes their products
/// wrongly. Fails with invalid_argument if EMBD_KERNELS names no set of kernels.
Result<std::string> program_version() {
  const KernelProfile kernels = EMBD_TRY(choose_kernel_profile());
#ifdef __clang__
  constexpr const char* compiler = "clang " __clang_version__;
#else
  constexpr const char* compiler = "gcc " __VERSION__;
#endif
  std::string wrong;
  for (const KernelProfile profile : wrong_kernel_profiles()) {
    wrong += fmt::format("; not {}, because this processor computes its products wrongly",
                         name_of(profile));
  }
  return fmt::format("embd {} (kernels {}{}; {})", version(), name_of(kernels), wrong, compiler);
}

static_assert(std::to_underlying(ExitCode::usage) == std::to_underlying(ErrorStatus::bad_argument));
static_assert(std::to_underlying(ExitCode::bad_input) ==
              std::to_underlying(ErrorStatus::bad_input));
static_assert(std::to_underlying(ExitCode::recipe_mismatch) ==
              std::to_underlying(ErrorStatus::recipe_mismatch));
static_assert(std::to_underlying(ExitCode::io_failed) ==
              std::to_underlying(ErrorStatus::io_failed));
static_assert(std::to_underlying(ExitCode::interrupted) ==
              std::to_underlying(ErrorStatus::cancelled));

/// Prints an error of `verb` and its remedy, and returns the exit code.
ExitCode report(const Verb& verb, const Error& error) {
  // No message, as in other programs: the reader of a pipe, such as `head`, has read all that it
  // wanted.
  if (error.code() == ErrorCode::pipe_closed) return ExitCode::pipe_closed;
  say("embd: {}\n", printable(error.message()));
  if (const std::string remedy = remedy_of(error, verb); !remedy.empty())
    say("{}\n", printable(remedy));
  return static_cast<ExitCode>(status_of(error.code()));
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
