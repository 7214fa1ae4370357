#pragma once

#include <cstdint>

#include "base/aligned_buffer.h"
#include "engine/kernels/kernels.h"
#include "formats/embd/embd_config.h"

namespace embd {

/// What a forward pass over `tokens` packed tokens writes. Grows when asked for more and is then
/// kept, so that one worker allocates it once.
class Activations {
 public:
  /// Makes room for `tokens` in texts of up to `longest`. The contents are lost. Throws
  /// std::bad_alloc.
  void reserve(const ModelConfig& config, const kernels::Kernels& kernels,
               const kernels::Products& products, std::int64_t tokens, std::int64_t longest);

  float* hidden() const noexcept { return hidden_; }    // [tokens, hidden]
  float* qkv() const noexcept { return qkv_; }          // [tokens, 3 · hidden]
  float* context() const noexcept { return context_; }  // [tokens, hidden]
  /// For one operation at a time.
  float* scratch() const noexcept { return scratch_; }

 private:
  AlignedBuffer buffer_;
  float* hidden_ = nullptr;
  float* qkv_ = nullptr;
  float* context_ = nullptr;
  float* scratch_ = nullptr;
};

}  // namespace embd
