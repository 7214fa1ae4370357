#include "engine/encode_plan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

/// The weights are read once for this many. More gains nothing (docs/decisions/022), less has them
/// read more often.
constexpr std::int64_t default_batch_tokens = 384;
constexpr std::size_t max_batch_tokens = std::size_t{1} << 20;
constexpr int max_threads = 1024;
/// More cores than two were never at hand to be measured.
constexpr int max_team = 4;

Result<std::string_view> find_prompt(std::string_view name, const ModelSpec& spec) {
  const auto found = std::ranges::find(spec.prompts, name, &Prompt::name);
  if (found != spec.prompts.end()) return found->text;
  std::vector<std::string_view> names;
  for (const Prompt& prompt : spec.prompts) names.push_back(prompt.name);
  return fail(ErrorCode::invalid_argument,
              fmt::format("the model has no prompt named \"{}\"; it has: {}", name,
                          fmt::join(names, ", ")));
}

/// The prompt itself, or by name, or the model's own.
Result<std::string_view> choose_prompt(const EncodeOptions& options, const ModelSpec& spec) {
  if (options.prompt && !options.prompt_name.empty())
    return fail(ErrorCode::invalid_argument, "a prompt and the name of one are given");
  if (options.prompt) return *options.prompt;
  if (!options.prompt_name.empty()) return find_prompt(options.prompt_name, spec);
  if (spec.default_prompt_name.empty()) return std::string_view();
  return find_prompt(spec.default_prompt_name, spec);
}

}  // namespace

Result<EncodePlan> plan_encoding(const EncodeOptions& options, const ModelSpec& spec,
                                 int available_threads) {
  const std::uint32_t max_length = options.max_length.value_or(spec.max_seq_length);
  if (max_length < spec.least_length() || max_length > spec.max_tokens()) {
    const bool in_windows = options.windows != Windows::none;
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} {} is not between {} and the model's {} positions",
                            in_windows ? "a window's length" : "max_length", max_length,
                            spec.least_length(), spec.max_tokens()));
  }
  if (options.truncate_dim > spec.dim) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("truncate_dim {} is more than the model's {} components",
                            options.truncate_dim, spec.dim));
  }
  if (options.threads < 0 || options.threads > max_threads) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("threads {} is not between 0 and {}", options.threads, max_threads));
  }
  if (options.batch_tokens > max_batch_tokens) {
    return fail(ErrorCode::invalid_argument, fmt::format("batch_tokens {} is more than {}",
                                                         options.batch_tokens, max_batch_tokens));
  }
  if (options.stride > 0 && options.windows == Windows::none) {
    return fail(ErrorCode::invalid_argument, "a stride is one of windows");
  }
  if (options.truncation_side && options.windows != Windows::none) {
    return fail(ErrorCode::invalid_argument, "where there are windows, no side is cut off");
  }
  const std::string_view prompt = EMBD_TRY(choose_prompt(options, spec));
  if (options.strict_utf8) {
    if (const auto offset = find_invalid_utf8(prompt)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("the prompt is not UTF-8 at its byte {}", *offset));
    }
  }
  const bool is_cut = options.truncate_dim != 0 && options.truncate_dim < spec.dim;
  return EncodePlan{.max_length = max_length,
                    .truncation_side = options.truncation_side.value_or(spec.truncation_side),
                    .pooling = options.pooling.value_or(spec.pooling),
                    .normalize = options.normalize.value_or(spec.normalize),
                    .dim = is_cut ? options.truncate_dim : spec.dim,
                    .pooled_dim = is_cut ? options.truncate_dim : spec.hidden,
                    .prompt = prompt,
                    .threads = options.threads == 0 ? available_threads : options.threads,
                    .team = std::clamp(options.threads, 1, std::min(max_team, available_threads)),
                    .batch_tokens = options.batch_tokens == 0
                                        ? default_batch_tokens
                                        : static_cast<std::int64_t>(options.batch_tokens),
                    .dedup = options.dedup,
                    .strict_utf8 = options.strict_utf8,
                    .windows = options.windows,
                    .stride = options.stride};
}

}  // namespace embd
