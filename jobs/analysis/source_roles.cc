#include "jobs/analysis/source_roles.h"

#include "base/try.h"
#include "jobs/sets/set_roles.h"

namespace embd {

Result<void> add_source_roles(const AnalysisSource& source, const std::string& role,
                              PathRoles& roles) {
  if (EMBD_TRY(holds_texts(source)))
    roles.reads(role, source.path);
  else
    reads_vectors(roles, role, source.path);
  roles.reads("the texts", source.texts);
  return {};
}

}  // namespace embd
