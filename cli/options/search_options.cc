#include "cli/options/search_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options/input_options.h"
#include "cli/options/listed_options.h"
#include "cli/options/read_options.h"
#include "cli/options/values.h"
#include "jobs/options/search_list.h"

namespace embd::cli {
namespace {

void add_query_options(Verb& verb, SearchRequest& options) {
  using enum OptionGroup;
  verb.add_option("-q,--query", options.query_texts, "A text to search for; repeatable")
      .repeatable()
      .type_name("TEXT")
      .in(search);
  verb.add_option("--query-file", options.query_file, "Texts to search for, one a line, or .jsonl")
      .type_name("TEXTS")
      .in(search);
  verb.add_option("--query-field", options.query_field,
                  "Field of --query-file that holds the query (text)")
      .needs("--query-file")
      .type_name("NAME")
      .in(input);
  verb.add_option("--queries", options.queries,
                  "Vectors to search for, such as .npy; packed bits (uint8) for rows of bits")
      .type_name("FILE")
      .excludes({"--query", "--query-file"})
      .in(search);
  verb.add_flag("--words", options.words,
                "Queries are words of a .fifu file, as they are where it has no recipe")
      .excludes({"--queries"})
      .in(search);
  verb.add_option("--analogy", options.analogies, "A is to B as C is to what? Words of a .fifu")
      .expected(3, 3)
      .excludes({"--queries"})
      .type_name("A B C")
      .in(search);
  add_all_listed(verb, options.query, {"threads", "force"});
  verb.option("--prompt-name").excludes({"--prompt"});
}

void add_finding_options(Verb& verb, SearchRequest& options) {
  using enum OptionGroup;
  add_number(verb, "-k", options.k, "Hits a query (10)", 1).in(search);
  add_all_listed(verb, options.search, {"threads"});
  add_listed<&SearcherOptions::metric>(verb, options.searcher.metric);
  verb.add_option("--filter-ids", options.filter_ids, "Only rows whose id is a line of FILE")
      .type_name("FILE")
      .in(search);
  verb.add_option("--filter", options.filters,
                  "Only rows with this value in the column; repeatable: rows match in every column "
                  "that is named, with one of its values")
      .repeatable()
      .type_name("NAME=VALUE")
      .in(search);
  verb.add_option("--texts", options.texts,
                  "Print text i of FILE with a hit of row i, or with --id-field the text of its id")
      .type_name("FILE")
      .in(search);
  verb.add_option("--rerank", options.reranker,
                  "Rank the nearest rows by a cross-encoder that reads --texts")
      .needs("--texts")
      .type_name("MODEL")
      .in(search);
  add_number(verb, "--candidates", options.candidates, "Rows that --rerank ranks (100)", 1)
      .needs("--rerank")
      .in(search);
  verb.add_flag("--json", options.json, "JSON Lines on a terminal, too, instead of a table")
      .in(output);
  verb.add_flag("--similarity", options.similarity,
                "JSON Lines: the similarity beside the distance, 1 - distance (cos, ip)")
      .in(output);
  add_listed<&QueryOptions::force>(verb, options.query.force);
  add_threads(verb, options.search.threads);
}

}  // namespace

Result<std::vector<ColumnCondition>> conditions_of(const std::vector<std::string>& filters) {
  std::vector<ColumnCondition> conditions;
  for (const std::string& text : filters) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("--filter is \"{}\", expected NAME=VALUE, such as level=ERROR", text));
    }
    const std::string name = text.substr(0, equals);
    auto condition = std::ranges::find(conditions, name, &ColumnCondition::column);
    if (condition == conditions.end()) condition = conditions.insert(condition, {.column = name});
    condition->values.push_back(text.substr(equals + 1));
  }
  return conditions;
}

void add_search_options(Verb& verb, SearchRequest& options) {
  add_query_options(verb, options);
  add_finding_options(verb, options);
  add_text_options(verb, options.input);
  add_read_options(verb, options.searcher.read);
  add_model_options(verb, options.model);
  add_compute(verb, options.model.compute, "Arithmetic of the queries' weight matrices (f32)");
}

}  // namespace embd::cli
