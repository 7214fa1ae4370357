#include "faces/cli/options/rerank_options.h"

#include "base/counted.h"
#include "base/try.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/values.h"
#include "faces/cli/standard_error.h"
#include "jobs/options/load_list.h"
#include "jobs/options/pairs_list.h"
#include "jobs/options/score_list.h"

namespace embd::cli {
namespace {

void add_score_options(Verb& verb, RerankerOptions& options) {
  verb.add_option("-m,--model", options.model,
                  "A cross-encoder: EMBD weight file, or a Hugging Face folder")
      .type_name("FILE")
      .in(OptionGroup::model);
  add_listed<&LoadOptions::vocab>(verb, options.vocab);
  add_all_listed(verb, options.score);
  verb.option("--prompt-name").excludes({"--prompt"});
  add_compute(verb, options.compute);
}

void add_ranking_options(Verb& verb, RerankRequest& options) {
  verb.add_option("-q,--query", options.queries,
                  "Rank the texts for this query; repeatable; - reads queries from standard input, "
                  "one on each line")
      .repeatable()
      .type_name("TEXT")
      .in(OptionGroup::search);
  verb.add_option("--query-file", options.query_file,
                  "A file of queries, one on each line, or .jsonl")
      .type_name("TEXTS")
      .in(OptionGroup::search);
  add_number(verb, "-k", options.k, "Number of texts for each query (10)", 1)
      .in(OptionGroup::search);
  verb.add_flag("--json", options.json, "Print JSON Lines on a terminal, too, instead of a table")
      .in(OptionGroup::output);
}

void add_pair_options(Verb& verb, RerankRequest& options) {
  ScorePairsOptions& pairs = options.pairs;
  add_some_listed(verb, pairs, {"query_field", "part", "id_start"});
  add_listed<&OutputOptions::format>(verb, pairs.output.format);
  add_all_listed(verb, pairs.output.write.parquet, {"text_column"});
  add_keep_model_hash(verb, options.keep_model_hash);
  add_progress(verb, options.progress);
  verb.add_option("--report", options.report,
                  "Pairs: write the numbers of rows and tokens, the seconds and threads as JSON")
      .type_name("FILE")
      .in(OptionGroup::output);
  add_all_listed(verb, pairs, {"query_field", "part", "id_start"});
}

}  // namespace

void add_rerank_options(Verb& verb, RerankRequest& options) {
  add_text_input(verb, options.input);
  add_pair_options(verb, options);
  add_on_truncate(verb, options.on_truncate);
  add_ranking_options(verb, options);
  add_score_options(verb, options.reranker);
  verb.add_option("-o,--output", options.outputs,
                  "JSON Lines (standard output); of pairs also .parquet, and repeatable")
      .repeatable()
      .type_name("OUT")
      .in(OptionGroup::output);
}

void reads_reranker(PathRoles& roles, const RerankerOptions& options) {
  roles.reads("--model", options.model);
  roles.reads("--vocab", options.vocab);
}

Result<Reranker> open_reranker(const RerankerOptions& options) {
  if (options.model.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        "no model was given: name a reranker with --model or the environment variable EMBD_MODEL");
  }
  Reranker reranker =
      EMBD_TRY(Reranker::open(options.model, {.vocab = options.vocab,
                                              .compute = options.compute.value_or(Compute::f32),
                                              .hash_record = options.hash_record}));
  show_notes(reranker.notes(), true);
  return reranker;
}

Result<std::optional<Reranker>> open_second_reranker(const std::string& path,
                                                     std::optional<Compute> compute) {
  if (path.empty()) return std::nullopt;
  return open_reranker({.model = path, .compute = compute});
}

void warn_of_cuts(std::uint64_t truncated, std::uint64_t pairs) {
  if (truncated > 0)
    say("embd: warning: {} of {} cut to the length that the model takes\n", truncated,
        counted(pairs, "pair"));
}

}  // namespace embd::cli
