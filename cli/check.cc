#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/standard_output.h"
#include "jobs/lock_file.h"
#include "jobs/probes.h"
#include "jobs/recipe_options.h"

namespace embd::cli {
namespace {

struct CheckOptions {
  std::string lock;
  ModelOptions model;
  bool force = false;
};

/// Sets of hashes that `model` may have made.
Result<std::vector<const std::vector<std::string>*>> hashes_for(const LockFile& lock,
                                                                const Model& model) {
  std::vector<const std::vector<std::string>*> sets;
  std::vector<std::string_view> names;
  for (const auto& [name, hashes] : lock.sha256) {
    names.push_back(name);
    if (lock.by_kernels || name == compute_name(model.compute())) sets.push_back(&hashes);
  }
  if (!sets.empty()) return sets;
  return fail(
      ErrorCode::missing,
      fmt::format("no hashes of {} arithmetic, only of {}: choose with --compute, or lock again",
                  compute_name(model.compute()), fmt::join(names, ", ")));
}

Result<ExitCode> check(CheckOptions& options) {
  const LockFile lock = EMBD_TRY(LockFile::read(options.lock));
  if (options.model.model.empty())
    options.model.model = std::filesystem::path(options.lock).parent_path() / lock.model;
  if (options.model.compute.empty()) options.model.compute = lock.recipe.compute;
  const Model model = EMBD_TRY(open_model(options.model));
  const EncodeOptions encode = options_of(lock.recipe, options.model.encode, model);
  EMBD_TRY(check_recipe(lock.recipe, model, encode, options.lock, options.force));

  const auto locked = hashes_for(lock, model);
  if (!locked) return std::unexpected(Error(locked.error()).in_file(options.lock));
  const auto hashes = EMBD_TRY(hashes_of(model, lock.probes, encode));
  std::string report;
  std::size_t num_equal = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (std::ranges::any_of(*locked, [&](const auto* set) { return (*set)[i] == hashes[i]; })) {
      ++num_equal;
    } else {
      report += fmt::format("probe {} differs: {:?}\n", i + 1, lock.probes[i]);
    }
  }
  const bool equal = num_equal == hashes.size();
  if (!equal && lock.by_kernels) {
    report +=
        "its hashes are from a version in which every set of kernels had last bits of its own: "
        "lock again\n";
  }
  report += fmt::format("{} probes, {} equal, {} arithmetic, kernels {}\n", hashes.size(),
                        num_equal, compute_name(model.compute()), model.instruction_set());
  EMBD_TRY(print_to_standard_output(report));
  return equal ? ExitCode::good : ExitCode::difference;
}

}  // namespace

void add_check(Commands& commands) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App& verb = commands.add(commands.app(), "check",
                                "Embeds the probes of a lock file again; exit 5 if they differ",
                                [options] { return check(*options); });
  verb.add_option("LOCK", options->lock, "What embd lock wrote")->required()->type_name("");
  add_model_options(verb, options->model);
  verb.add_option("-t,--threads", options->model.encode.threads,
                  "Busy threads (what affinity and the cgroup allow)")
      ->check(CLI::Range(0, 1 << 16))
      ->type_name("N");
  verb.add_option("--compute", options->model.compute, "Arithmetic (the one it was locked with)")
      ->check(CLI::IsMember({"f32", "bf16", "int8"}))
      ->type_name("f32|bf16|int8");
  verb.add_flag("--force", options->force, "Even if the lock is another model's");
}

}  // namespace embd::cli
