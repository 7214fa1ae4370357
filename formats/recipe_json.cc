#include "formats/recipe_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "base/json.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> pooling_names = {"mean", "cls", "max"};
constexpr std::array<std::string_view, 3> windows_names = {"none", "mean", "rows"};
constexpr std::array<std::string_view, 2> truncation_side_names = {"right", "left"};

/// Calls `field` with the name and the value of each member that is always there and no enum.
void for_each_field(auto& recipe, auto&& field) {
  field("model_sha256", recipe.model_sha256);
  field("tokenizer_sha256", recipe.tokenizer_sha256);
  field("max_length", recipe.max_length);
  field("normalize", recipe.normalize);
  field("truncate_dim", recipe.truncate_dim);
  field("model_name", recipe.model_name);
  field("prompt", recipe.prompt);
  field("compute", recipe.compute);
  field("instruction_set", recipe.instruction_set);
  field("output_type", recipe.output_type);
  field("input_sha256", recipe.input_sha256);
  field("embd_version", recipe.embd_version);
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
template <class Enum>
bool assign_name(const Json& value, std::span<const std::string_view> names, Enum& field) {
  if (!value.is_string()) return false;
  const auto found = std::ranges::find(names, value.get_ref<const std::string&>());
  if (found == names.end()) return false;
  field = static_cast<Enum>(found - names.begin());
  return true;
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

}  // namespace

std::string recipe_to_json(const Recipe& recipe) {
  Json json = {{"pooling", pooling_names[static_cast<std::size_t>(recipe.pooling)]}};
  for_each_field(recipe, [&](const char* name, const auto& field) { json[name] = field; });
  if (recipe.windows != Windows::none) {
    json["windows"] = windows_names[static_cast<std::size_t>(recipe.windows)];
    json["stride"] = recipe.stride;
  }
  if (recipe.truncation_side != TruncationSide::right) {
    json["truncation_side"] =
        truncation_side_names[static_cast<std::size_t>(recipe.truncation_side)];
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Result<void> check_recipe(const Recipe& recipe) {
  const char* wrong = nullptr;
  for_each_field(recipe, [&]<class Field>(const char* name, const Field& field) {
    if constexpr (std::is_same_v<Field, std::string>)
      if (find_invalid_utf8(field)) wrong = name;
  });
  if (wrong == nullptr) return {};
  return fail(ErrorCode::invalid_utf8, std::string("the recipe's ") + wrong);
}

Result<Recipe> recipe_from_json(std::string_view text) {
  const Json json = EMBD_TRY(parse_json(text));
  if (!json.is_object()) return fail(ErrorCode::bad_json, "the recipe is no JSON object");
  Recipe recipe;
  const char* wrong = nullptr;
  const auto read = [&](const char* name, auto& field) {
    if (json.contains(name) && !assign(json[name], field)) wrong = name;
  };
  read("pooling", recipe.pooling);
  read("windows", recipe.windows);
  read("stride", recipe.stride);
  read("truncation_side", recipe.truncation_side);
  for_each_field(recipe, read);
  if (wrong != nullptr) {
    return fail(ErrorCode::bad_value,
                std::string("recipe: ") + wrong + " is " + json[wrong].dump());
  }
  return recipe;
}

}  // namespace embd
