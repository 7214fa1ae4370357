#include "cli/options/search_options.h"

#include "cli/options/index_options.h"
#include "cli/options/input_options.h"
#include "cli/options/read_options.h"
#include "cli/options/values.h"

namespace embd::cli {
namespace {

void add_query_options(Verb& verb, SearchRequest& options) {
  verb.add_option("-q,--query", options.query_texts, "A text to search for; repeatable")
      .repeatable()
      .type_name("TEXT");
  verb.add_option("--query-file", options.query_file, "Texts to search for, one a line, or .jsonl")
      .type_name("TEXTS");
  verb.add_option("--query-field", options.query_field,
                  "Field of --query-file that holds the query (text)")
      .needs("--query-file")
      .type_name("NAME");
  verb.add_option("--queries", options.queries,
                  "Vectors to search for, such as .npy; packed bits (uint8) for rows of bits")
      .type_name("FILE")
      .excludes({"--query", "--query-file"});
  verb.add_flag("--words", options.words,
                "Queries are words of a .fifu file, as they are where it has no recipe")
      .excludes({"--queries"});
  verb.add_option("--analogy", options.analogies, "A is to B as C is to what? Words of a .fifu")
      .expected(3, 3)
      .excludes({"--queries"})
      .type_name("A B C");
  verb.add_option("--prompt", options.query.prompt,
                  "Put before every query (the model's, of the name query)")
      .type_name("TEXT");
  verb.add_option("--prompt-name", options.query.prompt_name,
                  "The prompt by its name in the model's configuration (query)")
      .excludes({"--prompt"})
      .type_name("NAME");
}

void add_finding_options(Verb& verb, SearchRequest& options) {
  add_number(verb, "-k", options.k, "Hits a query (10)", 1);
  SearchOptions& search = options.search;
  add_number(verb, "--expansion", search.expansion, "HNSW: candidates kept on the way (64)", 1);
  add_number(verb, "--window", search.window, "Vamana: candidates kept on the way (64)", 1);
  add_number(verb, "--capacity", search.capacity, "Vamana: of them, kept for the choice (window)",
             1);
  verb.add_flag("--exact", search.exact, "Compare with every row");
  add_choice<Metric>(verb, "--metric", options.searcher.metric, metric_choices(),
                     "Of a vector set, and of an index that does not say: cos, ip, l2, … (cos)")
      .type_name("METRIC");
  verb.add_option("--filter-ids", options.filter_ids, "Only rows whose id is a line of FILE")
      .type_name("FILE");
  verb.add_option("--texts", options.texts,
                  "Print text i of FILE with a hit of row i, or with --id-field the text of its id")
      .type_name("FILE");
  verb.add_option("--rerank", options.reranker,
                  "Rank the nearest rows by a cross-encoder that reads --texts")
      .needs("--texts")
      .type_name("MODEL");
  add_number(verb, "--candidates", options.candidates, "Rows that --rerank ranks (100)", 1)
      .needs("--rerank");
  verb.add_flag("--json", options.json, "JSON Lines on a terminal, too, instead of a table");
  verb.add_flag("--similarity", options.similarity,
                "JSON Lines: the similarity beside the distance, 1 - distance (cos, ip)");
  verb.add_flag("--force", options.query.force, "Even if queries and rows have different recipes");
  add_threads(verb, search.threads);
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
