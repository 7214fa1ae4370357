#include "native/encoding_work.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace embd::python {
namespace {

/// The number of values of the last layer up to which encoding is short. A slow core computes them
/// in 50 ms. It is 128 tokens for a model with 384 components.
constexpr std::uint64_t short_values = 128 * 384;
/// The number of bytes of text that the tokenizer reads in a millisecond.
constexpr std::uint64_t short_bytes = 16384;
/// The special tokens of a text, [CLS] and [SEP].
constexpr std::uint64_t num_special_tokens = 2;

std::string_view prompt_of(const Model& model, const EncodeOptions& options) {
  if (options.prompt) return *options.prompt;
  const std::string& name =
      options.prompt_name.empty() ? model.default_prompt_name() : options.prompt_name;
  const auto prompt = std::ranges::find(model.prompts(), name, &Prompt::name);
  return prompt == model.prompts().end() ? std::string_view() : prompt->text;
}

/// Returns the number of tokens that a longer text is cut to.
std::uint64_t limit_of(const Model& model, const EncodeOptions& options) {
  const std::uint32_t limit = options.max_length.value_or(model.max_length());
  return limit == 0 ? std::numeric_limits<std::uint64_t>::max() : limit;
}

}  // namespace

bool is_short(const Model& model, std::span<const std::string_view> texts,
              const EncodeOptions& options) {
  const std::size_t prompt_bytes = prompt_of(model, options).size();
  const std::uint64_t limit = limit_of(model, options);
  std::uint64_t bytes = 0;
  std::uint64_t tokens = 0;
  for (const std::string_view text : texts) {
    const std::uint64_t text_bytes = prompt_bytes + text.size();
    const std::uint64_t most = text_bytes + num_special_tokens;  // a token has at least one byte
    if (most > limit && options.windows != Windows::none) return false;
    bytes += text_bytes;
    tokens += std::min(most, limit);
    if (bytes > short_bytes || tokens * model.dim() > short_values) return false;
  }
  return true;
}

}  // namespace embd::python
