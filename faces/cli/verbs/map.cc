#include "embd/map.h"

#include "base/counted.h"
#include "base/os/interrupt.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/analysis_options.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/printing.h"

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
  options.map.texts = request.texts;
  options.map.read = request.read;
  options.map.input = request.input;
  options.map.encode = request.model.encode;
  options.map.map.project.threads = request.model.encode.threads;
  EMBD_TRY(with_model(*options.verb, request, [&](const Model* model) -> Result<void> {
    const MapReport report = EMBD_TRY(map_file(model, request.paths_or_standard_input(),
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
  verb.add_option("--color-by", map.color_by,
                  "Take the groups from this field of the texts or this column of the vector set, "
                  "instead of finding them")
      .type_name("NAME")
      .in(OptionGroup::analysis);
  add_number(verb, "--groups", map.groups,
             "Number of groups to find; 0: none (a third of the square root of the number of rows, "
             "from 2 to 40)",
             0, 1000)
      .in(OptionGroup::analysis);
  add_number(verb, "--neighbours", map.map.project.neighbours,
             "Number of nearest rows beside which a row is placed: fewer show finer groups (15)", 2,
             200)
      .in(OptionGroup::analysis);
  add_number(verb, "--epochs", map.map.project.epochs,
             "Number of steps in which the rows find their places (300)", 1, 10'000)
      .in(OptionGroup::analysis);
  add_number(verb, "--nearest", map.map.nearest,
             "Number of nearest rows that the page shows for each row, at most --neighbours (8)", 0,
             100)
      .in(OptionGroup::output);
  add_number(verb, "--text-bytes", map.page.text_bytes,
             "Greatest number of bytes that the page keeps of a text (1000)")
      .in(OptionGroup::output);
  verb.add_option("--title", map.title, "Title of the map (the name of the input)")
      .type_name("TEXT")
      .in(OptionGroup::output);
  add_number(verb, "--width", map.picture.width, "Width of a picture in pixels (1200)", 200, 20'000)
      .in(OptionGroup::output);
  add_number(verb, "--height", map.picture.height, "Height of a picture in pixels (800)", 200,
             20'000)
      .in(OptionGroup::output);
  verb.add_flag("--dark", map.picture.dark,
                "Draw the picture on a dark background; a page follows the setting of its reader")
      .in(OptionGroup::output);
}

}  // namespace

void add_map(Verb& program) {
  auto [verb, options] =
      program.add_verb("map", "Draws a map of texts or vectors, as a page or a picture", map);
  add_analysis_options(verb, options.request);
  add_map_options(verb, options);
}

}  // namespace embd::cli
