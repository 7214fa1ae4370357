#pragma once

#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "engine/encoder/embeddings.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"

namespace embd {

/// One layer of the encoder.
struct EncoderLayer {
  kernels::Linear query_key_value;   // [3 · hidden, hidden]
  kernels::Linear attention_output;  // [hidden, hidden]
  kernels::LayerNorm attention_norm;
  kernels::Linear up;    // [intermediate, hidden]
  kernels::Linear down;  // [hidden, intermediate]
  kernels::LayerNorm output_norm;
};

/// The learnt values of an encoder, ready for one table of kernels and one arithmetic: matrices of
/// any stored type packed once, in one piece of memory (PackedLinear). Immutable.
class Weights {
 public:
  /// Packs on `threads` threads. The file must outlive the weights; `kernels` has products in this
  /// arithmetic. Errors: unsupported for matrices too wide for it. Throws std::bad_alloc.
  static Result<Weights> load(const WeightFile& file, const kernels::Kernels& kernels, int threads,
                              kernels::Arithmetic arithmetic = kernels::Arithmetic::f32);

  const ModelSpec& spec() const noexcept { return spec_; }
  /// The linear steps that the layers were packed for.
  const kernels::Products& products() const noexcept { return *products_; }
  const Embeddings& embeddings() const noexcept { return embeddings_; }
  std::span<const EncoderLayer> layers() const noexcept { return layers_; }

 private:
  Weights() = default;

  ModelSpec spec_;
  const kernels::Products* products_ = nullptr;
  Embeddings embeddings_;
  AlignedBuffer memory_;  // what layers_ points to
  std::vector<EncoderLayer> layers_;
};

}  // namespace embd
