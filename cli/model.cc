#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/checksum.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/find_model.h"
#include "cli/standard_output.h"
#include "formats/embd/embd_reader.h"
#include "formats/huggingface/convert.h"

namespace embd::cli {
namespace {

using Json = nlohmann::ordered_json;

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

Json shape_of(const Tensor& tensor) {
  Json shape = Json::array();
  for (const std::uint32_t size : tensor.shape.view()) shape.push_back(size);
  return shape;
}

Json as_json(const WeightFile& file) {
  Json metadata = Json::object();
  for (const MetadataEntry& entry : file.metadata()) metadata[std::string(entry.key)] = entry.value;
  Json tensors = Json::array();
  for (const Tensor& tensor : file.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"type", tensor_type_name(tensor.type)},
                       {"shape", shape_of(tensor)},
                       {"offset", tensor.file_offset},
                       {"bytes", tensor.data.size()}});
  }
  return {{"file", file.path().native()},
          {"format", "embd"},
          {"version", fmt::format("{}.{}", file.version_major(), file.version_minor())},
          {"file_bytes", file.bytes().size()},
          {"sha256", sha256_hex(file.bytes())},
          {"aligned", file.is_aligned()},
          {"checksums", file.has_checksums()},
          {"own_vocabulary", file.has_own_vocab()},
          {"metadata", std::move(metadata)},
          {"tensors", std::move(tensors)}};
}

std::string as_text(const WeightFile& file) {
  std::string out = fmt::format(
      "file: {}\nformat: embd {}.{}\nfile_bytes: {}\nsha256: {}\naligned: {}\nchecksums: {}\n"
      "own_vocabulary: {}\nmetadata:\n",
      file.path().native(), file.version_major(), file.version_minor(), file.bytes().size(),
      sha256_hex(file.bytes()), file.is_aligned(), file.has_checksums(), file.has_own_vocab());
  for (const MetadataEntry& entry : file.metadata())
    out += fmt::format("  {}: {}\n", entry.key, entry.value);
  out += fmt::format("tensors: {}\n", file.tensors().size());
  for (const Tensor& tensor : file.tensors()) {
    out += fmt::format("  {} {} {}\n", tensor.name, tensor_type_name(tensor.type),
                       tensor.shape.text());
  }
  return out;
}

Result<ExitCode> info(const FileOptions& options) {
  const WeightFile file = EMBD_TRY(WeightFile::open(EMBD_TRY(find_model(options.path))));
  EMBD_TRY(print_to_standard_output(
      options.json ? as_json(file).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"
                   : as_text(file)));
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

  auto convert_options = std::make_shared<ConvertOptions>();
  CLI::App& convert_verb =
      commands.add(model, "convert", "A Hugging Face folder → an EMBD weight file",
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
