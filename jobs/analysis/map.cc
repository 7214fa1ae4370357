#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "embd/map.h"
#include "jobs/analysis/analysis_input.h"
#include "jobs/analysis/color_values.h"
#include "jobs/outputs/streams.h"
#include "jobs/row_ids.h"
#include "jobs/search/column_values.h"

namespace embd {
namespace {

bool is_picture(const std::filesystem::path& path) {
  return path.extension() == ".svg";
}

Result<void> check_outputs(const AnalysisSource& source,
                           const std::vector<std::filesystem::path>& outputs) {
  PathRoles roles;
  EMBD_TRY(add_source_roles(source, "the input", roles));
  for (const std::filesystem::path& output : outputs) {
    roles.writes("the output", output);
    const std::string name = text_of_path(output.extension());
    if (name != ".html" && name != ".htm" && name != ".svg" && !is_stream(output)) {
      return fail_in(
          output, ErrorCode::invalid_argument,
          "a map is written as a page or a picture, expected a name that ends in .html or .svg");
    }
  }
  return roles.check();
}

/// Returns the value that a JSON value stands for: none for null, and for what is not a number or a
/// string, its JSON as a word.
FieldValue value_of(const nlohmann::json& value) {
  if (value.is_null()) return {};
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Returns the first value of Record.fields, a JSON array.
FieldValue first_of(const std::string& fields) {
  const auto json = parse_json(fields);
  return json && json->is_array() && !json->empty() ? value_of((*json)[0]) : FieldValue();
}

/// Returns the values of a column of the vector set. It has the same columns for colors as for the
/// filters of a search.
Result<std::vector<FieldValue>> column_values(const OpenSet& set, const std::string& name) {
  const std::vector<std::string> names = names_of_columns(*set);
  if (std::ranges::find(names, name) == names.end()) {
    return fail_in(set.path, ErrorCode::missing,
                   "the rows have no field and no column that is named {:?}", name);
  }
  const ColumnValues column = EMBD_TRY(ColumnValues::read({set}, name));
  std::vector<FieldValue> values;
  for (std::uint64_t row = 0; row < set->info().num_rows; ++row)
    values.push_back(value_of(parse_json(column.json(row)).value_or(nullptr)));
  return values;
}

Result<std::vector<FieldValue>> color_values(const AnalysisInput& input,
                                             const std::filesystem::path& path,
                                             const std::string& name) {
  if (!input.file) return column_values({.path = path, .vectors = input.set}, name);
  std::vector<FieldValue> values;
  for (const std::string& fields : input.fields) values.push_back(first_of(fields));
  values.resize(input.rows.rows());
  return values;
}

/// Returns a few words about the model or the rows, to be shown with the map.
std::string about(const AnalysisInput& input) {
  return input.recipe ? input.recipe->model_name : fmt::format("{} dimensions", input.rows.cols());
}

Result<RowMap> drawn(AnalysisInput& input, const MapFileOptions& options,
                     const std::filesystem::path& path, const std::stop_token& stop) {
  RowMap map = EMBD_TRY(in_file(path, map_rows(input.rows, options.map, stop)));
  map.title = !options.title.empty() ? options.title
              : path == "-"          ? std::string("Texts")
                                     : text_of_path(without_trailing_slash(path).filename());
  map.about = about(input);
  if (!std::holds_alternative<std::monostate>(input.ids))
    map.ids = id_strings(input.ids, input.rows.rows());
  map.texts = std::move(input.texts);
  if (!options.color_by.empty()) {
    color_by_values(EMBD_TRY(color_values(input, path, options.color_by)), options.color_by, map);
    return map;
  }
  const std::uint32_t k = options.groups.value_or(usual_groups(map.num_rows()));
  if (k == 0) return map;
  EMBD_TRY(group_map(map, input.rows, {.k = k, .threads = options.map.project.threads}, stop));
  return map;
}

/// Writes all files, then puts them in place.
Result<void> write_outputs(const RowMap& map, const MapFileOptions& options,
                           const std::vector<std::filesystem::path>& outputs) {
  std::vector<OutputFile> files;
  for (const std::filesystem::path& path : outputs) {
    OutputFile file =
        EMBD_TRY(is_stream(path) ? open_stream(path) : in_file(path, OutputFile::create(path)));
    const std::string text = EMBD_TRY(is_picture(path) ? map_picture(map, options.picture)
                                                       : map_page(map, options.page));
    EMBD_TRY(file.write(as_bytes(text)));
    EMBD_TRY(file.prepare());
    files.push_back(std::move(file));
  }
  for (OutputFile& file : files) EMBD_TRY(file.finish());
  return {};
}

}  // namespace

Result<MapReport> map_file(const Model* model, const std::vector<std::filesystem::path>& inputs,
                           const std::vector<std::filesystem::path>& outputs,
                           const MapFileOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<MapReport> {
    AnalysisSource source = {
        .paths = inputs, .texts = options.texts, .read = options.read, .input = options.input};
    EMBD_TRY(check_outputs(source, outputs));
    if (!options.color_by.empty()) source.input.number_fields = {options.color_by};
    EncodeOptions encode = options.encode;
    encode.threads = options.map.project.threads;
    AnalysisInput input = EMBD_TRY(read_analysis_input(source, model, encode, true, stop));
    const RowMap map = EMBD_TRY(drawn(input, options, source.path(), stop));
    EMBD_TRY(write_outputs(map, options, outputs));
    return MapReport{.rows = map.num_rows(), .groups = map.group_names.size()};
  });
}

}  // namespace embd
