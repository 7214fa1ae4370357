#include "formats/recipe_json.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

/// Returns true if two names of arithmetics stand for definitions of the same one, such as "int8"
/// and "int8-blocks".
bool are_two_definitions(std::string_view a, std::string_view b) {
  return a != b && a.substr(0, a.find('-')) == b.substr(0, b.find('-'));
}

}  // namespace

std::vector<std::string> fatal_differences(const Recipe& a, const Recipe& b) {
  std::vector<std::string> names;
  const auto compare = [&](const char* name, auto field) {
    if (a.*field != b.*field) names.emplace_back(name);
  };
  compare("model_sha256", &Recipe::model_sha256);
  compare("tokenizer_sha256", &Recipe::tokenizer_sha256);
  compare("max_length", &Recipe::max_length);
  compare("pooling", &Recipe::pooling);
  compare("normalize", &Recipe::normalize);
  compare("truncate_dim", &Recipe::truncate_dim);
  if (are_two_definitions(a.compute, b.compute)) names.emplace_back("compute");
  return names;
}

namespace {

using Json = nlohmann::json;

/// Calls `field` with the name and the value of each member, and `optional` with members that are
/// not stored if they are empty. Every member of Recipe is named here, in its order. A new member
/// does not compile until this function stores it.
void for_each_field(auto& recipe, auto&& field, auto&& optional) {
  auto& [model_sha256, tokenizer_sha256, max_length, pooling, normalize, truncate_dim, model_name,
         prompt, windows, stride, truncation_side, compute, instruction_set, output_type,
         input_sha256, embd_version] = recipe;
  field("model_sha256", model_sha256);
  field("tokenizer_sha256", tokenizer_sha256);
  field("max_length", max_length);
  field("pooling", pooling);
  field("normalize", normalize);
  field("truncate_dim", truncate_dim);
  field("model_name", model_name);
  field("prompt", prompt);
  optional("windows", windows, windows != Windows::none);
  optional("stride", stride, windows != Windows::none);
  optional("truncation_side", truncation_side, truncation_side != TruncationSide::right);
  field("compute", compute);
  field("instruction_set", instruction_set);
  field("output_type", output_type);
  field("input_sha256", input_sha256);
  field("embd_version", embd_version);
}

Json as_json(const auto& value) {
  return value;
}
Json as_json(const Pooling& value) {
  return name_of(value, pooling_names);
}
Json as_json(const Windows& value) {
  return name_of(value, windows_names);
}
Json as_json(const TruncationSide& value) {
  return name_of(value, truncation_side_names);
}

bool assign(const Json& value, std::string& field) {
  if (!value.is_string()) return false;
  field = value.get<std::string>();
  return true;
}
bool assign(const Json& value, bool& field) {
  if (!value.is_boolean()) return false;
  field = value.get<bool>();
  return true;
}
bool assign(const Json& value, std::uint32_t& field) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > UINT32_MAX) return false;
  field = value.get<std::uint32_t>();
  return true;
}
template <class Enum, std::size_t count>
bool assign_name(const Json& value, const EnumNames<Enum, count>& names, Enum& field) {
  if (!value.is_string()) return false;
  const auto found = value_named(value.get_ref<const std::string&>(), names);
  if (found) field = *found;
  return found.has_value();
}
bool assign(const Json& value, Pooling& field) {
  return assign_name(value, pooling_names, field);
}
bool assign(const Json& value, Windows& field) {
  return assign_name(value, windows_names, field);
}
bool assign(const Json& value, TruncationSide& field) {
  return assign_name(value, truncation_side_names, field);
}

Json fields_of(const Recipe& recipe) {
  Json json;
  for_each_field(
      recipe, [&](const char* name, const auto& field) { json[name] = as_json(field); },
      [&](const char* name, const auto& field, bool says_something) {
        if (says_something) json[name] = as_json(field);
      });
  return json;
}

}  // namespace

std::string recipe_to_json(const Recipe& recipe) {
  return fields_of(recipe).dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json deciding_fields(const Recipe& recipe) {
  Json fields = fields_of(recipe);
  for (const char* name :
       {"model_name", "instruction_set", "output_type", "input_sha256", "embd_version"})
    fields.erase(name);
  return fields;
}

Result<void> check_recipe(const Recipe& recipe) {
  const char* wrong = nullptr;
  for_each_field(
      recipe,
      [&]<class Field>(const char* name, const Field& field) {
        if constexpr (std::is_same_v<Field, std::string>)
          if (find_invalid_utf8(field)) wrong = name;
      },
      [](const char*, const auto&, bool) {});
  if (wrong == nullptr) return {};
  return fail(ErrorCode::invalid_utf8, "the member \"{}\" of the recipe is not valid UTF-8", wrong);
}

Result<Recipe> recipe_from_json(std::string_view text) {
  return recipe_of_members(EMBD_TRY(parse_json(text)));
}

Result<Recipe> recipe_of_members(const Json& json) {
  if (!json.is_object()) return fail(ErrorCode::bad_json, "the recipe is not a JSON object");
  Recipe recipe;
  const char* wrong = nullptr;
  const auto read = [&](const char* name, auto& field) {
    if (json.contains(name) && !assign(json[name], field)) wrong = name;
  };
  for_each_field(recipe, read, [&](const char* name, auto& field, bool) { read(name, field); });
  if (wrong != nullptr) {
    return fail(ErrorCode::bad_value,
                "the member \"{}\" of the recipe is {}, which is not one of its possible values",
                wrong, json[wrong].dump());
  }
  return recipe;
}

}  // namespace embd
