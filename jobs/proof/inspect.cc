#include "embd/inspect.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/huggingface/convert_folder.h"
#include "jobs/outputs/term_output.h"

namespace embd {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson shape_of(const Tensor& tensor) {
  OrderedJson shape = OrderedJson::array();
  for (const std::uint32_t size : tensor.shape.view()) shape.push_back(size);
  return shape;
}

OrderedJson tensors_of(const WeightFile& file) {
  OrderedJson tensors = OrderedJson::array();
  for (const Tensor& tensor : file.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"type", element_name(tensor.type)},
                       {"shape", shape_of(tensor)},
                       {"offset", tensor.file_offset},
                       {"bytes", tensor.data.size()}});
  }
  return tensors;
}

OrderedJson as_json(const WeightFile& file) {
  OrderedJson metadata = OrderedJson::object();
  for (const MetadataEntry& entry : file.metadata()) metadata[std::string(entry.key)] = entry.value;
  return {{"file", text_of_path(file.path())},
          {"format", "embd"},
          {"version", fmt::format("{}.{}", file.version_major(), file.version_minor())},
          {"file_bytes", file.file_bytes()},
          {"sha256", file.sha256()},
          {"aligned", file.is_aligned()},
          {"checksums", file.has_checksums()},
          {"own_vocabulary", file.has_own_vocab()},
          {"metadata", std::move(metadata)}};
}

/// Returns a JSON object with the header fields, the metadata and the tensors of a weight file.
std::string describe_weights(const WeightFile& file, bool lists_tensors) {
  OrderedJson description = as_json(file);
  if (lists_tensors)
    description["tensors"] = tensors_of(file);
  else
    description["num_tensors"] = file.tensors().size();
  return description.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

using OrderedJson = nlohmann::ordered_json;

std::string kind_of(const Ids& ids) {
  if (std::holds_alternative<std::vector<std::uint64_t>>(ids)) return "numbers";
  if (std::holds_alternative<std::vector<std::string>>(ids)) return "strings";
  return "none";
}

/// Returns true if a file is a weight file, which open_vectors() cannot open.
Result<bool> is_weight_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  return as_text(file.bytes()).starts_with(embd_layout::magic_bytes);
}

/// Opens a weight file, or a Hugging Face folder as the weight file that convert_model() would make
/// of it.
Result<WeightFile> open_weights(const std::filesystem::path& path, WeightFileOptions options) {
  std::error_code error;
  options.hash_source = true;
  if (!std::filesystem::is_directory(path, error))
    return WeightFile::open(path, std::move(options));
  auto opened = EMBD_TRY(huggingface::open_model_folder(path, std::move(options)));
  return std::move(opened.file);
}

Result<std::string> inspect_vectors(const std::filesystem::path& path, const ReadOptions& options) {
  ReadOptions read = options;
  read.any_column = true;
  const auto reader = EMBD_TRY(open_vectors(path, read));
  EMBD_TRY(reader->verify());
  OrderedJson description = {{"file", text_of_path(path)},
                             {"format", reader->info().format},
                             {"num_rows", reader->info().num_rows},
                             {"dim", reader->info().dim},
                             {"encoding", reader->info().encoding}};
  if (!reader->info().column.empty()) description["column"] = reader->info().column;
  description["ids"] = kind_of(EMBD_TRY(reader->ids()));
  const std::optional<Recipe> recipe = EMBD_TRY(reader->recipe());
  if (recipe) description["recipe"] = EMBD_TRY(parse_ordered_json(recipe_to_json(*recipe)));
  if (!recipe) description["recipe"] = nullptr;
  if (const std::string certificate = EMBD_TRY(reader->certificate()); !certificate.empty())
    description["certificate"] = EMBD_TRY(parse_ordered_json(certificate));
  const OrderedJson own = EMBD_TRY(parse_ordered_json(reader->describe()));
  for (const auto& [name, value] : own.items())
    if (!description.contains(name)) description[name] = value;
  return description.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// Returns a JSON object that describes a term index, after checking all of it.
Result<std::string> inspect_terms(const std::filesystem::path& path) {
  const TermIndex index = EMBD_TRY(TermIndex::open(path));
  EMBD_TRY(in_file(path, index.check()));
  const TermIndexInfo info = index.info();
  OrderedJson recipe = {{"kind", name_of(info.recipe.kind, term_kind_names)},
                        {"stemmer", name_of(info.recipe.stemmer, stemmer_names)}};
  if (!info.recipe.stemmer_release.empty()) recipe["stemmer_release"] = info.recipe.stemmer_release;
  recipe["unicode"] = info.recipe.unicode;
  if (!info.recipe.tokenizer_sha256.empty())
    recipe["tokenizer_sha256"] = info.recipe.tokenizer_sha256;
  const OrderedJson description = {
      {"file", text_of_path(path)},        {"format", "terms"},
      {"num_rows", info.num_rows},         {"num_terms", info.num_terms},
      {"num_postings", info.num_postings}, {"average_length", info.average_length},
      {"recipe", std::move(recipe)}};
  return description.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

Result<std::string> inspect_file(const std::filesystem::path& path, const ReadOptions& options) {
  return guarded([&]() -> Result<std::string> {
    if (options.format.empty() && EMBD_TRY(is_weight_file(path)))
      return describe_weights(EMBD_TRY(WeightFile::open(path, {.vocab = {}, .verify = true})),
                              true);
    if (options.format.empty() && is_term_index(path)) return inspect_terms(path);
    return inspect_vectors(path, options);
  });
}

Result<std::string> inspect_model(const std::filesystem::path& path, bool lists_tensors) {
  return guarded([&]() -> Result<std::string> {
    return describe_weights(EMBD_TRY(open_weights(path, {})), lists_tensors);
  });
}

Result<bool> verify_model(const std::filesystem::path& path) {
  return guarded([&]() -> Result<bool> {
    return EMBD_TRY(open_weights(path, {.vocab = {}, .verify = true})).has_checksums();
  });
}

}  // namespace embd
