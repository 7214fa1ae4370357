#pragma once

#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "engine/encoder/embeddings.h"
#include "engine/encoder/places.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"

namespace embd {

/// The weights of one layer of the encoder.
struct EncoderLayer {
  kernels::Linear query_key_value;           // [AttentionShape::qkv_width(), hidden]
  kernels::LayerNorm query_norm;             // of each head; without gamma if the layer has none
  kernels::LayerNorm key_norm;               // the same
  kernels::Linear attention_output;          // [hidden, AttentionShape::width()]
  kernels::LayerNorm attention_norm;         // without gamma if the layer has none
  kernels::LayerNorm attention_result_norm;  // the same
  kernels::Linear up;    // [intermediate, hidden]; [2 · intermediate, hidden] with a gate, first
  kernels::Linear down;  // [hidden, intermediate]
  kernels::LayerNorm output_norm;
  kernels::LayerNorm output_result_norm;  // without gamma if the layer has none
};

/// The weights of an encoder, prepared for one set of kernels and one arithmetic. Matrices of any
/// stored type are packed once, into one block of memory (PackedLinear). Immutable.
class Weights {
 public:
  /// Packs the weights on `threads` threads. The file must outlive the weights; `kernels` must
  /// support the arithmetic. `smoothing` are the factors of matrices that are rounded to int8;
  /// without them, the matrices are not smoothed. Fails with unsupported for matrices that are too
  /// wide for it, and for an architecture that no kernels compute, which the message names. Throws
  /// std::bad_alloc.
  static Result<Weights> load(const WeightFile& file, const kernels::Kernels& kernels, int threads,
                              kernels::Arithmetic arithmetic = kernels::Arithmetic::f32,
                              const SmoothingFactors& smoothing = {});

  const ModelSpec& spec() const noexcept { return spec_; }
  /// Returns the linear steps of the kernels that the layers were packed for.
  const kernels::Products& products() const noexcept { return *products_; }
  const Embeddings& embeddings() const noexcept { return embeddings_; }
  /// Returns what attention adds to the scores in every layer.
  kernels::DistanceBias bias() const noexcept { return bias_.view(); }
  /// Returns the attention of layers in which a query does not see all keys.
  const Band& band() const noexcept { return band_; }
  /// Returns the rotation of a layer's queries and keys.
  const Rotation& rotation(std::size_t layer) const noexcept {
    return spec_.architecture.window(layer) == 0 ? rotation_ : local_rotation_;
  }
  /// Returns the norm after the last layer; without gamma if there is none.
  kernels::LayerNorm final_norm() const noexcept { return final_norm_; }
  std::span<const EncoderLayer> layers() const noexcept { return layers_; }

 private:
  Weights() = default;
  /// Makes what depends on the places of tokens: the rotations and the band.
  void make_places();

  ModelSpec spec_;
  const kernels::Products* products_ = nullptr;
  Embeddings embeddings_;
  DistanceBiasTable bias_;
  Band band_;
  Rotation rotation_;
  Rotation local_rotation_;
  kernels::LayerNorm final_norm_ = {};
  AlignedBuffer memory_;  // what layers_ points to
  std::vector<EncoderLayer> layers_;
};

}  // namespace embd
