#include <fmt/format.h>

#include "base/messages.h"
#include "base/try.h"
#include "embd/lock.h"
#include "embd/texts.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/printing.h"
#include "jobs/options/job_lists.h"

namespace embd::cli {
namespace {

struct LockRequest {
  ModelOptions model;
  std::string output;
  std::string probes;
};

Result<std::vector<std::string>> read_probes(const std::string& path) {
  std::vector<std::string> probes;
  if (path.empty()) return probes;
  const auto reader = EMBD_TRY(open_records(path));
  Record record;
  while (EMBD_TRY(reader->next(record))) probes.push_back(record.text);
  if (!probes.empty()) return probes;
  return fail_in(path, ErrorCode::missing,
                 "the file contains no text to embed, expected one text on each line");
}

Result<void> check_paths(const LockRequest& options) {
  PathRoles roles;
  roles.reads("--probes", options.probes);
  roles.writes("--output", options.output);
  return roles.check();
}

Result<ExitCode> lock(const LockRequest& options) {
  EMBD_TRY(check_paths(options));
  LockOptions lock = {.vocab = options.model.vocab,
                      .compute = options.model.compute.value_or(Compute::f32),
                      .encode = options.model.encode};
  lock.probes = EMBD_TRY(read_probes(options.probes));
  EMBD_TRY(lock_model(options.model.model, options.output, lock));
  return ExitCode::good;
}

}  // namespace

void add_lock(Verb& program) {
  auto [verb, options] = program.add_verb(
      "lock", "Writes the hashes of a model's vectors to a small file that can be committed", lock);
  verb.add_option("MODEL", options.model.model, "EMBD weight file").required();
  verb.add_option("-o,--output", options.output, "The lock file; - is standard output")
      .required()
      .type_name("LOCK")
      .in(OptionGroup::output);
  constexpr auto probes = option_of<&LockOptions::probes>();
  verb.add_option(names_of(probes), options.probes, std::string(probes.help))
      .type_name(std::string(probes.value))
      .in(probes.group);
  add_listed<&LockOptions::vocab>(verb, options.model.vocab);
  add_token_options(verb, options.model);
  add_encode_options(verb, options.model);
}

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
