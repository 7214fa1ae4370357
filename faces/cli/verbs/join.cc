
#include "base/messages.h"
#include "base/os/signals.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/printing.h"
#include "jobs/convert/convert.h"

namespace embd::cli {
namespace {

struct JoinRequest {
  std::vector<std::filesystem::path> manifests;
  std::filesystem::path output;
  OutputOptions write;
  const Verb* verb = nullptr;
};

Result<ExitCode> join(const JoinRequest& options) {
  const os::Interrupt interrupt;
  EMBD_TRY(check_needs(*options.verb));
  const auto outputs = EMBD_TRY(outputs_of(*options.verb, {options.output}, options.write));
  const JoinReport report =
      EMBD_TRY(join_parts(options.manifests, outputs.front(), interrupt.token()));
  if (!report.problems.empty()) {
    std::string lines;
    for (const std::string& problem : report.problems) lines += printable(problem) + "\n";
    EMBD_TRY(print_to_standard_output(lines));
    say("Name each part once. Make missing and changed parts again with embd embed --part.\n");
    return ExitCode::difference;
  }
  say_conversion(options.output, report.conversion);
  say("embd: {}, {}, digest {}\n", counted(report.parts, "part"), counted(report.rows, "row"),
      report.digest.hex());
  return ExitCode::good;
}

}  // namespace

void add_join(Verb& program) {
  auto [verb, options] =
      program.add_verb("join",
                       "Checks the parts that embed --part wrote and joins them to one "
                       "vector set; exit 5 if parts are missing",
                       join);
  verb.add_option("MANIFEST", options.manifests, "OUT.part.json of every part, in any order")
      .required()
      .expected(1, unlimited)
      .type_name("MANIFEST...");
  verb.add_option("-o,--output", options.output, "The joined vector set")
      .required()
      .type_name("OUT")
      .in(OptionGroup::output);
  add_output_options(verb, options.write, "to");
}

}  // namespace embd::cli
