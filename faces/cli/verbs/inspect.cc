
#include "embd/inspect.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/printing.h"

namespace embd::cli {
namespace {

struct InspectRequest {
  std::string path;
  ReadOptions read;
  bool json = false;
};

Result<ExitCode> inspect(const InspectRequest& options) {
  const std::string description = EMBD_TRY(inspect_file(options.path, options.read));
  EMBD_TRY(print_to_standard_output(options.json ? description + "\n" : as_lines(description)));
  return ExitCode::good;
}

}  // namespace

void add_inspect(Verb& program) {
  auto [verb, options] = program.add_verb(
      "inspect",
      "Describes a file of vectors, an index, a term index or a model, and checks all of it",
      inspect);
  verb.add_option("FILE", options.path, "A vector set, an index or weights").required();
  add_read_options(verb, options.read);
  verb.add_flag("--json", options.json, "As one JSON object").in(OptionGroup::output);
}

}  // namespace embd::cli
