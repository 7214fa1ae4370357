#include "jobs/embed/embed_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/stopped.h"
#include "base/try.h"
#include "jobs/embed/conditions.h"
#include "jobs/embed/embed_sink.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/embed/record_stream.h"
#include "jobs/outputs/outputs.h"
#include "jobs/outputs/place_columns.h"
#include "jobs/outputs/streams.h"

namespace embd {
namespace {

/// Returns the recipe of the outputs. Hashing the model for it takes longer than embedding a
/// sentence. So the model is not hashed if all outputs are JSON Lines on standard output, which
/// have no place for a recipe.
Result<Recipe> recipe_of(const EmbedRun& run) {
  const EmbedOptions& options = run.plan.options;
  const auto is_output = [](const OutputTarget& output) { return is_standard_output(output.path); };
  const bool has_room = options.resume || !options.output.format.empty() ||
                        !std::ranges::all_of(run.plan.outputs, is_output);
  Recipe recipe;
  if (has_room) {
    recipe = EMBD_TRY(run.maker.recipe());
    // The model's prompt is put before texts, but not before token ids.
    if (run.reader.has_token_ids()) recipe.prompt.clear();
  } else {
    recipe.truncate_dim = run.maker.dim();
  }
  recipe.input_sha256 = run.input_sha256;
  const std::string_view type = output_type_name(options.output.type);
  if (!type.empty()) recipe.output_type = type;
  return recipe;
}

Result<Journal> open_journal(const EmbedRun& run, const Recipe& recipe) {
  const Conditions conditions = EMBD_TRY(run_conditions(run.plan, recipe));
  return Journal::open(journal_path(run.plan.outputs.front().path), conditions, recipe.truncate_dim,
                       run.plan.options.restart);
}

/// Writes all rows in the journal, including those of earlier runs, to the outputs.
Result<void> write_outputs(Journal& journal, Outputs& outputs, const std::stop_token& stop) {
  return journal.for_each([&](const RowBatch& batch) -> Result<void> {
    if (stop.stop_requested()) return fail_stopped();
    return outputs.append(batch);
  });
}

Result<Report> make_rows(const EmbedRun& run, RecordStream& records, Outputs& outputs,
                         Journal* journal, std::uint64_t& num_texts) {
  const EmbedOptions& options = run.plan.options;
  EmbedSink sink(records, outputs, journal,
                 {.id_start = options.id_start,
                  .refuse_truncated = options.refuse_truncated,
                  .window_rows = options.encode.windows == Windows::rows,
                  .max_length = run.maker.max_length(),
                  .too_long = run.maker.too_long(),
                  .progress = options.progress});
  if (journal != nullptr) EMBD_TRY(sink.resume());
  auto report = run.maker.make_rows(records, sink, run.stop);
  num_texts = sink.num_texts();
  return report;
}

/// Returns true if each row is made of one text, and each text makes one row.
bool has_text_of_its_own(const EmbedPlan& plan) {
  return plan.kind == RowKind::vector && plan.options.encode.windows != Windows::rows;
}

/// Sets the columns of an output: those of the job that its format can hold.
void set_columns(const RowFields& fields, bool places, OutputTarget& target) {
  WriteOptions& write = target.options.write;
  const Room room = target.format->room(target.path, write);
  write.columns = fields.columns();
  if (room.text_columns) write.text_columns = fields.text_columns();
  if (!room.places || !places) return;
  for (NumberColumn& column : place_columns()) write.columns.push_back(std::move(column));
}

Result<Outputs> create_outputs(const EmbedRun& run, const Recipe& recipe) {
  const EmbedPlan& plan = run.plan;
  const bool are_windows = plan.options.encode.windows == Windows::rows;
  const bool have_places = are_windows && !run.reader.has_token_ids();
  std::vector<OutputTarget> targets = plan.outputs;
  for (OutputTarget& target : targets) {
    target.options.write.recipe = recipe;
    target.options.write.index.threads = plan.options.encode.threads;
    set_columns(plan.fields, have_places, target);
    target.options.write.kind = plan.kind;
  }
  // A digest is bound to a model, so there is none if the model was not hashed.
  std::optional<Recipe> digest_recipe;
  if (!recipe.model_sha256.empty()) digest_recipe = recipe;
  return Outputs::create(targets, {.rows = {.dim = recipe.truncate_dim},
                                   .fields = plan.fields,
                                   .places = have_places,
                                   .row_report = plan.options.row_report,
                                   .digest_recipe = std::move(digest_recipe),
                                   .digest_texts = has_text_of_its_own(plan)});
}

/// Gives the outputs the hash of the input, which the reader has computed while reading. Fails with
/// io_failed if it is not the hash that was known before, because then the input has changed.
Result<void> take_input_hash(const EmbedRun& run, Outputs& outputs) {
  const std::string hash = run.reader.sha256();
  if (!run.input_sha256.empty() && hash != run.input_sha256) {
    return fail_in(
        run.reader.name(), ErrorCode::io_failed,
        "the file was changed while it was read: try again when no other program changes it");
  }
  outputs.set_input_sha256(hash);
  return {};
}

/// Removes the manifests of a part's vectors, which are about to be replaced.
Result<void> remove_manifests(const EmbedPlan& plan) {
  if (!plan.options.part) return {};
  for (const OutputTarget& output : plan.outputs) EMBD_TRY(remove_part_manifest(output.path));
  return {};
}

}  // namespace

Result<WrittenRows> run_embedding(const EmbedRun& run) {
  const auto start = std::chrono::steady_clock::now();
  const Recipe recipe = EMBD_TRY(recipe_of(run));
  // Outputs are created before the journal is opened. If they are refused, no journal is left
  // behind, and an existing one is not begun anew.
  Outputs outputs = EMBD_TRY(create_outputs(run, recipe));
  std::optional<Journal> journal;
  if (run.plan.options.resume) journal.emplace(EMBD_TRY(open_journal(run, recipe)));
  RecordStream records(run.reader, outputs.needs_texts(/*have_ids=*/false) || journal);

  WrittenRows done;
  const Report report =
      EMBD_TRY(make_rows(run, records, outputs, journal ? &*journal : nullptr, done.num_texts));
  EMBD_TRY(take_input_hash(run, outputs));
  if (journal) EMBD_TRY(write_outputs(*journal, outputs, run.stop));
  EMBD_TRY(outputs.prepare());
  EMBD_TRY(remove_manifests(run.plan));
  EMBD_TRY(outputs.finish());
  if (journal) EMBD_TRY(journal->remove());
  done.report = {
      .rows = outputs.num_rows(),
      .resumed_rows = outputs.num_rows() - std::min(outputs.num_rows(), report.rows),
      .tokens = report.tokens,
      .truncated_rows = outputs.num_truncated(),
      .empty_rows = outputs.num_blank(),
      .repeated_rows = report.repeated_rows,
      .renamed_rows = outputs.num_renamed(),
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
      .digest = outputs.digest(),
      .losses = outputs.losses()};
  done.first_id = outputs.first_id();
  done.last_id = outputs.last_id();
  return done;
}

}  // namespace embd
