#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/mapped_file.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/read_options.h"
#include "cli/standard_output.h"
#include "cli/weight_description.h"
#include "formats/embd/embd_layout.h"
#include "formats/recipe_json.h"
#include "jobs/certificate_file.h"

namespace embd::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string path;
  ReadOptions read;
  bool json = false;
};

std::string kind_of(const Ids& ids) {
  if (std::holds_alternative<std::vector<std::uint64_t>>(ids)) return "numbers";
  if (std::holds_alternative<std::vector<std::string>>(ids)) return "strings";
  return "none";
}

/// One "name: value" a line; members of members are indented.
void append_lines(const Json& object, const std::string& indent, std::string& out) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object() && !value.empty()) {
      out += fmt::format("{}{}:\n", indent, name);
      append_lines(value, indent + "  ", out);
      continue;
    }
    const std::string text = value.is_string()
                                 ? value.get<std::string>()
                                 : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    out += fmt::format("{}{}: {}\n", indent, name, text);
  }
}

/// Weights are no vectors: open_vectors() does not know them.
Result<bool> is_weight_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  return as_text(file.bytes()).starts_with(embd_layout::magic_bytes);
}

Result<ExitCode> inspect_weights(const InspectOptions& options) {
  const WeightFile file = EMBD_TRY(WeightFile::open(options.path, {.vocab = {}, .verify = true}));
  EMBD_TRY(print_to_standard_output(describe_weights(file, options.json)));
  return ExitCode::good;
}

Result<ExitCode> inspect(const InspectOptions& options) {
  if (options.read.format.empty() && EMBD_TRY(is_weight_file(options.path)))
    return inspect_weights(options);
  ReadOptions read = options.read;
  read.any_column = true;
  const auto reader = EMBD_TRY(open_vectors(options.path, read));
  EMBD_TRY(reader->verify());
  Json description = {{"file", options.path},
                      {"format", reader->info().format},
                      {"num_rows", reader->info().num_rows},
                      {"dim", reader->info().dim},
                      {"encoding", reader->info().encoding}};
  if (!reader->info().column.empty()) description["column"] = reader->info().column;
  description["ids"] = kind_of(EMBD_TRY(reader->ids()));
  const std::optional<Recipe> recipe = EMBD_TRY(reader->recipe());
  description["recipe"] = recipe ? Json::parse(recipe_to_json(*recipe)) : Json(nullptr);
  const Json certificate = EMBD_TRY(stored_certificate(options.path));
  if (!certificate.is_null()) description["certificate"] = certificate;
  const Json own = Json::parse(reader->describe());
  for (const auto& [name, value] : own.items())
    if (!description.contains(name)) description[name] = value;

  std::string out;
  if (options.json) {
    out = description.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  } else {
    if (!recipe) description["recipe"] = "none";
    append_lines(description, "", out);
  }
  EMBD_TRY(print_to_standard_output(out));
  return ExitCode::good;
}

}  // namespace

void add_inspect(Commands& commands) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App& verb =
      commands.add(commands.app(), "inspect", "What a file is and holds; checks all of it",
                   [options] { return inspect(*options); });
  verb.add_option("FILE", options->path, "A vector set, an index or weights")
      ->required()
      ->type_name("");
  add_read_options(verb, options->read);
  verb.add_flag("--json", options->json, "As one JSON object");
}

}  // namespace embd::cli
