#include "engine/encode_plan.h"

#include <fmt/core.h>

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
/// [CLS], one token of the text, [SEP].
constexpr std::uint32_t min_length = 3;

}  // namespace

Result<EncodePlan> plan_encoding(const EncodeOptions& options, const ModelConfig& config,
                                 int available_threads) {
  const std::uint32_t max_length = options.max_length.value_or(config.max_seq_length);
  if (max_length < min_length || max_length > config.max_positions) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("max_length {} is not between {} and the model's {} positions",
                            max_length, min_length, config.max_positions));
  }
  if (options.truncate_dim > config.hidden) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("truncate_dim {} is more than the model's {} components",
                            options.truncate_dim, config.hidden));
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
  if (options.strict_utf8) {
    if (const auto offset = find_invalid_utf8(options.prompt)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("the prompt is not UTF-8 at its byte {}", *offset));
    }
  }
  return EncodePlan{.max_length = max_length,
                    .pooling = options.pooling.value_or(config.pooling),
                    .normalize = options.normalize.value_or(config.normalize),
                    .dim = options.truncate_dim == 0 ? config.hidden : options.truncate_dim,
                    .prompt = options.prompt,
                    .threads = options.threads == 0 ? available_threads : options.threads,
                    .team = std::clamp(options.threads, 1, std::min(max_team, available_threads)),
                    .batch_tokens = options.batch_tokens == 0
                                        ? default_batch_tokens
                                        : static_cast<std::int64_t>(options.batch_tokens),
                    .strict_utf8 = options.strict_utf8,
                    .windows = options.windows,
                    .stride = options.stride};
}

}  // namespace embd
