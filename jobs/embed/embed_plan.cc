#include "jobs/embed/embed_plan.h"

#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/outputs/streams.h"
#include "jobs/outputs/term_output.h"

namespace embd {
namespace {

/// Checks that no path that is written is also read, or written for another purpose.
Result<void> check_roles(const EmbedPlan& plan, PathRoles roles, const EmbedRoleNames& names) {
  for (const std::filesystem::path& input : plan.inputs) roles.reads("the input", input);
  roles.reads(names.ranges, plan.options.output.int8_ranges);
  for (const OutputTarget& output : plan.outputs) {
    output.add_roles(roles, names.output);
    if (plan.options.part) roles.writes("the manifest", part_manifest_path(output.path));
  }
  roles.writes("the term index", plan.terms);
  roles.writes(names.row_report, plan.options.row_report);
  if (plan.options.resume) roles.writes("the journal", journal_path(plan.outputs.front().path));
  return roles.check();
}

/// Checks that no output is a stream, because a stream cannot be read again to be resumed or
/// joined. `who` is the subject of the message.
Result<void> check_no_streams(const EmbedPlan& plan, std::string_view who) {
  for (const OutputTarget& output : plan.outputs) {
    if (!output.is_stream) continue;
    return fail(ErrorCode::invalid_argument, "{} needs outputs that are files, but an output is {}",
                who, stream_name(output.path));
  }
  return {};
}

/// Checks that an output can hold a part.
Result<void> check_part_output(const OutputTarget& output, const EmbedPlan& plan) {
  if (find_invalid_utf8(text_of_path(output.path.filename()))) {
    return fail_in(output.path, ErrorCode::invalid_argument,
                   "the name of the output is not valid UTF-8, so the manifest of a part, which is "
                   "JSON, cannot store it: choose another name");
  }
  if (output.format->needs_ids && !plan.has_ids()) {
    return fail(
        ErrorCode::invalid_argument,
        "the format {} names each row by its text, but a part does not know the texts of other "
        "parts: give the rows ids, or choose another format and convert after joining",
        output.format->name);
  }
  return check_part_manifest(*plan.options.part, output.path);
}

Result<void> check_options(const EmbedPlan& plan) {
  const EmbedOptions& options = plan.options;
  if (plan.outputs.empty())
    return fail(ErrorCode::invalid_argument, "no output was given, expected at least one");
  if (options.id_start && has_ids(plan.texts))
    return fail(ErrorCode::invalid_argument,
                "ids can be numbered, read from a field or made from the names of files, but more "
                "than one of these was asked for: choose one");
  if (plan.needs_ids()) {
    return fail(
        ErrorCode::invalid_argument,
        "the rows of windows are named by the line numbers of their texts, which are not unique in "
        "several files: give the texts ids, for instance from the names of their files");
  }
  if (options.resume) EMBD_TRY(check_no_streams(plan, "a run that can be resumed"));
  if (!options.part) return {};
  EMBD_TRY(check_no_streams(plan, "a part"));
  if (!plan.terms.empty())
    return fail_in(plan.terms, ErrorCode::invalid_argument,
                   "term indexes of parts cannot be joined: index the texts after joining the "
                   "parts");
  for (const OutputTarget& output : plan.outputs) EMBD_TRY(check_part_output(output, plan));
  return {};
}

}  // namespace

Result<EmbedOutputs> embed_outputs(std::vector<std::filesystem::path> outputs,
                                   const OutputOptions& options) {
  EmbedOutputs resolved;
  resolved.terms = EMBD_TRY(take_term_index(outputs));
  resolved.sets = EMBD_TRY(resolve_outputs(outputs, options));
  return resolved;
}

bool EmbedPlan::has_ids() const noexcept {
  return embd::has_ids(texts) || options.id_start || options.encode.windows == Windows::rows;
}

bool EmbedPlan::needs_ids() const noexcept {
  return inputs.size() > 1 && options.encode.windows == Windows::rows && !embd::has_ids(texts) &&
         !options.id_start;
}

Result<EmbedPlan> plan_embedding(EmbedPlan plan, PathRoles others, const EmbedRoleNames& names) {
  EMBD_TRY(check_options(plan));
  EMBD_TRY(check_roles(plan, std::move(others), names));
  const EmbedOptions& options = plan.options;
  plan.fields = EMBD_TRY(RowFields::create(options.section_fields, options.column_fields));
  plan.texts.fields = plan.fields.field_names();
  plan.texts.number_fields = plan.fields.number_names();
  return plan;
}

}  // namespace embd
