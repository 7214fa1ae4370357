#include "faces/cli/options/read_options.h"

#include "faces/cli/options/listed_options.h"
#include "jobs/options/read_list.h"

namespace embd::cli {

void add_read_options(Verb& verb, ReadOptions& options) {
  add_all_listed(verb, options);
}

}  // namespace embd::cli
