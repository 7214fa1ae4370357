#include "jobs/embed/embed_roles.h"

#include "base/try.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/outputs/outputs.h"
#include "vectors/set_roles.h"

namespace embd {

Result<void> add_embed_roles(PathRoles& roles, const std::filesystem::path& input,
                             const std::vector<std::filesystem::path>& outputs,
                             const EmbedOptions& options, const EmbedRoleNames& names) {
  roles.reads("the input", input);
  roles.reads(names.ranges, options.output.int8_ranges);
  for (const std::filesystem::path& path : outputs) {
    const Format& format = *EMBD_TRY(Outputs::format_of(path, options.output));
    writes_vectors(roles, names.output, path, format, options.output.write);
    if (options.part) roles.writes("the manifest", part_manifest_path(path));
  }
  roles.writes(names.row_report, options.row_report);
  if (options.resume && !outputs.empty())
    roles.writes("the journal", journal_path(outputs.front()));
  return {};
}

Result<void> check_embed_roles(const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const EmbedOptions& options) {
  PathRoles roles;
  EMBD_TRY(add_embed_roles(roles, input, outputs, options));
  return roles.check();
}

}  // namespace embd
