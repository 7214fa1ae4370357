#include "jobs/embed/conditions.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/checksum.h"
#include "base/mapped_file.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "jobs/embed/embed_plan.h"

namespace embd {
namespace {

using Json = nlohmann::json;

// Each function below names every member of its structure: one that is added does not compile until
// it is said here whether it decides bytes.

/// Adds the conditions of one run alone, in which the parts of a job may differ.
void add_run(const EmbedOptions& options, Json& json) {
  json["output_format"] = options.output.format;
  json["part"] = options.part ? Json{options.part->index, options.part->count} : Json();
  json["refuse_truncated"] = options.refuse_truncated;
  json["row_report"] = options.row_report.native();
}

Json as_json(const IndexOptions& options) {
  const auto& [kind, metric, scalar, threads, connectivity, expansion_add, builder, multi, degree,
               window, alpha] = options;
  static_cast<void>(threads);
  return {static_cast<int>(kind),
          metric_name(metric),
          element_name(scalar),
          connectivity,
          expansion_add,
          static_cast<int>(builder),
          multi,
          degree,
          window,
          alpha};
}

void add(const CvcOptions& options, Json& json) {
  const auto& [compression, chunk_rows, mmap, column] = options;
  json["cvc_compression"] = name_of(compression, cvc_compression_names);
  json["chunk_rows"] = chunk_rows;
  json["cvc_mmap"] = mmap;
  json["column"] = column;
}

/// `norms` and `subwords` are made by the job.
void add(const FinalfusionOptions& options, Json& json) {
  const auto& [quantizer, bits, subquantizers, metadata, normalize, norms, subwords] = options;
  static_cast<void>(norms), static_cast<void>(subwords);
  json["quantize"] = {name_of(quantizer, finalfusion_quantizer_names), bits, subquantizers};
  json["metadata"] = metadata;
  json["normalize_words"] = normalize;
}

void add(const SvsOptions& options, Json& json) {
  const auto& [layout, quantizer] = options;
  json["svs_layout"] = name_of(layout, svs_layout_names);
  json["svs_quantize"] = name_of(quantizer, svs_quantizer_names);
}

Json as_json(const ParquetOptions& options) {
  const auto& [compression, row_group_rows, texts] = options;
  return {static_cast<int>(compression), row_group_rows, texts};
}

/// `format`, `element_type`, `ids`, `num_rows`, `recipe` and `columns` are made by the job.
void add(const WriteOptions& options, Json& json) {
  const auto& [format, element_type, ids, num_rows, recipe, columns, cvc, finalfusion, parquet, svs,
               index] = options;
  static_cast<void>(format), static_cast<void>(element_type), static_cast<void>(ids);
  static_cast<void>(num_rows), static_cast<void>(recipe), static_cast<void>(columns);
  add(cvc, json);
  add(finalfusion, json);
  json["parquet"] = as_json(parquet);
  add(svs, json);
  json["index"] = as_json(index);
}

Result<void> add(const OutputOptions& options, Json& json) {
  const auto& [format, type, int8_ranges, write] = options;
  static_cast<void>(format);  // in add_run()
  json["output_type"] = output_type_name(type);
  if (!int8_ranges.empty()) {
    const MappedFile file = EMBD_TRY(MappedFile::open(int8_ranges));
    json["output_ranges"] = sha256_hex(file.bytes());
  }
  add(write, json);
  return {};
}

void add(const InputOptions& options, Json& json) {
  const auto& [format, text_field, id_field, token_ids_field, fields, number_fields, has_header,
               id_type, encoding, invalid_text, delimiter, skip_empty] = options;
  json["input_format"] = format ? Json(static_cast<int>(*format)) : Json();
  json["text_field"] = text_field;
  json["id_field"] = id_field;
  json["token_ids_field"] = token_ids_field;
  json["fields"] = {fields, number_fields};
  json["has_header"] = has_header;
  json["id_type"] = static_cast<int>(id_type);
  json["encoding"] = encoding;
  json["invalid_text"] = name_of(invalid_text, invalid_text_names);
  json["delimiter"] = std::string(1, delimiter);
  json["skip_empty"] = skip_empty;
}

Result<void> add(const EmbedOptions& options, Json& json) {
  const auto& [encode, output, part, id_start, section_fields, column_fields, refuse_truncated,
               row_report, resume, restart, progress] = options;
  static_cast<void>(encode);  // in the recipe
  static_cast<void>(resume), static_cast<void>(restart), static_cast<void>(progress);
  static_cast<void>(part), static_cast<void>(refuse_truncated);  // in add_run()
  static_cast<void>(row_report);                                 // in add_run()
  json["id_start"] = id_start ? Json(*id_start) : Json();
  json["section_fields"] = section_fields;
  json["column_fields"] = column_fields;
  return add(output, json);
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

Result<Conditions> row_conditions(const InputOptions& input, const EmbedOptions& options) {
  Json json;
  add(input, json);
  EMBD_TRY(add(options, json));
  return as_conditions(json);
}

Result<Conditions> run_conditions(const EmbedPlan& plan, const Recipe& recipe) {
  Json json = Json::parse(recipe_to_json(recipe));
  for (const OutputTarget& output : plan.outputs) json["outputs"].push_back(output.path.native());
  add_run(plan.options, json);
  Conditions conditions = EMBD_TRY(row_conditions(plan.texts, plan.options));
  // The recipe has an output type, too, but not whether it was asked for.
  conditions.merge(as_conditions(json));
  return conditions;
}

}  // namespace embd
