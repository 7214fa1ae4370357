#include <fmt/format.h>

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

std::string names_of(const LockFile& lock) {
  std::string names;
  for (const auto& [kernels, hashes] : lock.sha256) names += (names.empty() ? "" : ", ") + kernels;
  return names;
}

Result<ExitCode> check(CheckOptions& options) {
  const LockFile lock = EMBD_TRY(LockFile::read(options.lock));
  if (options.model.model.empty())
    options.model.model = std::filesystem::path(options.lock).parent_path() / lock.model;
  if (!lock.recipe.compute.empty()) options.model.compute = lock.recipe.compute;
  const Model model = EMBD_TRY(open_model(options.model));
  const EncodeOptions encode = options_of(lock.recipe, options.model.encode, model);
  EMBD_TRY(check_recipe(lock.recipe, model, encode, options.lock, options.force));

  const std::string kernels(model.instruction_set());
  const auto locked = lock.sha256.find(kernels);
  if (locked == lock.sha256.end()) {
    return std::unexpected(
        Error(ErrorCode::missing,
              fmt::format("no hashes of the kernels {}, only of {}: set EMBD_KERNELS to one of "
                          "them, or lock again here",
                          kernels, names_of(lock)))
            .in_file(options.lock));
  }
  const auto hashes = EMBD_TRY(hashes_of(model, lock.probes, encode));
  std::string differing;
  std::size_t num_equal = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (hashes[i] == locked->second[i]) {
      ++num_equal;
    } else {
      differing += fmt::format("probe {} differs: {:?}\n", i + 1, lock.probes[i]);
    }
  }
  EMBD_TRY(print_to_standard_output(differing + fmt::format("{} probes, {} equal, kernels {}\n",
                                                            hashes.size(), num_equal, kernels)));
  return differing.empty() ? ExitCode::good : ExitCode::difference;
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
  verb.add_flag("--force", options->force, "Even if the lock is another model's");
}

}  // namespace embd::cli
