#pragma once

#include <cstdint>
#include <string>

#include "embd/enum_names.h"

namespace embd {

/// A prompt of a model's configuration: its name, such as "query", and the text to put before each
/// text, such as "query: ".
struct Prompt {
  std::string name;
  std::string text;

  bool operator==(const Prompt&) const = default;
};

/// The end at which a text that is longer than max_length is cut: right drops its last tokens, left
/// its first.
enum class TruncationSide : std::uint8_t { right, left };
/// The words for the ends in files and options.
inline constexpr EnumNames<TruncationSide, 2> truncation_side_names = {
    {{"right", TruncationSide::right}, {"left", TruncationSide::left}}};

/// The function that turns the logits of a cross-encoder into scores.
enum class ScoreActivation : std::uint8_t {
  identity,  ///< the score is the logit, any number
  sigmoid    ///< 1 / (1 + exp(-logit)), from 0 to 1
};
/// The words for the activations in files and options.
inline constexpr EnumNames<ScoreActivation, 2> score_activation_names = {
    {{"identity", ScoreActivation::identity}, {"sigmoid", ScoreActivation::sigmoid}}};

/// The subject of a note about a model.
enum class NoteKind : std::uint8_t {
  /// The folder does not say how vectors are made of the tokens' rows. The mean is taken.
  assumed_pooling,
  /// Models of this family expect prompts before texts, but the configuration names none.
  missing_prompts,
  /// Opening took more than a second, because a folder was converted.
  slow_opening,
  /// This processor computes bf16 more slowly than f32.
  slow_arithmetic,
};
/// The words for the subjects in Python.
inline constexpr EnumNames<NoteKind, 4> note_kind_names = {
    {{"assumed_pooling", NoteKind::assumed_pooling},
     {"missing_prompts", NoteKind::missing_prompts},
     {"slow_opening", NoteKind::slow_opening},
     {"slow_arithmetic", NoteKind::slow_arithmetic}}};

/// Something that a user should know about a model that was opened, although it is no error.
struct ModelNote {
  NoteKind kind = NoteKind::assumed_pooling;
  std::string text;  ///< A sentence without a full stop.

  bool operator==(const ModelNote&) const = default;
};

/// The size of a model.
struct ModelSize {
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;   ///< attention heads of each layer
  std::uint32_t hidden = 0;  ///< components of a token's row between layers
  /// The number of components between the two linear steps of a feed-forward block.
  std::uint32_t intermediate = 0;
  std::uint64_t parameters = 0;  ///< values of all tensors together
  /// The size in bytes of the weight file, or of the one that a model folder is converted to.
  std::uint64_t file_bytes = 0;

  /// Returns the number of multiplications in the layers' matrix products for one token. It allows
  /// a rough comparison of the time that two models take.
  std::uint64_t multiplications_a_token() const noexcept {
    const std::uint64_t width = hidden;
    return layers * (4 * width * width + 2 * width * intermediate);
  }
  bool operator==(const ModelSize&) const = default;
};

}  // namespace embd
