#include "embd/map.h"

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

struct MapRequest {
  AnalysisRequest request;
  std::vector<std::filesystem::path> outputs;
  MapFileOptions map;
  const Verb* verb = nullptr;
};

Result<ExitCode> map(MapRequest& options) {
  const os::Interrupt interrupt;
  const AnalysisRequest& request = options.request;
  if (!options.map.color_by.empty() && options.map.groups) {
    return fail(ErrorCode::invalid_argument,
                "--groups says how many groups to find, but --color-by takes the groups from a "
                "field: leave one of the two out");
  }
  set_input(request, options.map);
  options.map.map.project.threads = request.model.encode.threads;
  EMBD_TRY(with_model(*options.verb, request, [&](const Model* model) -> Result<void> {
    const MapReport report = EMBD_TRY(map_file(model, paths_or_standard_input(request.paths),
                                               options.outputs, options.map, interrupt.token()));
    say("embd: {} in {}\n", counted(report.rows, "row"), counted(report.groups, "group"));
    return {};
  }));
  return ExitCode::good;
}

void add_map_options(Verb& verb, MapRequest& options) {
  MapFileOptions& map = options.map;
  verb.add_option("-o,--output", options.outputs,
                  "A page that needs nothing else (.html), or a picture (.svg); repeatable")
      .required()
      .repeatable()
      .type_name("OUT")
      .in(OptionGroup::output);
  add_some_listed(verb, map, {"color_by", "groups"});
  add_all_listed(verb, map.map.project, {"threads"});
  add_all_listed(verb, map.map);
  add_all_listed(verb, map.page);
  add_some_listed(verb, map, {"title"});
  add_all_listed(verb, map.picture);
}

}  // namespace

void add_map(Verb& program) {
  auto [verb, options] =
      program.add_verb("map", "Draws a map of texts or vectors, as a page or a picture", map);
  add_analysis_options(verb, options.request);
  add_map_options(verb, options);
}

}  // namespace embd::cli
