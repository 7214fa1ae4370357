#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/find_model.h"
#include "cli/json_lines.h"
#include "cli/options/values.h"
#include "cli/printable.h"
#include "cli/standard_output.h"
#include "embd/convert_model.h"
#include "embd/inspect.h"

namespace embd::cli {
namespace {

struct ConvertOptions {
  std::string folder;
  std::string out;
  ConvertModelOptions convert;
};

Result<ExitCode> convert(const ConvertOptions& options) {
  EMBD_TRY(convert_model(options.folder, options.out, options.convert));
  return ExitCode::good;
}

struct FileOptions {
  std::string path;
  bool json = false;
};

Result<ExitCode> info(const FileOptions& options) {
  const auto path = EMBD_TRY(find_model(options.path));
  const std::string description = EMBD_TRY(inspect_model(path));
  EMBD_TRY(print_to_standard_output(options.json ? description + "\n" : as_lines(description)));
  return ExitCode::good;
}

Result<ExitCode> verify(const FileOptions& options) {
  const auto path = EMBD_TRY(find_model(options.path));
  const bool has_checksums = EMBD_TRY(verify_model(path));
  EMBD_TRY(print_to_standard_output(
      fmt::format("{}: good{}\n", printable(path.native()),
                  has_checksums ? "" : ", but the file has no checksums")));
  return ExitCode::good;
}

}  // namespace

void add_model(Commands& commands) {
  CLI::App& model = *commands.app().add_subcommand("model", "Converts and checks weight files");
  model.require_subcommand(1);
  model.footer("");

  auto convert_options = std::make_shared<ConvertOptions>();
  CLI::App& convert_verb =
      commands.add(model, "convert", "A Hugging Face folder to an EMBD weight file",
                   [convert_options] { return convert(*convert_options); });
  convert_verb
      .add_option("DIR", convert_options->folder,
                  "config.json, vocab.txt or tokenizer.json, model.safetensors")
      ->required()
      ->type_name("");
  convert_verb.add_option("OUT", convert_options->out, "The weight file")
      ->required()
      ->type_name("");
  ConvertModelOptions& convert = convert_options->convert;
  add_choice<ElementType>(convert_verb, "--dtype", convert.type,
                          {{"f32", ElementType::f32},
                           {"f16", ElementType::f16},
                           {"bf16", ElementType::bf16},
                           {"int8", ElementType::i8}},
                          "Of the weight matrices (f32)");
  convert_verb.add_option("--name", convert.model_name, "Of the model (the folder's)")
      ->type_name("NAME");
  convert_verb.add_option("--license", convert.license, "Of the model, noted in the file")
      ->type_name("NAME");
  convert_verb.add_flag_callback(
      "--no-checksum", [&convert] { convert.checksums = false; },
      "Leave the two checksums over the whole file out");

  auto info_options = std::make_shared<FileOptions>();
  CLI::App& info_verb = commands.add(model, "info", "Metadata and tensors of a weight file",
                                     [info_options] { return info(*info_options); });
  info_verb.add_option("FILE", info_options->path, "(the default model)")->type_name("");
  info_verb.add_flag("--json", info_options->json, "As one JSON object");

  auto verify_options = std::make_shared<FileOptions>();
  CLI::App& verify_verb =
      commands.add(model, "verify", "Checks everything in a weight file, checksums included",
                   [verify_options] { return verify(*verify_options); });
  verify_verb.add_option("FILE", verify_options->path, "(the default model)")->type_name("");
}

}  // namespace embd::cli
