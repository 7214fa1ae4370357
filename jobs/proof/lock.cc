#include "embd/lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/guard.h"
#include "base/kernel_profile.h"
#include "base/path_roles.h"
#include "base/try.h"
#include "jobs/outputs/streams.h"
#include "jobs/proof/lock_file.h"
#include "jobs/proof/probed_model.h"
#include "jobs/proof/probes.h"
#include "jobs/recipe_check.h"

namespace embd {
namespace {

/// Returns the path of `model` relative to the folder of the lock file, so that both can be moved
/// together.
std::filesystem::path seen_from(const std::filesystem::path& lock,
                                const std::filesystem::path& model) {
  std::error_code error;
  const auto folder = std::filesystem::weakly_canonical(
      is_stream(lock) ? "." : std::filesystem::absolute(lock).parent_path(), error);
  const auto path = std::filesystem::weakly_canonical(model, error).lexically_proximate(folder);
  return path.empty() ? model : path;
}

/// Returns the recipe without the fields that may differ although the vectors must be equal.
Recipe common_part(Recipe recipe) {
  recipe.instruction_set.clear();
  recipe.embd_version.clear();
  return recipe;
}

/// Returns the lists of hashes in a lock file to which the hashes of `model` may be equal.
Result<std::vector<const std::vector<std::string>*>> hashes_for(const LockFile& lock,
                                                                const ProbedModel& model) {
  std::vector<const std::vector<std::string>*> sets;
  std::vector<std::string_view> names;
  for (const auto& [name, hashes] : lock.sha256) {
    names.push_back(name);
    if (lock.by_kernels || name == compute_name(model.compute())) sets.push_back(&hashes);
  }
  if (!sets.empty()) return sets;
  return fail(ErrorCode::missing,
              fmt::format("the lock file has no hashes for the arithmetic {}, only for {}: choose "
                          "one of these, or write the lock file again",
                          compute_name(model.compute()), fmt::join(names, ", ")));
}

Result<LockCheck> check(const std::filesystem::path& path, const CheckOptions& options) {
  const LockFile lock = EMBD_TRY(LockFile::read(path));
  const std::filesystem::path model_path =
      options.model.empty() ? path.parent_path() / lock.model : options.model;
  const Compute compute = options.compute.value_or(compute_of(lock.recipe).value_or(Compute::f32));
  const auto model =
      EMBD_TRY(open_probed_model(model_path, {.vocab = options.vocab, .compute = compute}));
  const EncodeOptions encode =
      EMBD_TRY(model->options_of(lock.recipe, options.threads, path.native(), options.force));

  const auto locked = EMBD_TRY(in_file(path, hashes_for(lock, *model)));
  LockCheck result = {.kernels = std::string(model->instruction_set()),
                      .compute = compute,
                      .by_kernels = lock.by_kernels,
                      .probes = lock.probes,
                      .differing = {}};
  const auto hashes = EMBD_TRY(model->hashes_of(lock.probes, encode));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool is_equal =
        std::ranges::any_of(locked, [&](const auto* set) { return (*set)[i] == hashes[i]; });
    if (!is_equal) result.differing.push_back(i);
  }
  return result;
}

Result<void> lock(const std::filesystem::path& model_path, const std::filesystem::path& lock_path,
                  const LockOptions& options) {
  if (EMBD_TRY(choose_kernel_profile()) == KernelProfile::reference) {
    return fail(
        ErrorCode::invalid_argument,
        "the environment variable EMBD_KERNELS is reference, but the reference kernels "
        "compute vectors that no other kernels compute: write the lock file with other kernels");
  }
  LockFile lock = {.model = seen_from(lock_path, model_path)};
  lock.probes = options.probes.empty() ? default_probes() : options.probes;
  // The hashes of all arithmetics are stored. check_lock() computes in the arithmetic that its
  // caller chooses.
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    const auto model =
        EMBD_TRY(open_probed_model(model_path, {.vocab = options.vocab, .compute = compute}));
    if (compute == options.compute)
      lock.recipe = common_part(EMBD_TRY(model->recipe(options.encode)));
    lock.sha256[std::string(compute_name(compute))] =
        EMBD_TRY(model->hashes_of(lock.probes, options.encode));
  }
  OutputFile file = EMBD_TRY(open_stream(lock_path));
  EMBD_TRY(file.write(as_bytes(lock.text())));
  return file.finish();
}

}  // namespace

Result<void> lock_model(const std::filesystem::path& model, const std::filesystem::path& path,
                        const LockOptions& options) {
  return guarded([&]() -> Result<void> {
    PathRoles roles;
    roles.reads("the model", model);
    roles.reads("the vocabulary", options.vocab);
    roles.writes("the lock file", path);
    EMBD_TRY(roles.check());
    return lock(model, path, options);
  });
}

Result<LockCheck> check_lock(const std::filesystem::path& path, const CheckOptions& options) {
  return guarded([&] { return check(path, options); });
}

}  // namespace embd
