#include <fmt/format.h>

#include "base/counted.h"
#include "base/try.h"
#include "embd/lock.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/printing.h"

namespace embd::cli {
namespace {

struct CheckRequest {
  std::string lock;
  std::string model;
  std::string vocab;
  CheckOptions check;
};

Result<ExitCode> check(CheckRequest& options) {
  options.check.model = options.model;
  options.check.vocab = options.vocab;
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
  verb.add_option("-m,--model", options.model, "EMBD weight file (the one that the lock names)")
      .type_name("FILE")
      .in(OptionGroup::model);
  verb.add_option("--vocab", options.vocab,
                  "The vocab.txt or tokenizer.json of a model whose weight file has no vocabulary")
      .type_name("FILE")
      .in(OptionGroup::model);
  add_threads(verb, options.check.threads);
  add_compute(verb, options.check.compute, "Arithmetic of the weight matrices (the lock file's)");
  verb.add_flag("--force", options.check.force,
                "Check even if the lock file belongs to another model")
      .in(OptionGroup::running);
}

}  // namespace embd::cli
