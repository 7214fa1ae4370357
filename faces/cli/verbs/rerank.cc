#include <utility>

#include "base/os/signals.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/rerank.h"
#include "faces/cli/commands.h"
#include "faces/cli/hits.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/printing.h"
#include "formats/text/open_records.h"
#include "jobs/options/job_lists.h"
#include "jobs/options/model_lists.h"
#include "jobs/rerank/score_plan.h"

namespace embd::cli {
namespace {

/// The arguments of `embd rerank`. With queries, the input has documents, which are ranked. Without
/// queries, it has pairs of texts, which are scored.
struct RerankRequest {
  TextInput input;
  RerankerOptions reranker;
  std::vector<std::filesystem::path> outputs;
  OnTruncate on_truncate = OnTruncate::warn;

  ScorePairsOptions pairs;
  bool keep_model_hash = true;
  std::string progress = "auto";
  std::string report;

  std::vector<std::string> queries;
  std::string query_file;
  std::size_t k = 10;
  bool json = false;
  const Verb* verb = nullptr;
};

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

/// Adds all options of `embd rerank` and its input.
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

Result<void> check_options(const RerankRequest& options, bool has_queries) {
  EMBD_TRY(check_needs(*options.verb));
  for (const char* name :
       {"--query-field", "--output-format", "--parquet-compression", "--row-group-rows", "--part",
        "--id-start", "--report", "--row-report", "--progress", "--resume", "--force"}) {
    if (!has_queries || !options.verb->is_given(name)) continue;
    return fail(
        ErrorCode::invalid_argument,
        "{} applies to scoring pairs, but -q or --query-file asks for a ranking: leave {} out",
        name, name);
  }
  if (has_queries && options.outputs.size() > 1)
    return fail(ErrorCode::invalid_argument,
                "a ranking is written to one output, but several outputs were given: name one");
  if (has_queries && options.outputs.front().extension() == ".parquet")
    return fail_in(options.outputs.front(), ErrorCode::invalid_argument,
                   "a ranking is written as JSON Lines, expected a name that ends in .jsonl");
  for (const char* name : {"-k", "--json"}) {
    if (has_queries || !options.verb->is_given(name)) continue;
    return fail(
        ErrorCode::invalid_argument,
        "{} applies to rankings, but no queries were given: name them with -q or --query-file",
        name);
  }
  return {};
}

Result<ScorePlan> plan_of(const RerankRequest& options) {
  auto outputs = EMBD_TRY(outputs_of(*options.verb, options.outputs, options.pairs.output));
  PathRoles others;
  reads_reranker(others, options.reranker);
  others.writes("--report", options.report);
  others.writes("--keep-model-hash", options.reranker.hash_record);
  return plan_scoring(options.input.path, std::move(outputs), options.input.options, options.pairs,
                      std::move(others), {.output = "--output", .row_report = "--row-report"});
}

Result<ExitCode> score_pairs(RerankRequest& options) {
  options.reranker.hash_record = hash_record(options.keep_model_hash);
  options.pairs.score = options.reranker.score;
  Progress progress(options.progress);
  options.pairs.progress = [&](const EmbedProgress& now) { progress.update(now); };
  const ScorePlan plan = EMBD_TRY(plan_of(options));
  const os::Interrupt interrupt;
  const Reranker model = EMBD_TRY(open_reranker(options.reranker));
  const EmbedReport report = EMBD_TRY(score_pairs_file(model, plan, interrupt.token()));
  progress.clear();
  if (options.on_truncate == OnTruncate::warn) warn_of_cuts(report.truncated_rows, report.rows);
  if (options.report.empty()) return ExitCode::good;
  EMBD_TRY(write_report(options.report, report,
                        {.name = model.name(),
                         .kernels = model.instruction_set(),
                         .compute = model.compute(),
                         .threads = options.reranker.score.threads}));
  return ExitCode::good;
}

Result<void> check_paths(const RerankRequest& options) {
  PathRoles roles;
  roles.reads("the input", options.input.path);
  roles.reads("--query-file", options.query_file);
  reads_reranker(roles, options.reranker);
  roles.writes("--output", options.outputs.front());
  return roles.check();
}

/// The texts of the input with their ids, and the file and the line of each.
struct Documents {
  std::vector<Hit> texts;
  std::vector<std::uint64_t> lines;
  std::string file;

  /// Replaces the number of a text in an error by the place where the text stands.
  Error at_place(const Error& error) const {
    if (!error.line()) return error;
    return Error(error.code(), error.what()).at_line(lines[*error.line() - 1]).in_file(file);
  }
};

/// Reads the documents. A text without an id has its number as id.
Result<Documents> read_documents(const TextInput& input, const std::stop_token& stop) {
  const auto reader = EMBD_TRY(open_records(input.path, input.options, stop));
  Documents documents;
  documents.file = reader->name();
  for (Record record; EMBD_TRY(reader->next(record));) {
    const bool has_id = !std::holds_alternative<std::monostate>(record.id);
    documents.lines.push_back(record.line);
    documents.texts.push_back(
        {.id = has_id ? record.id : RecordId(std::uint64_t{documents.texts.size()}),
         .text = record.text});
  }
  return documents;
}

Result<ExitCode> rank_documents(const RerankRequest& options) {
  EMBD_TRY(check_paths(options));
  const os::Interrupt interrupt;
  const Reranker model = EMBD_TRY(open_reranker(options.reranker));
  const std::vector<std::string> queries =
      EMBD_TRY(read_queries({.texts = options.queries,
                             .file = options.query_file,
                             .is_standard_input_taken = options.input.path == "-"},
                            interrupt.token()));
  const Documents documents = EMBD_TRY(read_documents(options.input, interrupt.token()));
  std::vector<std::string_view> texts;
  for (const Hit& document : documents.texts) texts.emplace_back(*document.text);
  Hits hits;
  std::uint64_t truncated = 0;
  std::uint64_t shown = 0;
  for (const std::string& query : queries) {
    std::vector<Hit>& ranked = hits.emplace_back();
    const auto ranking =
        model.rank(query, texts, options.k, options.reranker.score, interrupt.token());
    if (!ranking) return std::unexpected(documents.at_place(ranking.error()));
    for (const RankedDocument& document : *ranking) {
      Hit& hit = ranked.emplace_back(documents.texts[document.index]);
      hit.score = document.score;
      hit.logit = document.logit;
      truncated += document.truncated ? 1 : 0;
      ++shown;
    }
  }
  EMBD_TRY(print_hits(hits, {.queries = queries,
                             .format = options.json ? HitFormat::json : HitFormat::automatic,
                             .output = text_of_path(options.outputs.front())}));
  if (options.on_truncate == OnTruncate::warn) warn_of_cuts(truncated, shown);
  return ExitCode::good;
}

Result<ExitCode> rerank(RerankRequest& options) {
  const bool has_queries = !options.queries.empty() || !options.query_file.empty();
  if (options.outputs.empty()) options.outputs = {"-"};
  EMBD_TRY(check_options(options, has_queries));
  options.reranker.score.refuse_truncated = options.on_truncate == OnTruncate::error;
  return has_queries ? rank_documents(options) : score_pairs(options);
}

}  // namespace

void add_rerank(Verb& program) {
  auto [verb, options] =
      program.add_verb("rerank", "Scores pairs of texts, or ranks texts for queries", rerank);
  add_rerank_options(verb, options);
}

}  // namespace embd::cli
