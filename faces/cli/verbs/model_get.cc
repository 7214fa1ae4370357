#include <memory>
#include <string>

#include "base/os/signals.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/convert_model.h"
#include "embd/get_model.h"
#include "faces/cli/commands.h"
#include "faces/cli/http_client.h"
#include "faces/cli/job_report.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/printing.h"
#include "jobs/options/model_lists.h"

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
  const std::unique_ptr<HttpClient> client = make_http_client();
  const FetchedModel model = EMBD_TRY(get_model(options.name, *client, get, interrupt.token()));
  progress.clear();
  if (!options.output.empty()) EMBD_TRY(convert_model(model.folder, options.output));
  const std::string path = options.output.empty() ? text_of_path(model.folder) : options.output;
  EMBD_TRY(print_to_standard_output(printable(path) + "\n"));
  return ExitCode::good;
}

}  // namespace

void add_model_get(Verb& model) {
  auto [verb, options] =
      model.add_verb("get", "Downloads a model from the Hugging Face hub by its name", get);
  verb.add_option("NAME", options.name,
                  "ORGANIZATION/NAME; a bare NAME is one of sentence-transformers")
      .required();
  verb.add_option("-o,--output", options.output,
                  "Also convert it to this weight file; without it, the model is found by its name")
      .type_name("OUT");
  add_all_listed(verb, options.get);
  add_progress(verb, options.progress);
}

}  // namespace embd::cli
