#include "jobs/analysis/source_roles.h"

#include "base/try.h"
#include "jobs/sets/set_roles.h"

namespace embd {

Result<void> add_source_roles(const AnalysisSource& source, const std::string& role,
                              PathRoles& roles) {
  if (EMBD_TRY(holds_texts(source))) {
    for (const std::filesystem::path& file : EMBD_TRY(input_files(source.paths)))
      roles.reads(role, file);
  } else {
    reads_vectors(roles, role, source.path());
  }
  roles.reads("the texts", source.texts);
  return {};
}

}  // namespace embd
