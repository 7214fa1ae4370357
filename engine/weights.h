#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"

namespace embd {

/// The three embedding tables and the norm over their sum. The word table, half of the model, stays
/// in the mapped file and is read row by row.
class Embeddings {
 public:
  static Result<Embeddings> load(const WeightFile& file);

  /// out[hidden] = word[id] + position[position] + token_type[0], in this order.
  void sum(std::int32_t id, std::int64_t position, std::span<float> out) const noexcept;
  kernels::LayerNorm norm() const noexcept { return {gamma_.data(), beta_.data(), epsilon_}; }

 private:
  WeightMatrix words_;
  std::optional<MatrixView> words_in_place_;
  std::vector<float> positions_;   // [max_positions, hidden]
  std::vector<float> token_type_;  // [hidden]
  std::vector<float> gamma_;
  std::vector<float> beta_;
  float epsilon_ = 0;
};

/// One layer of the encoder.
struct EncoderLayer {
  kernels::Linear query_key_value;   // [3 · hidden, hidden]
  kernels::Linear attention_output;  // [hidden, hidden]
  kernels::LayerNorm attention_norm;
  kernels::Linear up;    // [intermediate, hidden]
  kernels::Linear down;  // [hidden, intermediate]
  kernels::LayerNorm output_norm;
};

/// What a model has learnt, ready for one table of kernels and one arithmetic: matrices of any
/// stored type packed once, in one piece of memory. For int8, matrices stored as int8 are used as
/// they are and others rounded, each row to its own step; otherwise all become float32 first.
/// Immutable.
class Weights {
 public:
  /// Packs on `threads` threads. The file must outlive the weights; `kernels` has products in this
  /// arithmetic. Errors: unsupported for matrices too wide for it. Throws std::bad_alloc.
  static Result<Weights> load(const WeightFile& file, const kernels::Kernels& kernels, int threads,
                              kernels::Arithmetic arithmetic = kernels::Arithmetic::f32);

  const ModelConfig& config() const noexcept { return config_; }
  /// The linear steps that the layers were packed for.
  const kernels::Products& products() const noexcept { return *products_; }
  const Embeddings& embeddings() const noexcept { return embeddings_; }
  std::span<const EncoderLayer> layers() const noexcept { return layers_; }

 private:
  Weights() = default;

  ModelConfig config_;
  const kernels::Products* products_ = nullptr;
  Embeddings embeddings_;
  AlignedBuffer memory_;  // what layers_ points to
  std::vector<EncoderLayer> layers_;
};

}  // namespace embd
