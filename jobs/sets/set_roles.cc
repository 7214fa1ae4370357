#include "jobs/sets/set_roles.h"

#include "base/links.h"
#include "base/path_names.h"
#include "formats/vectors/files_beside.h"
#include "formats/vectors/svs/written_files.h"

namespace embd {
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
  if (main.extension() != svs::config_extension) return;
  for (const auto& file : svs::specification_files(main)) roles.writes("beside " + role, file);
}

}  // namespace embd
