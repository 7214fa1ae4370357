#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/collect.h"
#include "embd/enum_names.h"
#include "embd/hybrid.h"
#include "faces/cli/hits.h"
#include "faces/cli/mcp/mcp.h"

namespace embd::cli::mcp {
namespace {

constexpr std::uint64_t most_hits = 100;
constexpr std::uint64_t most_lines = 2000;
constexpr std::uint64_t lines_around = 20;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 18;

/// Reads the arguments of a call.
class Arguments {
 public:
  explicit Arguments(const Json& json) : json_(json) {}

  /// Fails if there is an argument of another name, which may be a misspelled one.
  Result<void> check_names(std::span<const std::string_view> known) const {
    for (const auto& [name, value] : json_.items())
      if (std::ranges::find(known, name) == known.end())
        return fail(ErrorCode::invalid_argument, "the argument {:?} is unknown, expected {}", name,
                    fmt::join(known, ", "));
    return {};
  }
  Result<std::string> text(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end() || !found->is_string())
      return fail(ErrorCode::invalid_argument, "the argument {:?} is missing, expected a string",
                  name);
    return found->get<std::string>();
  }
  Result<std::uint64_t> number(const char* name, std::uint64_t fallback, std::uint64_t least,
                               std::uint64_t most) const {
    const auto found = json_.find(name);
    if (found == json_.end()) return fallback;
    if (found->is_number_unsigned() && *found >= least && *found <= most)
      return found->get<std::uint64_t>();
    return fail(ErrorCode::invalid_argument,
                "the argument {:?} is {}, expected a whole number from {} to {}", name,
                found->dump(-1, ' ', true, Json::error_handler_t::replace), least, most);
  }
  Result<Match> match() const {
    if (!json_.contains("match")) return Match::both;
    const auto known = value_named(EMBD_TRY(text("match")), match_names);
    if (known) return *known;
    return fail(ErrorCode::invalid_argument,
                "the argument \"match\" is unknown, expected both, vectors or terms");
  }

 private:
  const Json& json_;
};

Json number_schema(const char* description, std::uint64_t least, std::uint64_t most) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}, {"description", description}};
}

