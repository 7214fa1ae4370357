#include "faces/cli/options/search_options.h"

#include "base/try.h"
#include "faces/cli/options/input_options.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/read_options.h"
#include "faces/cli/options/values.h"
#include "jobs/options/search_list.h"

namespace embd::cli {
namespace {

void add_query_options(Verb& verb, SearchRequest& options) {
  using enum OptionGroup;
  verb.add_option(
          "-q,--query", options.query_texts,
          "A text to search for; repeatable; - reads texts from standard input, one on each line")
      .repeatable()
      .type_name("TEXT")
      .in(search);
  verb.add_option("--query-file", options.query_file,
                  "A file of texts to search for, one on each line, or .jsonl")
      .type_name("TEXTS")
      .in(search);
  verb.add_option("--query-field", options.query_field,
                  "Field of --query-file that holds the query (text)")
      .needs("--query-file")
      .type_name("NAME")
      .in(input);
  verb.add_option(
          "--queries", options.queries,
          "A file of vectors to search for, such as .npy; packed bits (uint8) for rows of bits")
      .type_name("FILE")
      .excludes({"--query", "--query-file"})
      .in(search);
  verb.add_flag("--words", options.words,
                "Queries are words of a .fifu file; the default if the file has no recipe")
      .excludes({"--queries"})
      .in(search);
  verb.add_option("--analogy", options.analogies,
                  "Find the words of a .fifu file that are to C as B is to A")
      .expected(3, 3)
      .excludes({"--queries"})
      .type_name("A B C")
      .in(search);
  add_all_listed(verb, options.query, {"threads", "force"});
  verb.option("--prompt-name").excludes({"--prompt"});
}

void add_finding_options(Verb& verb, SearchRequest& options) {
  using enum OptionGroup;
  add_number(verb, "-k", options.k, "Number of hits for each query (10)", 1).in(search);
  add_all_listed(verb, options.search, {"threads"});
  add_listed<&SearcherOptions::metric>(verb, options.searcher.metric);
  verb.add_option("--filter-ids", options.filter_ids, "Find only rows whose id is a line of FILE")
      .type_name("FILE")
      .in(search);
  verb.add_parsed(
          "--filter",
          [&conditions = options.conditions](const std::string& text) -> Result<void> {
            conditions.add(EMBD_TRY(parse_condition(text)));
            return {};
          },
          "Find only rows whose value in the column is this one, or has another relation to it "
          "(!=, <, <=, >, >=); repeatable: a row must meet all conditions, and of several values "
          "after = it must have one")
      .repeatable()
      .type_name("NAME=VALUE")
      .in(search);
  verb.add_option("--texts", options.texts,
                  "Print text i of FILE with a hit of row i, or with --id-field the text of its id")
      .type_name("FILE")
      .in(search);
  verb.add_option("--rerank", options.reranker,
                  "Rank the nearest rows by a reranker that reads their texts")
      .type_name("MODEL")
      .in(search);
  add_number(verb, "--candidates", options.candidates,
             "Number of rows for each query that --rerank ranks (100)", 1)
      .needs("--rerank")
      .in(search);
  verb.add_flag("--json", options.json, "Print JSON Lines on a terminal, too, instead of a table")
      .in(output);
  verb.add_flag("--similarity", options.similarity,
                "JSON Lines: print the similarity, 1 - distance, beside the distance (cos, ip)")
      .in(output);
  add_listed<&QueryOptions::force>(verb, options.query.force);
  add_threads(verb, options.search.threads);
}

}  // namespace

void add_search_options(Verb& verb, SearchRequest& options) {
  add_query_options(verb, options);
  add_finding_options(verb, options);
  add_text_options(verb, options.input);
  add_read_options(verb, options.searcher.read);
  add_model_options(verb, options.model);
  add_compute(verb, options.model.compute, "Arithmetic of the queries' weight matrices (f32)");
}

}  // namespace embd::cli
