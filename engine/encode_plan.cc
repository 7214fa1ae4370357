#include "engine/encode_plan.h"

#include <fmt/core.h>

#include "base/try.h"

namespace embd {
namespace {

Result<void> check_windows(const EncodeOptions& options) {
  if (options.stride > 0 && options.windows == Windows::none)
    return fail(ErrorCode::invalid_argument,
                "stride was given, but texts are not divided into windows: choose windows, or "
                "leave stride out");
  if (options.truncation_side && options.windows != Windows::none)
    return fail(ErrorCode::invalid_argument,
                "truncation_side was given, but texts are divided into windows and not truncated: "
                "leave one of the two out");
  return {};
}

}  // namespace

Result<EncodePlan> plan_encoding(const EncodeOptions& options, const ModelSpec& spec,
                                 int available_threads) {
  RunOptions of_run = run_options_of(options);
  if (options.windows != Windows::none) of_run.length_name = "a window's length";
  const RunPlan run = EMBD_TRY(plan_run(of_run, spec, available_threads));
  if (options.truncate_dim > spec.hidden) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("truncate_dim is {}, expected at most the {} components of the model's vectors",
                    options.truncate_dim, spec.hidden));
  }
  EMBD_TRY(check_windows(options));
  const bool is_cut = options.truncate_dim != 0 && options.truncate_dim != spec.dim;
  return EncodePlan{.run = run,
                    .pooling = {.pooling = options.pooling.value_or(spec.pooling),
                                .normalize = options.normalize.value_or(spec.normalize),
                                .dim = is_cut ? options.truncate_dim : spec.dim,
                                .pooled_dim = is_cut ? options.truncate_dim : spec.hidden},
                    .windows = options.windows,
                    .stride = options.stride};
}

}  // namespace embd
