#include "engine/run_plan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

/// The number of tokens of a batch, for which the weights are read once. A larger number gains
/// nothing (docs/decisions/022); with a smaller number, the weights are read more often.
constexpr std::int64_t default_batch_tokens = 384;
constexpr std::size_t max_batch_tokens = std::size_t{1} << 20;
constexpr int max_threads = 1024;
/// The largest number of threads for a single text, a guess (docs/decisions/020): one and two were
/// measured.
constexpr int max_team = 4;

Result<std::string_view> find_prompt(std::string_view name, const ModelSpec& spec) {
  const auto found = std::ranges::find(spec.prompts, name, &Prompt::name);
  if (found != spec.prompts.end()) return found->text;
  std::vector<std::string_view> names;
  for (const Prompt& prompt : spec.prompts) names.push_back(prompt.name);
  return fail(ErrorCode::invalid_argument,
              "the model has no prompt named \"{}\", expected one of {}", name,
              fmt::join(names, ", "));
}

/// Returns the prompt that the options give, as a text or by its name, or else the model's own
/// prompt.
Result<std::string_view> choose_prompt(const RunOptions& options, const ModelSpec& spec) {
  if (options.prompt != nullptr && !options.prompt_name.empty())
    return fail(
        ErrorCode::invalid_argument,
        "both a prompt and the name of a prompt were given, expected at most one of the two");
  if (options.prompt != nullptr) return *options.prompt;
  if (!options.prompt_name.empty()) return find_prompt(options.prompt_name, spec);
  if (spec.default_prompt_name.empty()) return std::string_view();
  return find_prompt(spec.default_prompt_name, spec);
}

Result<std::uint32_t> choose_length(const RunOptions& options, const ModelSpec& spec) {
  const std::uint32_t length = options.max_length.value_or(spec.max_seq_length);
  if (length >= spec.least_length() && length <= spec.max_tokens()) return length;
  return fail(ErrorCode::invalid_argument,
              "{} is {}, expected {} to {}, the greatest number of tokens that the model takes",
              options.length_name, length, spec.least_length(), spec.max_tokens());
}

Result<void> check_limits(const RunOptions& options) {
  if (options.threads < 0 || options.threads > max_threads) {
    return fail(ErrorCode::invalid_argument, "threads is {}, expected 0 to {}", options.threads,
                max_threads);
  }
  if (options.batch_tokens > max_batch_tokens) {
    return fail(ErrorCode::invalid_argument, "batch_tokens is {}, expected at most {}",
                options.batch_tokens, max_batch_tokens);
  }
  return {};
}

}  // namespace

Result<RunPlan> plan_run(const RunOptions& options, const ModelSpec& spec, int available_threads) {
  const std::uint32_t max_length = EMBD_TRY(choose_length(options, spec));
  EMBD_TRY(check_limits(options));
  const std::string_view prompt = EMBD_TRY(choose_prompt(options, spec));
  if (options.strict_utf8) {
    if (const auto offset = find_invalid_utf8(prompt)) {
      return fail(ErrorCode::invalid_argument,
                  "the prompt is not valid UTF-8: its byte {} is not part of a character", *offset);
    }
  }
  return RunPlan{.text = {.max_length = max_length,
                          .truncation_side = options.truncation_side.value_or(spec.truncation_side),
                          .strict_utf8 = options.strict_utf8,
                          .prompt = prompt},
                 .threads = options.threads == 0 ? available_threads : options.threads,
                 .team = std::clamp(options.threads, 1, std::min(max_team, available_threads)),
                 .batch_tokens = options.batch_tokens == 0
                                     ? default_batch_tokens
                                     : static_cast<std::int64_t>(options.batch_tokens),
                 .dedup = options.dedup};
}

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
                "the pooling joined was asked for, but the model's configuration lists only {}: "
                "choose one of the other poolings",
                name_of(spec.pooling, pooling_names));
  }
  const std::uint32_t dim = spec.pooled_dim(pooling);
  if (spec.modules.empty() || dim == spec.modules.front().in) return pooling;
  return fail(ErrorCode::invalid_argument,
              "the pooling {} makes {} components, but the module behind it takes {}: leave the "
              "pooling as the model has it",
              name_of(pooling, pooling_names), dim, spec.modules.front().in);
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
    return fail(ErrorCode::invalid_argument,
                "truncate_dim is {}, expected at most the {} components of the model's vectors",
                options.truncate_dim, full_dim);
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
