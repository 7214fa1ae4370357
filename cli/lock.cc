#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/kernel_profile.h"
#include "base/output_file.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/standard_output.h"
#include "jobs/lock_file.h"
#include "jobs/probes.h"
#include "text/record_reader.h"

namespace embd::cli {
namespace {

struct LockOptions {
  ModelOptions model;
  std::string output;
  std::string probes;
};

Result<std::vector<std::string>> read_probes(const std::string& path) {
  if (path.empty()) return default_probes();
  const auto reader = EMBD_TRY(embd::open_records(path, {}));
  std::vector<std::string> probes;
  Record record;
  while (EMBD_TRY(reader->next(record))) probes.push_back(record.text);
  if (!probes.empty()) return probes;
  return std::unexpected(Error(ErrorCode::missing, "no text").in_file(path));
}

/// The name of `model` seen from the folder of the lock file, so that both can be moved together.
std::filesystem::path seen_from(const std::string& lock, const std::string& model) {
  std::error_code error;
  const auto folder = std::filesystem::weakly_canonical(
      lock == "-" ? "." : std::filesystem::absolute(lock).parent_path(), error);
  const auto path = std::filesystem::weakly_canonical(model, error).lexically_proximate(folder);
  return path.empty() ? std::filesystem::path(model) : path;
}

/// The recipe without what may differ where the vectors are to be the same.
Recipe common_part(Recipe recipe) {
  recipe.instruction_set.clear();
  recipe.embd_version.clear();
  return recipe;
}

Result<ExitCode> lock(const LockOptions& options) {
  LockFile lock = {.model = seen_from(options.output, options.model.model)};
  lock.probes = EMBD_TRY(read_probes(options.probes));
  // In every arithmetic; the one that is asked for is what `check` will compute in.
  const std::string recipe_compute = options.model.compute.empty() ? "f32" : options.model.compute;
  if (EMBD_TRY(choose_kernel_profile()) == KernelProfile::reference) {
    return fail(ErrorCode::invalid_argument,
                "EMBD_KERNELS=reference: its vectors are those of no other kernels");
  }
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    ModelOptions in_arithmetic = options.model;
    in_arithmetic.compute = compute_name(compute);
    const Model model = EMBD_TRY(open_model(in_arithmetic));
    if (in_arithmetic.compute == recipe_compute) {
      lock.recipe = common_part(EMBD_TRY(model.recipe(options.model.encode)));
    }
    lock.sha256[in_arithmetic.compute] =
        EMBD_TRY(hashes_of(model, lock.probes, options.model.encode));
  }
  if (options.output == "-") {
    EMBD_TRY(print_to_standard_output(lock.text()));
    return ExitCode::good;
  }
  OutputFile file = EMBD_TRY(OutputFile::create(options.output));
  EMBD_TRY(file.write(as_bytes(lock.text())));
  EMBD_TRY(file.finish());
  return ExitCode::good;
}

}  // namespace

void add_lock(Commands& commands) {
  auto options = std::make_shared<LockOptions>();
  CLI::App& verb = commands.add(commands.app(), "lock",
                                "Golden hashes of a model's vectors, a small file to commit",
                                [options] { return lock(*options); });
  verb.add_option("MODEL", options->model.model, "EMBD weight file")->required()->type_name("");
  verb.add_option("-o,--output", options->output, "The lock file; - is standard output")
      ->required()
      ->type_name("LOCK");
  verb.add_option("--probes", options->probes, "Texts to embed, one a line (a set of its own)")
      ->type_name("FILE");
  verb.add_option("--vocab", options->model.vocab, "vocab.txt for a model without its own")
      ->type_name("FILE");
  add_token_options(verb, options->model);
  add_encode_options(verb, options->model);
}

}  // namespace embd::cli
