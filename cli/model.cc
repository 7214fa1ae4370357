#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/find_model.h"
#include "cli/standard_output.h"
#include "cli/weight_description.h"
#include "formats/embd/embd_reader.h"
#include "formats/huggingface/convert.h"

namespace embd::cli {
namespace {

struct ConvertOptions {
  std::string folder;
  std::string out;
  std::string name;
  std::string type = "f32";
  std::string license;
  bool no_checksum = false;
};

Result<ExitCode> convert(const ConvertOptions& options) {
  const std::map<std::string, TensorType> types = {{"f32", TensorType::f32},
                                                   {"f16", TensorType::f16},
                                                   {"bf16", TensorType::bf16},
                                                   {"int8", TensorType::i8}};
  EMBD_TRY(huggingface::convert_model(options.folder, options.out,
                                      {.type = types.at(options.type),
                                       .checksums = !options.no_checksum,
                                       .model_name = options.name,
                                       .license = options.license}));
  return ExitCode::good;
}

struct FileOptions {
  std::string path;
  bool json = false;
};

Result<ExitCode> info(const FileOptions& options) {
  const WeightFile file = EMBD_TRY(WeightFile::open(EMBD_TRY(find_model(options.path))));
  EMBD_TRY(print_to_standard_output(describe_weights(file, options.json)));
  return ExitCode::good;
}

Result<ExitCode> verify(const FileOptions& options) {
  const WeightFile file =
      EMBD_TRY(WeightFile::open(EMBD_TRY(find_model(options.path)), {.vocab = {}, .verify = true}));
  EMBD_TRY(print_to_standard_output(
      fmt::format("{}: good{}\n", file.path().native(),
                  file.has_checksums() ? "" : ", but the file has no checksums")));
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
  convert_verb.add_option("--dtype", convert_options->type, "Of the weight matrices (f32)")
      ->check(CLI::IsMember({"f32", "f16", "bf16", "int8"}))
      ->type_name("f32|f16|bf16|int8");
  convert_verb.add_option("--name", convert_options->name, "Of the model (the folder's)")
      ->type_name("NAME");
  convert_verb.add_option("--license", convert_options->license, "Of the model, noted in the file")
      ->type_name("NAME");
  convert_verb.add_flag("--no-checksum", convert_options->no_checksum,
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
