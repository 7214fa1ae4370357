#include "faces/cli/verbs/model_get.h"

#include <fmt/format.h>

#include <memory>

#include "base/os/interrupt.h"
#include "base/try.h"
#include "embd/convert_model.h"
#include "embd/get_model.h"
#include "faces/cli/http_client.h"
#include "faces/cli/options/input_options.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/printable.h"
#include "faces/cli/progress.h"
#include "faces/cli/standard_output.h"
#include "jobs/options/get_model_list.h"

namespace embd::cli {
namespace {

struct ModelGetRequest {
  std::string name;
  std::string output;  ///< a weight file to make; empty: only the folder in the cache
  std::string progress = "auto";
  GetModelOptions get;
};

Result<ExitCode> get(const ModelGetRequest& options) {
  const os::Interrupt interrupt;
  Progress progress(options.progress);
  GetModelOptions get = options.get;
  get.on_progress = [&](const GetModelProgress& now) { progress.update(now); };
  const FetchedModel model =
      EMBD_TRY(get_model(options.name, *make_http_client(), get, interrupt.token()));
  progress.clear();
  if (!options.output.empty()) EMBD_TRY(convert_model(model.folder, options.output));
  const std::string& path = options.output.empty() ? model.folder.native() : options.output;
  EMBD_TRY(print_to_standard_output(printable(path) + "\n"));
  return ExitCode::good;
}

}  // namespace

void add_model_get(Verb& model) {
  const auto options = std::make_shared<ModelGetRequest>();
  Verb& verb = model.add_verb("get", "Downloads a model from the Hugging Face hub by its name",
                              [options] { return get(*options); });
  verb.add_option("NAME", options->name,
                  "ORGANIZATION/NAME; a bare NAME is one of sentence-transformers")
      .required();
  verb.add_option("-o,--output", options->output,
                  "Also convert it to this weight file; without it, the model is found by its name")
      .type_name("OUT");
  add_all_listed(verb, options->get);
  add_progress(verb, options->progress);
}

}  // namespace embd::cli
