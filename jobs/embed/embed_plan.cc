#include "jobs/embed/embed_plan.h"

#include <fmt/format.h>

#include "base/try.h"
#include "base/utf8.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/outputs/streams.h"

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
  roles.writes(names.row_report, plan.options.row_report);
  if (plan.options.resume) roles.writes("the journal", journal_path(plan.outputs.front().path));
  return roles.check();
}

/// Checks that no output is a stream, because a stream cannot be read again to be resumed or
/// joined. `who` is the subject of the message.
Result<void> check_no_streams(const EmbedPlan& plan, std::string_view who) {
  for (const OutputTarget& output : plan.outputs) {
    if (!output.is_stream) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} needs outputs with names, not {}", who, stream_name(output.path)));
  }
  return {};
}

/// Checks that an output can hold a part.
Result<void> check_part_output(const OutputTarget& output, const EmbedPlan& plan) {
  if (find_invalid_utf8(output.path.filename().native())) {
    return fail_in(output.path, ErrorCode::invalid_argument,
                   "a part's manifest, which is JSON, keeps no name that is not UTF-8");
  }
  if (output.format->needs_ids && !plan.has_ids()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} names rows by their texts, among which a part does not know those "
                            "of the others: give the rows ids, or join parts of another format",
                            output.format->name));
  }
  return check_part_manifest(*plan.options.part, output.path);
}

Result<void> check_options(const EmbedPlan& plan) {
  const EmbedOptions& options = plan.options;
  if (plan.outputs.empty())
    return fail(ErrorCode::invalid_argument, "no output was given, expected at least one");
  if (options.id_start && has_ids(plan.texts))
    return fail(ErrorCode::invalid_argument,
                "ids are numbered, read from a field or made of the file's name: expected only one "
                "of these");
  if (plan.needs_ids()) {
    return fail(ErrorCode::invalid_argument,
                "windows are named after the lines of their texts, which several files have: give "
                "the texts ids, such as their files' names");
  }
  if (options.resume) EMBD_TRY(check_no_streams(plan, "what is to be resumed"));
  if (!options.part) return {};
  EMBD_TRY(check_no_streams(plan, "a part"));
  for (const OutputTarget& output : plan.outputs) EMBD_TRY(check_part_output(output, plan));
  return {};
}

}  // namespace

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
