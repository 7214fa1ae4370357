#include "jobs/embed/conditions.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/checksum.h"
#include "base/json.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/text/open_records.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/options/job_lists.h"

namespace embd {
namespace {

using Json = nlohmann::json;

template <class Value>
Json as_json(const Value& value) {
  return value;
}
Json as_json(char character) {
  return std::string(1, character);
}
Json as_json(const std::filesystem::path& path) {
  return generic_text_of_path(path);
}
Json as_json(const InputPart& part) {
  return {part.index, part.count};
}
template <class Value>
Json as_json(const std::optional<Value>& value) {
  return value ? as_json(*value) : Json();
}

/// Returns the value of an option as a condition: its word if it has one, otherwise the value.
template <class Options, class Value>
Json condition_of(const OptionOf<Options, Value>& option, const Value& value) {
  if constexpr (std::is_enum_v<Given<Value>>) {
    const std::optional<Given<Value>> given = value;
    return given ? Json(option.word_of(*given)) : Json();
  } else {
    return as_json(value);
  }
}

/// Returns the SHA-256 of the file for an option that names a file to read, because its content
/// decides the rows. A path that is written is the condition itself.
template <class Options>
Result<Json> condition_of(const OptionOf<Options, std::filesystem::path>& option,
                          const std::filesystem::path& path) {
  if (option.decides == Decides::run || path.empty()) return as_json(path);
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  return Json(sha256_hex(file.bytes()));
}

/// Adds the options of a structure whose OptionOf::decides equals `decides`.
template <class Options>
Result<void> add(const Options& options, Decides decides, Json& json) {
  Result<void> added;
  for_each_option(options, [&](const auto& option, const auto& value) {
    if (option.decides != decides || !added) return;
    Result<Json> condition = condition_of(option, value);
    if (condition)
      json[option.name] = std::move(*condition);
    else
      added = std::unexpected(condition.error());
  });
  return added;
}

/// Adds what the names of the files decide, so that two runs that read the same bytes in different
/// ways differ: the format of each file and, if ids are made of names, the names.
void add_names(const EmbedPlan& plan, Json& json) {
  if (plan.inputs.empty()) return;
  Sha256 formats;
  Sha256 names;
  bool is_one_format = true;
  const auto word_of = [&](const std::filesystem::path& file) {
    return name_of(plan.texts.format.value_or(input_format_of(file)), input_format_names);
  };
  const std::string_view first = word_of(plan.inputs.front());
  for (const std::filesystem::path& file : plan.inputs) {
    const std::string_view format = word_of(file);
    is_one_format = is_one_format && format == first;
    formats.update(std::string(format) + "\n");
    const std::string name = generic_text_of_path(file);
    names.update(std::to_string(name.size()) + " " + name + "\n");
  }
  json["input_format"] = is_one_format ? std::string(first) : formats.hex();
  if (plan.texts.id_from == IdSource::file) json["input_names"] = names.hex();
}

Conditions as_conditions(const Json& json) {
  Conditions conditions;
  for (const auto& [name, value] : json.items())
    conditions[name] = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return conditions;
}

}  // namespace

std::vector<std::string> differing_names(const Conditions& a, const Conditions& b) {
  std::vector<std::string> names;
  for (const auto& [name, value] : a)
    if (!b.contains(name) || b.at(name) != value) names.push_back(name);
  for (const auto& [name, value] : b)
    if (!a.contains(name)) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

Result<Conditions> row_conditions(const EmbedPlan& plan) {
  Json json;
  EMBD_TRY(add(plan.texts, Decides::rows, json));
  EMBD_TRY(add(plan.options, Decides::rows, json));
  add_names(plan, json);
  Conditions conditions = as_conditions(json);
  conditions.insert(plan.conditions.begin(), plan.conditions.end());
  return conditions;
}

Result<Conditions> run_conditions(const EmbedPlan& plan, const Recipe& recipe) {
  Json json = EMBD_TRY(parse_json(recipe_to_json(recipe)));
  for (const OutputTarget& output : plan.outputs)
    json["outputs"].push_back(generic_text_of_path(output.path));
  if (!plan.terms.empty()) json["outputs"].push_back(generic_text_of_path(plan.terms));
  EMBD_TRY(add(plan.options, Decides::run, json));
  Conditions conditions = EMBD_TRY(row_conditions(plan));
  // Conditions of rows come first: the recipe also has an output type, but not whether the user
  // chose it.
  conditions.merge(as_conditions(json));
  return conditions;
}

}  // namespace embd
