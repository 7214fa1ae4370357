#include "cli/options/rerank_options.h"

#include "base/try.h"
#include "cli/options/model_options.h"
#include "cli/options/values.h"
#include "cli/standard_error.h"

namespace embd::cli {
namespace {

void add_score_options(Verb& verb, RerankerOptions& options) {
  ScoreOptions& score = options.score;
  verb.add_option("-m,--model", options.model,
                  "A cross-encoder: EMBD weight file, or a Hugging Face folder")
      .type_name("FILE");
  verb.add_option("--vocab", options.vocab,
                  "vocab.txt or tokenizer.json for a model without its own")
      .type_name("FILE");
  add_number(verb, "--max-length", score.max_length,
             "Tokens a pair is cut to, special ones counted (the model's)");
  add_choice<TruncationSide>(verb, "--truncate-side", score.truncation_side,
                             choices_of(truncation_side_names),
                             "Which end of a text is cut off (the model's)");
  verb.add_option("--prompt", score.prompt, "Put before every query (the model's)")
      .type_name("TEXT");
  verb.add_option("--prompt-name", score.prompt_name,
                  "The prompt by its name in the model's configuration")
      .excludes({"--prompt"})
      .type_name("NAME");
  add_choice<ScoreActivation>(verb, "--activation", score.activation,
                              choices_of(score_activation_names),
                              "What makes a score of a logit; identity: the logit itself (the "
                              "model's)");
  add_threads(verb, score.threads);
  add_number(verb, "--batch-tokens", score.batch_tokens,
             "Tokens a worker takes at a time; changes no byte of the result");
  add_choice<bool>(verb, "--dedup", score.dedup, {{"on", true}, {"off", false}},
                   "Compute pairs with the same tokens once; changes no byte (on)");
  add_compute(verb, options.compute, "Arithmetic of the weight matrices (f32)");
}

void add_ranking_options(Verb& verb, RerankRequest& options) {
  verb.add_option("-q,--query", options.queries, "Rank the texts for this query; repeatable")
      .repeatable()
      .type_name("TEXT");
  verb.add_option("--query-file", options.query_file, "Queries, one a line, or .jsonl")
      .type_name("TEXTS");
  add_number(verb, "-k", options.k, "Texts a query (10)", 1);
  verb.add_flag("--json", options.json, "JSON Lines on a terminal, too, instead of a table");
}

}  // namespace

void add_rerank_options(Verb& verb, RerankRequest& options) {
  add_text_input(verb, options.input);
  verb.add_option("--query-field", options.query_field,
                  "Pairs: field that holds the first text of each (query)")
      .type_name("NAME");
  add_on_truncate(verb, options.on_truncate);
  add_ranking_options(verb, options);
  add_score_options(verb, options.reranker);
  verb.add_option("-o,--output", options.output, "JSON Lines (standard output)").type_name("OUT");
  add_progress(verb, options.progress);
  verb.add_option("--report", options.report, "Pairs: rows, tokens, seconds, threads as JSON")
      .type_name("FILE");
}

void reads_reranker(PathRoles& roles, const RerankerOptions& options) {
  roles.reads("--model", options.model);
  roles.reads("--vocab", options.vocab);
}

Result<Reranker> open_reranker(const RerankerOptions& options) {
  if (options.model.empty()) {
    return fail(ErrorCode::invalid_argument,
                "no model: name a cross-encoder with --model or EMBD_MODEL");
  }
  return Reranker::open(
      options.model, {.vocab = options.vocab, .compute = options.compute.value_or(Compute::f32)});
}

Result<std::optional<Reranker>> open_second_reranker(const std::string& path,
                                                     std::optional<Compute> compute) {
  if (path.empty()) return std::nullopt;
  return open_reranker({.model = path, .compute = compute});
}

void warn_of_cuts(std::uint64_t truncated, std::uint64_t pairs) {
  if (truncated > 0)
    say("embd: warning: {} of {} pairs were cut to the model's length\n", truncated, pairs);
}

}  // namespace embd::cli
