#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/prompt.h"
#include "embd/recipe.h"
#include "formats/weights/embd/embd_tensor.h"

namespace embd {

/// Sizes and rules of a model, as its file's metadata state them.
struct ModelConfig {
  std::string name;        ///< "all-MiniLM-L6-v2"
  std::string version;     ///< "1.0.0"
  std::string created_at;  ///< ISO 8601
  std::uint32_t hidden = 0;
  std::uint32_t num_layers = 0;
  std::uint32_t num_heads = 0;  ///< divides `hidden`
  std::uint32_t intermediate = 0;
  std::uint32_t vocab_size = 0;
  std::uint32_t max_positions = 0;
  std::uint32_t max_seq_length = 0;  ///< tokens a text is cut to; 3 to max_positions
  double layer_norm_eps = 1e-12;
  Pooling pooling = Pooling::mean;
  bool normalize = true;
  bool do_lower_case = true;  ///< false keeps case and accents
  TruncationSide truncation_side = TruncationSide::right;
  /// "query" and "document" are always among them, with no text where the model has none.
  std::vector<Prompt> prompts;
  std::string default_prompt_name;  ///< one of `prompts`, or empty: none
  /// Leading components of a vector that are kept, after it was normalised; at most `hidden`.
  std::uint32_t dim = 0;
  std::string similarity;  ///< what the model was trained for, such as "cosine"; empty: not said

  std::uint32_t head_dim() const noexcept { return hidden / num_heads; }
  bool operator==(const ModelConfig&) const = default;
};

/// One metadata entry. A view into the file.
struct MetadataEntry {
  std::string_view key;
  std::string_view value;
  std::uint64_t value_at = 0;  ///< absolute offset of the value

  bool operator==(const MetadataEntry&) const = default;
};

/// The typed metadata. `section_at` is the metadata section's offset, named for a missing key;
/// other errors name the value's. Errors: metadata_key_missing, metadata_number, metadata_value,
/// metadata_contradiction (numbers that contradict each other).
Result<ModelConfig> parse_config(std::span<const MetadataEntry> entries, std::uint64_t section_at);

/// What a tensor is for, which decides the types it may have.
enum class TensorRole : std::uint8_t {
  word_table,  ///< f32, f16, bf16, i8 with scale
  table,       ///< f32, f16, bf16
  matrix,      ///< f32, f16, bf16, i8 with scale; may be smoothed
  vector       ///< f32
};

struct RequiredTensor {
  std::string name;
  TensorShape shape;
  TensorRole role;
};

bool is_allowed(TensorRole role, ElementType type) noexcept;

/// Calls `visit` with each tensor the model needs, in the order of the format's document, until one
/// call fails; its error is returned.
Result<void> for_each_required_tensor(
    const ModelConfig& config, const std::function<Result<void>(const RequiredTensor&)>& visit);

}  // namespace embd
