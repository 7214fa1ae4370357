#pragma once

#include <cstddef>
#include <stop_token>

#include "engine/encoder/activations.h"
#include "engine/encoder/residual.h"
#include "engine/encoder/weights.h"

namespace embd {

/// The forward pass of the layers that an Architecture describes, over packed texts. Every step
/// treats tokens independently, except attention, which treats the rows of each text together.
/// Immutable; every call needs its own Activations.
class Encoder {
 public:
  /// Both arguments must outlive the encoder.
  Encoder(const Weights& weights, const kernels::Kernels& kernels)
      : weights_(weights), kernels_(kernels) {}

  std::size_t hidden() const noexcept { return weights_.spec().hidden; }

  /// Runs all layers. The result is activations.hidden() [tokens, hidden]. Ids must be inside the
  /// vocabulary, types below the number of token types, and lengths at most the spec's
  /// max_tokens(). The work of each step is shared by `threads` threads; the result has the same
  /// bytes for any number. After a stop request, a single thread ends after its current layer, and
  /// there is no result. Throws std::bad_alloc.
  void forward(const PackedTexts& texts, Activations& activations, int threads = 1,
               const std::stop_token& stop = {}) const;

  /// The two parts of forward(). embed() allocates the activations for a team of `threads` members,
  /// each of which then calls layer(). A norm behind the last layer is not part of them. If
  /// `largest` is given, the inputs of the layer are noted there.
  void embed(const PackedTexts& texts, Activations& activations, int threads = 1) const;
  void layer(std::size_t index, const PackedTexts& texts, const Activations& activations,
             const TeamMember& member = {}, LargestInputs* largest = nullptr) const;

 private:
  /// Norms the heads of queries and keys in activations.qkv(), if the model does, and rotates them,
  /// if it does.
  void rotate(std::size_t index, const PackedTexts& texts, const Activations& activations,
              const TeamMember& member) const;
  /// Computes the context of the rows from activations.qkv().
  void attend(std::size_t index, const PackedTexts& texts, const Activations& activations,
              const TeamMember& member) const;
  /// Norms some of the heads of queries and, behind them, of keys in the rows of a text.
  void norm_heads(const EncoderLayer& layer, const kernels::AttentionShape& shape,
                  kernels::Range heads, float* qkv) const;
  /// Normalizes the rows of the last layer, if the model does.
  void norm_last(const PackedTexts& texts, const Activations& activations,
                 const TeamMember& member) const;

  const Weights& weights_;
  const kernels::Kernels& kernels_;
};

}  // namespace embd
