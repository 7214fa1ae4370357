#include <fmt/format.h>

#include "base/messages.h"
#include "base/try.h"
#include "embd/lock.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/printing.h"
#include "jobs/options/job_lists.h"

namespace embd::cli {
namespace {

struct CheckRequest {
  std::string lock;
  CheckOptions check;
};

Result<ExitCode> check(CheckRequest& options) {
  const LockCheck result = EMBD_TRY(check_lock(options.lock, options.check));
  std::string text;
  for (const std::size_t probe : result.differing)
    text += fmt::format("probe {} differs: {:?}\n", probe + 1, result.probes[probe]);
  if (!result.differing.empty() && result.by_kernels) {
    text +=
        "the hashes in the lock file are from an old release, in which each set of kernels "
        "computed slightly different vectors: lock again\n";
  }
  text += fmt::format(
      "{}, {} equal, {} arithmetic, kernels {}\n", counted(result.probes.size(), "probe"),
      result.probes.size() - result.differing.size(), compute_name(result.compute), result.kernels);
  EMBD_TRY(print_to_standard_output(text));
  return result.differing.empty() ? ExitCode::good : ExitCode::difference;
}

}  // namespace

void add_check(Verb& program) {
  auto [verb, options] = program.add_verb(
      "check",
      "Embeds the texts of a lock file again and compares their hashes; exit 5 if they differ",
      check);
  verb.add_option("LOCK", options.lock, "The lock file, which embd lock writes").required();
  add_all_listed(verb, options.check);
}

}  // namespace embd::cli
