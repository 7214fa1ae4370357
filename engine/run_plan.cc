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
              fmt::format("the model has no prompt named \"{}\", expected one of {}", name,
                          fmt::join(names, ", ")));
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
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("{} is {}, expected {} to {}, the greatest number of tokens that the model takes",
                  options.length_name, length, spec.least_length(), spec.max_tokens()));
}

Result<void> check_limits(const RunOptions& options) {
  if (options.threads < 0 || options.threads > max_threads) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("threads is {}, expected 0 to {}", options.threads, max_threads));
  }
  if (options.batch_tokens > max_batch_tokens) {
    return fail(ErrorCode::invalid_argument, fmt::format("batch_tokens is {}, expected at most {}",
                                                         options.batch_tokens, max_batch_tokens));
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
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("the prompt is not valid UTF-8: its byte {} is not part of a character",
                      *offset));
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

}  // namespace embd
