#include "jobs/embed/embed_part.h"

#include <utility>

#include "base/try.h"
#include "formats/text/part_reader.h"
#include "jobs/embed/conditions.h"
#include "jobs/embed/embed_run.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/row_ids.h"

namespace embd {
namespace {

/// Writes the manifest of one output. It is `manifest` with facts that are read from the file of
/// the output.
Result<void> write_manifest(const OutputTarget& output, PartManifest manifest) {
  const std::filesystem::path vectors = output.vectors();
  manifest.vectors = vectors.filename();
  manifest.stored_digest = EMBD_TRY(digest_file(vectors, read_whole_part)).vectors_hex();
  const auto reader = EMBD_TRY(open_vectors(vectors, read_whole_part));
  if (auto recipe = EMBD_TRY(reader->recipe())) manifest.recipe = std::move(*recipe);
  return write_part_manifest(manifest, output.path);
}

/// Returns the plan with the ids that the texts of a part have in the whole job, in which
/// `num_before` texts come before them.
Result<EmbedPlan> numbered(const EmbedPlan& plan, std::uint64_t num_before) {
  EmbedPlan numbered = plan;
  std::optional<std::uint64_t>& start = numbered.options.id_start;
  // Windows without ids are named after the lines of their texts. A part counts lines from the
  // beginning of the whole input, so they need no start.
  const bool is_line = !start && plan.options.encode.windows == Windows::rows;
  if (!has_ids(plan.texts) && !is_line)
    start = EMBD_TRY(number_after(start.value_or(0), num_before));
  return numbered;
}

}  // namespace

Result<EmbedReport> embed_part(const RowMaker& maker, const EmbedPlan& plan, std::stop_token stop) {
  auto conditions = EMBD_TRY(row_conditions(plan));
  PartManifest manifest = {.part = *plan.options.part,
                           .kind = plan.kind,
                           .has_ids = plan.has_ids(),
                           .conditions = std::move(conditions)};
  const auto part = EMBD_TRY(PartReader::open(plan.inputs, plan.texts, manifest.part));
  const EmbedPlan of_part = EMBD_TRY(numbered(plan, part->num_records_before()));
  const WrittenRows done = EMBD_TRY(run_embedding({maker, *part, of_part, {}, std::move(stop)}));
  manifest.rows = done.report.rows;
  manifest.first_text = part->num_records_before();
  manifest.texts = done.num_texts;
  manifest.first_id = done.first_id;
  manifest.last_id = done.last_id;
  manifest.input_bytes = part->bytes_of_whole();
  manifest.input_sha256_before = part->sha256_before();
  manifest.input_sha256_after = part->sha256_so_far();
  manifest.digest = *done.report.digest;
  for (const OutputTarget& output : plan.outputs) EMBD_TRY(write_manifest(output, manifest));
  return done.report;
}

}  // namespace embd