Json search_description() {
  Json hit = {{"type", "object"},
              {"properties",
               {{"id", {{"type", "string"}}},
                {"file", {{"type", "string"}}},
                {"lines", {{"type", "array"}, {"items", {{"type", "integer"}}}}},
                {"line", {{"type", "integer"}}},
                {"headings", {{"type", "array"}, {"items", {{"type", "string"}}}}},
                {"text", {{"type", "string"}}}}},
              {"required", {"id", "file", "lines", "line", "headings", "text"}}};
  return {
      {"name", "search"},
      {"title", "Search the documents"},
      {"description",
       "Finds the passages of the documents that match a question or words, by meaning and by "
       "words, best first. Each hit names its file, its first and last line, and its headings."},
      {"inputSchema",
       {{"type", "object"},
        {"properties",
         {{"query", {{"type", "string"}, {"description", "a question, a phrase or words"}}},
          {"k", number_schema("the number of passages (10)", 1, most_hits)},
          {"match",
           {{"type", "string"},
            {"enum", {"both", "vectors", "terms"}},
            {"description",
             "compare meaning and words (both), only meaning (vectors), or only words (terms)"}}}}},
        {"required", Json::array({"query"})},
        {"additionalProperties", false}}},
      {"outputSchema",
       {{"type", "object"},
        {"properties", {{"hits", {{"type", "array"}, {"items", std::move(hit)}}}}},
        {"required", Json::array({"hits"})}}},
      {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

Json read_description() {
  constexpr std::uint64_t any = std::numeric_limits<std::int32_t>::max();
  return {{"name", "read"},
          {"title", "Read a document"},
          {"description",
           "Reads lines of a document that search has named, as it is now: the lines of a passage "
           "and the lines around them."},
          {"inputSchema",
           {{"type", "object"},
            {"properties",
             {{"file", {{"type", "string"}, {"description", "the file, as a hit names it"}}},
              {"first_line", number_schema("the first line (1)", 1, any)},
              {"last_line", number_schema("the last line (that of first_line)", 1, any)},
              {"around", number_schema("lines to read before and behind (20)", 0, most_lines)}}},
            {"required", Json::array({"file"})},
            {"additionalProperties", false}}},
          {"outputSchema",
           {{"type", "object"},
            {"properties",
             {{"file", {{"type", "string"}}},
              {"lines", {{"type", "array"}, {"items", {{"type", "integer"}}}}},
              {"num_lines", {{"type", "integer"}}},
              {"text", {{"type", "string"}}}}},
            {"required", {"file", "lines", "num_lines", "text"}}}},
          {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

std::string_view note_on(DocumentState state) {
  if (state == DocumentState::changed) return " (changed since it was collected)";
  return state == DocumentState::gone ? " (gone since it was collected)" : "";
}

/// Returns hits for a language model to read.
std::string text_of(const std::vector<Hit>& hits) {
  if (hits.empty()) return "No passage was found.";
  std::string text;
  for (const Hit& hit : hits) {
    const PassagePlace& place = *hit.place;
    text += fmt::format("{}{}:{} (lines {}-{}){}{}{}\n{}\n", text.empty() ? "" : "\n", place.file,
                        line_of(hit), place.first_line, place.last_line, note_on(place.state),
                        place.headings.empty() ? "" : " ", fmt::join(place.headings, " > "),
                        hit.text.value_or(""));
  }
  return text;
}

/// The tools of a collection.
class CollectionTools final : public Tools {
 public:
  CollectionTools(std::filesystem::path folder, Model model, int threads, std::stop_token stop,
                  SearchedCollection opened)
      : folder_(std::move(folder)),
        model_(std::move(model)),
        threads_(threads),
        stop_(std::move(stop)),
        opened_(std::move(opened)) {}

  std::string instructions() const override;
  const Json& list() const override;
  Result<ToolAnswer> call(const std::string& name, const Json& arguments) override;

 private:
  /// Opens the collection again if it was brought up to date.
  Result<void> refresh();
  Result<ToolAnswer> search(const Json& arguments);
  Result<ToolAnswer> read(const Json& arguments) const;

  std::filesystem::path folder_;
  Model model_;
  int threads_;
  std::stop_token stop_;
  SearchedCollection opened_;
};

std::string CollectionTools::instructions() const {
  const CollectionInfo& info = opened_.collection.info();
  std::vector<std::string> names;
  for (const CollectionRoot& root : info.roots)
    names.push_back(root.name.empty() ? text_of_path(root.path.filename()) : root.name);
  return fmt::format(
      "Searches documents of the user ({}). Find passages with search, then read the lines around "
      "them with read.",
      fmt::join(names, ", "));
}

const Json& CollectionTools::list() const {
  static const Json tools = Json::array({search_description(), read_description()});
  return tools;
}

Result<ToolAnswer> CollectionTools::call(const std::string& name, const Json& arguments) {
  return guarded([&]() -> Result<ToolAnswer> {
    EMBD_TRY(refresh());
    return name == "search" ? search(arguments) : read(arguments);
  });
}

Result<void> CollectionTools::refresh() {
  const CollectionInfo now = EMBD_TRY(collection_info(folder_));
  const CollectionInfo& known = opened_.collection.info();
  if (now.generation == known.generation && now.roots == known.roots) return {};
  opened_ = EMBD_TRY(search_collection(folder_));
  return {};
}

Result<ToolAnswer> CollectionTools::search(const Json& json) {
  const Arguments arguments(json);
  constexpr std::array<std::string_view, 3> names = {"query", "k", "match"};
  EMBD_TRY(arguments.check_names(names));
  const std::vector<std::string> queries = {EMBD_TRY(arguments.text("query"))};
  const std::size_t k = EMBD_TRY(arguments.number("k", 10, 1, most_hits));
  const Match match = EMBD_TRY(arguments.match());
  const Searcher& searcher = opened_.searcher;
  const std::array<std::string_view, 1> texts = {queries.front()};
  const SearchOptions options = {.threads = threads_};
  FoundRows found;
  if (match == Match::terms) {
    const Queries terms = EMBD_TRY(searcher.term_queries(texts, &model_));
    found = EMBD_TRY(searcher.search_terms(terms, k, nullptr, stop_));
  } else {
    const Queries vectors =
        EMBD_TRY(searcher.encode_queries(model_, texts, {.threads = threads_}, stop_));
    if (match == Match::vectors)
      found = EMBD_TRY(searcher.search(vectors, k, options, nullptr, stop_));
    else
      found = EMBD_TRY(searcher.search_both(vectors, k, options, nullptr, stop_));
  }
  const RowHits rows = rows_of(found);
  const RowTexts row_texts = EMBD_TRY(searcher.texts({}, &rows));
  Hits hits = EMBD_TRY(hits_of(found, searcher, row_texts, &opened_.collection));
  if (match != Match::vectors) EMBD_TRY(find_terms(searcher, &model_, queries, hits));
  ToolAnswer answer = {.text = text_of(hits.front()), .structured = {}};
  answer.structured["hits"] =
      EMBD_TRY(parse_ordered_json(EMBD_TRY(hits_to_json(hits.front(), {.queries = queries}))));
  return answer;
}

Result<ToolAnswer> CollectionTools::read(const Json& json) const {
  const Arguments arguments(json);
  constexpr std::array<std::string_view, 4> names = {"file", "first_line", "last_line", "around"};
  EMBD_TRY(arguments.check_names(names));
  constexpr std::uint64_t any = std::numeric_limits<std::int32_t>::max();
  const std::string file = EMBD_TRY(arguments.text("file"));
  const std::uint64_t first = EMBD_TRY(arguments.number("first_line", 1, 1, any));
  const std::uint64_t last = EMBD_TRY(arguments.number("last_line", first, first, any));
  const std::uint64_t around = EMBD_TRY(arguments.number("around", lines_around, 0, most_lines));
  if (last - first >= most_lines)
    return fail(ErrorCode::invalid_argument, "{} lines were asked for, expected at most {}",
                last - first + 1, most_lines);
  const DocumentLines lines = EMBD_TRY(
      opened_.collection.read_lines(file, first - std::min(around, first - 1), last + around));
  if (lines.text.size() > most_bytes)
    return fail(ErrorCode::invalid_argument,
                "the lines {} to {} of {} have {} bytes together, expected at most {}: ask for "
                "fewer lines",
                lines.first_line, lines.last_line, file, lines.text.size(), most_bytes);
  ToolAnswer answer;
  answer.text = fmt::format("{} (lines {}-{} of {}){}\n{}", file, lines.first_line, lines.last_line,
                            lines.num_lines, note_on(lines.state), lines.text);
  answer.structured = {{"file", file},
                       {"lines", {lines.first_line, lines.last_line}},
                       {"num_lines", lines.num_lines}};
  if (lines.state == DocumentState::changed) answer.structured["changed"] = true;
  answer.structured["text"] = lines.text;
  return answer;
}

}  // namespace

Result<std::unique_ptr<Tools>> open_collection_tools(const std::filesystem::path& folder,
                                                     Model model, int threads,
                                                     std::stop_token stop) {
  auto opened = EMBD_TRY(search_collection(folder));
  EMBD_TRY(opened.searcher.encode_options(model));
  return std::make_unique<CollectionTools>(folder, std::move(model), threads, std::move(stop),
                                           std::move(opened));
}

}  // namespace embd::cli::mcp
