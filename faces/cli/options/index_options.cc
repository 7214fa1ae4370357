#include "faces/cli/options/index_options.h"

#include "faces/cli/options/listed_options.h"
#include "jobs/options/index_list.h"

namespace embd::cli {

void add_hnsw_options(Verb& verb, IndexOptions& options) {
  add_some_listed(verb, options, {"metric", "scalar", "connectivity", "expansion_add", "builder"});
}

}  // namespace embd::cli
