#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/messages.h"
#include "base/os/signals.h"
#include "base/path_text.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/printing.h"
#include "formats/text/open_records.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/options/job_lists.h"
#include "jobs/outputs/term_output.h"

namespace embd::cli {
namespace {

struct EmbedRequest {
  TextInputs input;
  std::vector<std::filesystem::path> outputs;
  EmbedOptions embed;
  ModelOptions model;
  OnTruncate on_truncate = OnTruncate::warn;
  bool keep_model_hash = true;
  std::string progress = "auto";
  std::string report;
  const Verb* verb = nullptr;
};

void warn(const EmbedRequest& options, const EmbedReport& report) {
  if (report.truncated_rows > 0 && options.on_truncate == OnTruncate::warn)
    say("embd: warning: {} of {} cut to the length that the model takes; --windows N embeds such "
        "texts in parts, and --row-report FILE lists them\n",
        report.truncated_rows, counted(report.rows, "text"));
  if (report.empty_rows > 0)
    say("embd: warning: {} of {} empty; --skip-empty leaves out empty texts\n", report.empty_rows,
        counted(report.rows, "text"));
  if (report.renamed_rows > 0)
    say("embd: warning: {}; the ids, which are the texts, were made unique by #2, #3, …\n",
        counted(report.renamed_rows, "repeated text"));
  say_losses(report.losses);
}

/// Says what becomes a row, if the user may expect another thing: whole documents instead of lines.
void explain_rows(const EmbedRequest& options, const std::vector<std::filesystem::path>& files) {
  const auto has_lines = [&](const std::filesystem::path& file) {
    return options.input.options.format.value_or(input_format_of(file)) == InputFormat::txt;
  };
  if (std::ranges::none_of(files, has_lines)) return;
  if (options.model.encode.windows != Windows::none)
    say("embd: note: each line is a text of its own, and windows do not cross lines\n");
  if (options.input.options.format) return;  // The user knows what a text is.
  for (const std::filesystem::path& path : options.input.paths) {
    std::error_code error;
    if (path.extension() != ".md" && !std::filesystem::is_directory(path, error)) continue;
    return say(
        "embd: note: each line of {0} becomes a row; embd split {0} makes passages of documents\n",
        printable(text_of_path(path)));
  }
}

Result<EmbedPlan> plan_of(const EmbedRequest& options) {
  auto paths = options.outputs;
  auto terms = EMBD_TRY(take_term_index(paths));
  auto outputs = EMBD_TRY(
      outputs_of(*options.verb, paths, options.embed.output, /*has_terms=*/!terms.empty()));
  PathRoles others;
  reads_model(others, options.model);
  others.writes("--report", options.report);
  others.writes("--keep-model-hash", options.model.hash_record);
  auto files = EMBD_TRY(input_files(paths_or_standard_input(options.input.paths)));
  return plan_embedding(
      {std::move(files), std::move(outputs), std::move(terms), options.input.options,
       options.embed},
      std::move(others),
      {.output = "--output", .ranges = "--output-ranges", .row_report = "--row-report"});
}

Result<ExitCode> embed(EmbedRequest& options) {
  if (options.outputs.empty()) options.outputs = {"-"};
  options.model.hash_record = hash_record(options.keep_model_hash);
  EMBD_TRY(check_needs(*options.verb));
  options.embed.encode = options.model.encode;
  options.embed.refuse_truncated = options.on_truncate == OnTruncate::error;
  EmbedPlan plan = EMBD_TRY(plan_of(options));
  explain_rows(options, plan.inputs);
  const os::Interrupt interrupt;
  const Model model = EMBD_TRY(open_model(options.model));
  Progress progress(options.progress);
  plan.options.progress = [&](const EmbedProgress& now) { progress.update(now); };
  const EmbedReport report = EMBD_TRY(embed_file(model, plan, interrupt.token()));
  progress.clear();
  if (!options.report.empty())
    EMBD_TRY(write_report(options.report, report,
                          {.name = model.name(),
                           .kernels = model.instruction_set(),
                           .compute = model.compute(),
                           .threads = options.model.encode.threads,
                           .dim = model.dim()}));
  warn(options, report);
  return ExitCode::good;
}

void add_run_options(Verb& verb, EmbedRequest& options) {
  add_some_listed(verb, options.embed, {"part", "id_start"});
  add_dedup(verb, options.model);
  add_on_truncate(verb, options.on_truncate);
  add_keep_model_hash(verb, options.keep_model_hash);
  add_progress(verb, options.progress);
  verb.add_option("--report", options.report,
                  "Write the numbers of rows and tokens, the seconds, threads and kernels as JSON")
      .type_name("FILE")
      .in(OptionGroup::output);
  add_all_listed(verb, options.embed, {"section_fields", "column_fields", "part", "id_start"});
}

}  // namespace

void add_embed(Verb& program) {
  auto [verb, options] = program.add_verb("embed", "Computes the vectors of texts", embed);
  add_text_inputs(verb, options.input, "INPUT");
  add_token_ids_field(verb, options.input.options);
  verb.add_option(
          "-o,--output", options.outputs,
          "Where to write; repeat for several formats in one pass, such as .terms, the index of "
          "words, beside vectors (standard output)")
      .repeatable()
      .type_name("OUT")
      .in(OptionGroup::output);
  add_output_options(verb, options.embed.output, "output_format");
  add_some_listed(verb, options.embed, {"section_fields", "column_fields"});
  add_listed<&ParquetOptions::texts>(verb, options.embed.output.write.parquet.texts);
  add_all_listed(verb, options.embed.terms);
  add_model_options(verb, options.model);
  add_token_options(verb, options.model);
  add_window_options(verb, options.model);
  add_encode_options(verb, options.model);
  add_run_options(verb, options);
}

}  // namespace embd::cli
