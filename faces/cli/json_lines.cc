#include "faces/cli/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "faces/cli/printable.h"

namespace embd::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (value.is_null()) return "none";
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Returns true for the description of a tensor. Models have many of them, so each is shown in one
/// line.
bool is_tensor(const Json& value) {
  return value.is_object() && value.contains("name") && value.contains("type") &&
         value.contains("shape");
}

void append_lines(const Json& object, const std::string& indent, std::string& out) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object() && !value.empty()) {
      out += fmt::format("{}{}:\n", indent, printable(name));
      append_lines(value, indent + "  ", out);
    } else if (value.is_array() && !value.empty() && std::ranges::all_of(value, is_tensor)) {
      out += fmt::format("{}{}: {}\n", indent, printable(name), value.size());
      for (const Json& tensor : value) {
        out += fmt::format("{}  {} {} {}\n", indent, value_text(tensor["name"]),
                           value_text(tensor["type"]), value_text(tensor["shape"]));
      }
    } else {
      out += fmt::format("{}{}: {}\n", indent, printable(name), value_text(value));
    }
  }
}

}  // namespace

std::string as_lines(std::string_view json) {
  std::string out;
  append_lines(parse_ordered_json(json).value(), "", out);
  return out;
}

}  // namespace embd::cli
