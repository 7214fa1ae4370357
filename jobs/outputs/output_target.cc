#include "jobs/outputs/output_target.h"

#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/files_beside.h"
#include "formats/vectors/formats.h"
#include "jobs/options/option.h"
#include "jobs/outputs/streams.h"
#include "jobs/sets/format_table.h"

namespace embd {

std::filesystem::path OutputTarget::vectors() const {
  return format->output_path(without_trailing_slash(path), options.write);
}

void OutputTarget::add_roles(PathRoles& roles, const std::string& role) const {
  writes_vectors(roles, role, path, *format, options.write);
}

Result<OutputTarget> resolve_output(const std::filesystem::path& path,
                                    const OutputOptions& options) {
  OutputTarget target = {.path = path, .options = options, .is_stream = is_stream(path)};
  if (is_standard_output(path) && options.format.empty()) {
    target.format = &jsonl::format;
    return target;
  }
  target.format = EMBD_TRY(format_for_output(path, options.format));
  // The name of a stream need not match the format, because no one finds the data by that name
  // later.
  if (!target.is_stream) EMBD_TRY(check_name(path, *target.format));
  return target;
}

Result<std::vector<OutputTarget>> resolve_outputs(const std::vector<std::filesystem::path>& paths,
                                                  const OutputOptions& options) {
  std::vector<OutputTarget> targets;
  for (const std::filesystem::path& path : paths)
    targets.push_back(EMBD_TRY(resolve_output(path, options)));
  return targets;
}

std::string_view output_type_name(OutputType type) noexcept {
  return name_of(type, output_type_names);
}

void reads_vectors(PathRoles& roles, const std::string& role, const std::filesystem::path& path) {
  if (path.empty()) return;
  roles.reads(role, path);
  if (is_written_in_place(path)) return;
  for (const auto& file : files_beside(follow_links(without_trailing_slash(path))))
    roles.reads("beside " + role, file);
}

void writes_vectors(PathRoles& roles, const std::string& role, const std::filesystem::path& path,
                    const Format& format, const WriteOptions& options) {
  if (path == "-" || is_written_in_place(path)) return roles.writes(role, path);
  const std::filesystem::path named = format.output_path(without_trailing_slash(path), options);
  roles.writes(role, named == without_trailing_slash(path) ? path : named);
  const std::filesystem::path main = follow_links(named);
  for (const auto& file : files_beside(main)) roles.writes("beside " + role, file);
  if (main.extension() != path_of_text(svs::config_extension)) return;
  for (const auto& file : svs::specification_files(main)) roles.writes("beside " + role, file);
}

}  // namespace embd
