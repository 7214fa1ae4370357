#include "embd/dedupe.h"

#include "base/messages.h"
#include "base/os/signals.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/analysis_options.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/printing.h"
#include "jobs/options/job_lists.h"

namespace embd::cli {
namespace {

struct DedupeRequest {
  AnalysisRequest request;
  std::vector<std::filesystem::path> outputs;
  DedupeFileOptions dedupe;
  const Verb* verb = nullptr;
};

void say_report(const DedupeReport& report, bool is_against) {
  const std::uint64_t removed = report.rows - report.kept;
  if (is_against) {
    say("embd: {}: {} with a near-duplicate in the other file, {} kept; {}\n",
        counted(report.rows, "row"), removed, report.kept, counted(report.pairs, "pair"));
  } else {
    say("embd: {}: {} kept, {} removed from {}; {}\n", counted(report.rows, "row"), report.kept,
        removed, counted(report.groups, "group"), counted(report.pairs, "pair"));
  }
  if (!report.recall) return;
  say("embd: the pairs were found with an index, whose recall is {:.4f}: it found {} of {} in a "
      "sample of {}, compared with all rows\n",
      report.recall->share(), report.recall->found, counted(report.recall->pairs, "pair"),
      counted(report.recall->rows, "row"));
}

Result<ExitCode> dedupe(DedupeRequest& options) {
  const os::Interrupt interrupt;
  const AnalysisRequest& request = options.request;
  set_input(request, options.dedupe);
  options.dedupe.dedupe.threads = request.model.encode.threads;
  EMBD_TRY(with_model(*options.verb, request, [&](const Model* model) -> Result<void> {
    // If the input is texts and no output is named, the kept texts go to standard output.
    if (options.outputs.empty() && model != nullptr && options.dedupe.report != "-")
      options.outputs.emplace_back("-");
    const DedupeReport report =
        EMBD_TRY(dedupe_file(model, paths_or_standard_input(request.paths), options.outputs,
                             options.dedupe, interrupt.token()));
    say_report(report, !options.dedupe.against.empty());
    return {};
  }));
  return ExitCode::good;
}

void add_dedupe_options(Verb& verb, DedupeRequest& options) {
  verb.add_option("-o,--output", options.outputs,
                  "The rows that are kept: texts as they stand in a file of the same format, or a "
                  "vector set; repeatable (texts: standard output)")
      .repeatable()
      .type_name("OUT")
      .in(OptionGroup::output);
  add_all_listed(verb, options.dedupe, {"texts"});
  add_all_listed(verb, options.dedupe.dedupe, {"threads"});
}

}  // namespace

void add_dedupe(Verb& program) {
  auto [verb, options] =
      program.add_verb("dedupe", "Removes near-duplicates from texts or vectors", dedupe);
  add_analysis_options(verb, options.request);
  add_dedupe_options(verb, options);
}

}  // namespace embd::cli
