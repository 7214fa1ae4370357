// print_options markdown|json: the lists of options (jobs/options) as docs/options.md and as JSON
// for the tests of the faces.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "jobs/options/all_lists.h"

namespace embd {
namespace {

using Json = nlohmann::ordered_json;

std::string dashed(std::string_view name) {
  std::string text = name.empty() ? "" : "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string_view word_of(Decides decides) {
  constexpr std::string_view words[] = {"rows", "run", "recipe", "nothing"};
  return words[static_cast<std::size_t>(decides)];
}

template <class Value>
std::string kind_of() {
  using T = Given<Value>;
  if constexpr (std::is_same_v<T, bool>) return "flag";
  if constexpr (std::is_same_v<T, char>) return "character";
  if constexpr (std::is_enum_v<T>) return "word";
  if constexpr (std::is_integral_v<T>) return "number";
  if constexpr (std::is_floating_point_v<T>) return "real";
  if constexpr (std::is_same_v<T, std::filesystem::path>) return "file";
  if constexpr (std::is_same_v<T, InputPart>) return "part";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "texts";
  return "text";
}

template <class Options, class Value>
Json json_of(std::string_view structure, const OptionOf<Options, Value>& option) {
  Json words = Json::array();
  for (const auto& [word, value] : option.words) words.push_back(word);
  std::vector<std::string_view> formats(option.formats.begin(), option.formats.end());
  std::erase(formats, "");
  Json json = {{"structure", structure},
               {"name", option.name},
               {"option", dashed(option.option)},
               {"keyword", option.keyword},
               {"kind", kind_of<Value>()},
               {"words", words},
               {"value", option.value},
               {"formats", formats},
               {"needs", dashed(option.needs)},
               {"decides", word_of(option.decides)},
               {"help", option.help}};
  if (kind_of<Value>() == "number") {
    json["least"] = option.least;
    if constexpr (std::is_integral_v<Given<Value>>)
      json["greatest"] = std::min<std::uint64_t>(
          option.greatest, static_cast<std::uint64_t>(std::numeric_limits<Given<Value>>::max()));
  }
  return json;
}

Json all_as_json() {
  Json all = Json::array();
  for_each_list([&]<class Options>(std::string_view structure) {
    for_each_own_option<Options>(
        [&](const auto& option) { all.push_back(json_of(structure, option)); });
  });
  return all;
}

/// Returns what an option takes: "N, from 1", "mean, cls, max".
std::string takes(const Json& option) {
  const std::string kind = option["kind"];
  if (!option["words"].empty())
    return fmt::format("{}", fmt::join(option["words"].get<std::vector<std::string>>(), ", "));
  if (kind == "flag" || kind == "real") return kind == "flag" ? "" : "a number";
  if (kind != "number") return option["value"];
  const std::uint64_t least = option["least"];
  return least == 0 ? "a number" : fmt::format("a number, from {}", least);
}

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

std::string page() {
  std::string page =
      "# Options\n\nEach structure of options of the C++ interface, with the names of its options "
      "on the command "
      "line and in Python. `print_options\nmarkdown` writes this page from the lists in "
      "[jobs/options](../jobs/options), of which the faces are made, too; the test `options_page`\n"
      "fails where it is older.\n\nThe column *decides* says what changes with an option:\n\n"
      "- *rows*: rows or hits and what goes with them. The parts of a job have one value.\n"
      "- *run*: what one run writes, or whether it does.\n"
      "- *recipe*: rows; the recipe of the vectors says with which value they were made.\n"
      "- *nothing*: no byte of an output.\n";
  std::string structure;
  for (const Json& option : all_as_json()) {
    if (option["option"] == "" && option["keyword"] == "") continue;
    if (option["structure"] != structure) {
      structure = option["structure"];
      page += fmt::format(
          "\n## {}\n\n| option | Python | takes | decides | |\n|---|---|---|---|---|\n", structure);
    }
    const std::vector<std::string> formats = option["formats"];
    std::string help = option["help"];
    if (!formats.empty()) help += fmt::format(". For {}", fmt::join(formats, ", "));
    page +=
        fmt::format("| {} | {} | {} | {} | {} |\n", code(option["option"]), code(option["keyword"]),
                    cell(takes(option)), option["decides"].get<std::string>(), cell(help));
  }
  return page;
}

}  // namespace
}  // namespace embd

int main(int argc, char** argv) {
  const std::string_view kind = argc == 2 ? argv[1] : "";
  if (kind != "markdown" && kind != "json") {
    std::fputs("print_options markdown|json\n", stderr);
    return 2;
  }
  std::fputs((kind == "json" ? embd::all_as_json().dump(1) + "\n" : embd::page()).c_str(), stdout);
}
