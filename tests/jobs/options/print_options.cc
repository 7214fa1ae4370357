// print_options markdown|python|json: the lists of options (jobs/options) as docs/options.md, as
// faces/python/embd/_keywords.py, and as JSON for the tests of the faces.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "jobs/options/job_lists.h"

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
      "# Options\n\n"
      "This page lists all options that a job or a model takes. The options are grouped by the "
      "structure of the\n"
      "C++ interface to which they belong, with their names on the command line and in Python.\n\n"
      "`print_options markdown` writes this page from the lists in "
      "[jobs/options](../jobs/options). The options of the\n"
      "command line and of the Python package follow from the same lists. The test `options_page` "
      "fails if this page is\n"
      "older than the lists.\n\n"
      "The column *decides* says what changes with an option:\n\n"
      "- *rows*: the rows or hits, and what is written with them. All parts of a job must have the "
      "same value.\n"
      "- *run*: what one run writes besides its rows, or if it succeeds.\n"
      "- *recipe*: the rows, as well; the recipe of the vectors records the value.\n"
      "- *nothing*: no byte of an output changes.\n";
  std::string structure;
  for (const Json& option : all_as_json()) {
    if (option["option"] == "" && option["keyword"] == "") continue;
    if (option["structure"] != structure) {
      structure = option["structure"];
      page += fmt::format(
          "\n## {}\n\n| option | Python | takes | decides | what it does "
          "|\n|---|---|---|---|---|\n",
          structure);
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

/// The type of a keyword argument in Python. None is what it is where it is left out.
std::string type_of(const Json& option) {
  const std::string kind = option["kind"];
  if (kind == "flag") return "bool | None";
  if (kind == "number") return "int | None";
  if (kind == "real") return "float | None";
  if (kind == "file") return "str | os.PathLike[str] | None";
  if (kind == "texts") return "Sequence[str] | None";
  if (kind == "part") return "tuple[int, int] | str | None";
  const std::vector<std::string> words = option["words"];
  // An option of more words than that is chosen by a variable more often than by a literal.
  if (kind != "word" || words.size() > 8) return "str | None";
  return fmt::format("Literal[\"{}\"] | None", fmt::join(words, "\", \""));
}

/// The help of an option, with the names that Python has: "--output-type" → "output_type".
std::string help_of(const Json& option) {
  std::string help = option["help"];
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--")) {
    help.erase(at, 2);
    for (; at < help.size() &&
           (std::islower(static_cast<unsigned char>(help[at])) || help[at] == '-');
         ++at)
      if (help[at] == '-') help[at] = '_';
  }
  const bool is_negative = option["option"].get<std::string>().starts_with("--no-");
  return is_negative ? "False: " + help : help;
}

/// The keyword arguments of a function of the package: those of some structures, in their order.
struct Function {
  std::string_view name;
  std::string_view doc;
  std::vector<std::string_view> structures;
  /// Keywords that the function names itself, or that another structure has before.
  std::vector<std::string_view> without = {};
};

const Function functions[] = {
    {"EncodeKeywords",
     "The options of Model.encode(): how texts become vectors.",
     {"EncodeOptions"},
     {"window_pooling"}},
    {"ScoreKeywords",
     "The options of Reranker.score(): how pairs of texts are scored.",
     {"ScoreOptions"}},
    {"WorkerEncodeKeywords",
     "The options of Model.encode() that a job passes to its workers. The engine decides the "
     "number of threads.",
     {"EncodeOptions"},
     {"window_pooling", "stride", "threads", "dedup"}},
    {"WorkerScoreKeywords",
     "The options of Reranker.score() that a job passes to its workers. The engine decides the "
     "number of threads.",
     {"ScoreOptions"},
     {"threads"}},
    {"InputKeywords", "The options of functions that read a file of texts.", {"InputOptions"}},
    {"ReadKeywords",
     "The options of functions that read a file of vectors.",
     {"ReadOptions"},
     {"format", "dtype"}},
    {"DigestKeywords",
     "The options of digest_file(): how it reads vectors and texts.",
     {"ReadOptions", "InputOptions"}},
    {"WriteKeywords",
     "The options of write_vectors(), each for one or several formats.",
     {"CvcOptions", "ParquetOptions", "SvsOptions", "FinalfusionOptions", "IndexOptions"},
     {"kind", "degree", "window", "alpha", "multi", "text_column"}},
    {"IndexKeywords",
     "The options of Index(): how an index is built.",
     {"IndexOptions"},
     {"metric", "scalar"}},
    {"EmbedKeywords",
     "The options of embed_file(): how it reads, encodes and writes.",
     {"InputOptions", "EncodeOptions", "OutputOptions", "CvcOptions", "ParquetOptions",
      "SvsOptions", "FinalfusionOptions", "IndexOptions", "TermOptions", "EmbedOptions"},
     {"window_pooling", "column", "kind", "degree", "window", "alpha", "multi", "normalize_words"}},
    {"ScorePairsKeywords",
     "The options of score_pairs_file(): how it reads, scores and writes.",
     {"InputOptions", "ScoreOptions", "OutputOptions", "ParquetOptions", "ScorePairsOptions"},
     {"token_ids_field", "output_type", "output_ranges", "text_column"}},
    {"VerifyKeywords",
     "The options of verify(): how it reads and encodes.",
     {"InputOptions", "ReadOptions", "EncodeOptions", "VerifyOptions"},
     {"window_pooling", "threads"}},
    {"SearchKeywords",
     "The options of functions that search for the nearest rows.",
     {"SearchOptions"},
     {"threads"}},
    {"TermKeywords", "The options of TermIndex: what counts as a term.", {"TermOptions"}},
    {"SplitKeywords", "The options of split(): where documents are divided.", {"SplitOptions"}},
    {"CollectKeywords",
     "The options of collect(): how a collection is made and updated.",
     {"CollectOptions"}},
    {"GetModelKeywords",
     "The options of get_model(): where it downloads from, and where to.",
     {"GetModelOptions"}},
};

/// The options of a function. Of two that share a keyword the first is there, with the words of
/// both.
std::vector<Json> options_of(const Function& function, const Json& all) {
  std::vector<Json> options;
  for (const std::string_view structure : function.structures) {
    for (const Json& option : all) {
      const std::string keyword = option["keyword"];
      if (option["structure"] != structure || keyword.empty()) continue;
      if (std::ranges::find(function.without, keyword) != function.without.end()) continue;
      const auto same = std::ranges::find_if(
          options, [&](const Json& other) { return other["keyword"] == keyword; });
      if (same == options.end())
        options.push_back(option);
      else
        for (const Json& word : option["words"])
          if (option["kind"] == "word") (*same)["words"].push_back(word);
    }
  }
  return options;
}

std::string module() {
  std::string text =
      "\"\"\"The keyword arguments of the package's functions, as types.\n\nWritten by "
      "`print_options python` from the lists in jobs/options; the test options_of_python fails if "
      "it is outdated.\n\"\"\"\n\nfrom __future__ import annotations\n\nfrom typing "
      "import TYPE_CHECKING, Literal, TypedDict\n\nif TYPE_CHECKING:\n    import os\n    from "
      "collections.abc import Sequence\n";
  const Json all = all_as_json();
  for (const Function& function : functions) {
    text += fmt::format("\n\nclass {}(TypedDict, total=False):\n    \"\"\"{}\"\"\"\n\n",
                        function.name, function.doc);
    for (const Json& option : options_of(function, all)) {
      text += fmt::format("    {}: {}\n", option["keyword"].get<std::string>(), type_of(option));
      if (const std::string help = help_of(option); !help.empty())
        text += fmt::format("    \"\"\"{}\"\"\"\n", help);
    }
  }
  return text;
}

}  // namespace
}  // namespace embd

int main(int argc, char** argv) {
  const std::string_view kind = argc == 2 ? argv[1] : "";
  const std::string text = kind == "json"       ? embd::all_as_json().dump(1) + "\n"
                           : kind == "python"   ? embd::module()
                           : kind == "markdown" ? embd::page()
                                                : "";
  std::fputs(text.empty() ? "print_options markdown|python|json\n" : text.c_str(),
             text.empty() ? stderr : stdout);
  return text.empty() ? 2 : 0;
}
