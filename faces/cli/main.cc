#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/error_codes.h"
#include "base/kernel_profile.h"
#include "base/os/file_descriptor.h"
#include "base/os/signals.h"
#include "base/try.h"
#include "embd/error.h"
#include "embd/version.h"
#include "faces/cli/commands.h"
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

/// Adds --version and the end of the help to the program.
void describe_program(Verb& program) {
  program.add_version_flag();
  program.set_footer(
      "Exit status: 0 success, 2 wrong usage, 3 bad input, 4 made with another recipe,\n"
      "5 a difference was found, 6 input or output failed, 130 interrupted, 141 the reader of\n"
      "the output went away.\n"
      "A long option --some-name may be set in the environment as EMBD_SOME_NAME.");
}

/// Parses the arguments of main() and runs the verb that they name. If that fails, prints the error
/// and what the user can do about it.
ExitCode run_program(Verb& program, int argc, char** argv) {
  const Parsed parsed = parse_arguments(program, argc, argv);
  if (parsed.mistake) {
    say("embd: {}\n{}\n", printable(*parsed.mistake), help_remedy(*parsed.verb));
    return ExitCode::usage;
  }
  const auto result = answer(parsed);
  return result ? *result : report(*parsed.verb, result.error());
}

}  // namespace
}  // namespace embd::cli

namespace {

/// Handles a mapped file that becomes shorter, or whose disk fails, while it is read: prints a
/// message that names the file, and ends the program. Unfinished outputs stay under their temporary
/// names, because a signal handler cannot safely remove them.
void report_lost_file(std::string_view path) noexcept {
  using namespace embd;
  os::print_error("embd: ");
  os::print_error(path);
  if (!path.empty()) os::print_error(": ");
  os::print_error(
      "input or output failed: the file became shorter, or could not be read, while it was in use: "
      "try again\n");
  os::end_process(static_cast<int>(cli::ExitCode::io_failed));
}

}  // namespace

int main(int argc, char** argv) {
  embd::os::ignore_write_signals();
  embd::os::occupy_closed_standard_streams();
  embd::os::on_lost_file(report_lost_file);
  using namespace embd::cli;
  Verb program("embd", "Sentence embeddings: the same text gives the same bytes.");
  describe_program(program);
  add_embed(program);
  add_tokenize(program);
  add_split(program);
  add_collect(program);
  add_similarity(program);
  add_convert(program);
  add_inspect(program);
  add_compare(program);
  add_verify(program);
  add_lock(program);
  add_check(program);
  add_index(program);
  add_search(program);
  add_rerank(program);
  add_cluster(program);
  add_map(program);
  add_dedupe(program);
  add_mcp(program);
#ifdef EMBD_WITH_SERVER
  add_serve(program);
#endif
  add_model(program);
  add_digest(program);
  add_join(program);
  add_completion(program);
  add_man(program);
  return static_cast<int>(run_program(program, argc, argv));
}
