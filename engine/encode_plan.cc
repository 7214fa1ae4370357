#include "engine/encode_plan.h"

#include <fmt/core.h>

#include <algorithm>

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

Result<Pooling> choose_pooling(const EncodeOptions& options, const ModelSpec& spec) {
  const Pooling pooling = options.pooling.value_or(spec.pooling);
  if (pooling == Pooling::joined && spec.pooling != Pooling::joined) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the pooling joined was asked for, but the model's configuration "
                            "lists only {}: choose one of the other poolings",
                            name_of(spec.pooling, pooling_names)));
  }
  const std::uint32_t dim = spec.pooled_dim(pooling);
  if (spec.modules.empty() || dim == spec.modules.front().in) return pooling;
  return fail(ErrorCode::invalid_argument,
              fmt::format("the pooling {} makes {} components, but the module behind it takes {}: "
                          "leave the pooling as the model has it",
                          name_of(pooling, pooling_names), dim, spec.modules.front().in));
}

}  // namespace

Result<EncodePlan> plan_encoding(const EncodeOptions& options, const ModelSpec& spec,
                                 int available_threads) {
  RunOptions of_run = run_options_of(options);
  if (options.windows != Windows::none) of_run.length_name = "a window's length";
  const RunPlan run = EMBD_TRY(plan_run(of_run, spec, available_threads));
  const Pooling pooling = EMBD_TRY(choose_pooling(options, spec));
  const std::uint32_t full_dim = spec.modules.empty() ? spec.pooled_dim(pooling) : spec.full_dim();
  if (options.truncate_dim > full_dim) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("truncate_dim is {}, expected at most the {} components of the model's vectors",
                    options.truncate_dim, full_dim));
  }
  EMBD_TRY(check_windows(options));
  const std::uint32_t own_dim =
      spec.dim < spec.full_dim() ? std::min(spec.dim, full_dim) : full_dim;
  const bool is_cut = options.truncate_dim != 0 && options.truncate_dim != own_dim;
  return EncodePlan{.run = run,
                    .pooling = {.pooling = pooling,
                                .joined = spec.joined_poolings,
                                .normalize = options.normalize.value_or(spec.normalize),
                                .dim = is_cut ? options.truncate_dim : own_dim,
                                .pooled_dim = is_cut ? options.truncate_dim : full_dim},
                    .windows = options.windows,
                    .stride = options.stride};
}

}  // namespace embd
