#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/os/signals.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "embd/convert_model.h"
#include "embd/get_model.h"
#include "embd/inspect.h"
#include "faces/cli/commands.h"
#include "faces/cli/http_client.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
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

struct ModelConvertRequest {
  std::string folder;
  std::string out;
  ConvertModelOptions convert;
  std::string texts;   ///< the vocabulary is reduced to these texts; empty: it stays whole
  InputOptions input;  ///< for reading `texts`
  const Verb* verb = nullptr;
};

Result<ExitCode> convert_weights(const ModelConvertRequest& options) {
  if (const auto option = given_text_option(*options.verb); option && options.texts.empty())
    return fail(ErrorCode::invalid_argument,
                "{} has no effect without --prune-vocabulary: give both or neither", *option);
  PathRoles roles;
  roles.reads("the texts", options.texts);
  roles.writes("the weight file", options.out);
  EMBD_TRY(roles.check());
  ConvertModelOptions convert = options.convert;
  if (!options.texts.empty())
    convert.texts_to_prune_for = EMBD_TRY(read_texts(options.texts, options.input, {}));
  EMBD_TRY(convert_model(options.folder, options.out, convert));
  return ExitCode::good;
}

struct ModelFileRequest {
  std::string path;
  bool lists_tensors = false;
  bool json = false;
};

Result<ExitCode> info(const ModelFileRequest& options) {
  const auto path = EMBD_TRY(find_model(options.path));
  const std::string description = EMBD_TRY(inspect_model(path, options.lists_tensors));
  EMBD_TRY(print_to_standard_output(options.json ? description + "\n" : as_lines(description)));
  return ExitCode::good;
}

Result<ExitCode> verify_weights(const ModelFileRequest& options) {
  const auto path = EMBD_TRY(find_model(options.path));
  const bool has_checksums = EMBD_TRY(verify_model(path));
  EMBD_TRY(print_to_standard_output(
      fmt::format("{}: good{}\n", printable(text_of_path(path)),
                  has_checksums ? "" : ", but the file has no checksums")));
  return ExitCode::good;
}

}  // namespace

void add_model(Verb& program) {
  Verb& model = program.add_verb("model", "Downloads, converts and checks models");
  add_model_get(model);

  auto [convert_verb, convert_options] =
      model.add_verb("convert", "Converts a Hugging Face folder to a weight file", convert_weights);
  convert_verb
      .add_option(
          "DIR", convert_options.folder,
          "The folder, with config.json, model.safetensors, and vocab.txt or tokenizer.json")
      .required();
  convert_verb.add_option("OUT", convert_options.out, "The weight file").required();
  ConvertModelOptions& convert = convert_options.convert;
  add_listed<&ConvertModelOptions::type>(convert_verb, convert.type);
  add_listed<&ConvertModelOptions::model_name>(convert_verb, convert.model_name);
  add_listed<&ConvertModelOptions::license>(convert_verb, convert.license);
  add_listed<&ConvertModelOptions::checksums>(convert_verb, convert.checksums);
  constexpr auto prune = option_of<&ConvertModelOptions::texts_to_prune_for>();
  convert_verb.add_option(names_of(prune), convert_options.texts, std::string(prune.help))
      .type_name(std::string(prune.value))
      .in(prune.group);
  add_text_options(convert_verb, convert_options.input);

  auto [info_verb, info_options] =
      model.add_verb("info", "Describes a model: its file and its metadata", info);
  info_verb.add_option("FILE", info_options.path,
                       "Weight file, Hugging Face folder, or a name (the default model)");
  info_verb
      .add_flag("--tensors", info_options.lists_tensors,
                "List the tensors, with the type and the shape of each")
      .in(OptionGroup::output);
  info_verb.add_flag("--json", info_options.json, "As one JSON object").in(OptionGroup::output);

  auto [verify_verb, verify_options] = model.add_verb(
      "verify", "Checks everything in a weight file, including its checksums", verify_weights);
  verify_verb.add_option("FILE", verify_options.path, "(the default model)");
}

}  // namespace embd::cli
