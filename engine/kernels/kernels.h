#pragma once

#include <cstddef>
#include <cstdint>

// The operations of the forward pass that are worth an instruction set of their own. Plain C types
// only: the files that implement the table are compiled with flags that no other file may see, so
// they include neither Eigen nor containers (docs/decisions/ says why), and a test compares their
// symbols.
//
// Scratch is 64-byte aligned; other pointers to float need only a float's alignment, and no two of
// an operation overlap except where it says so.
//
// Every operation treats a row by itself: with `rows` packed tokens in any order and number, a
// row's result has the same bytes. So the order of the sum over a row never depends on the number
// of rows, and K is never split.

namespace embd::kernels {

/// A weight matrix with its bias: y[rows, out] = x[rows, in] · Wᵀ + bias. `packed` is in the layout
/// of the table that packed it, 64-byte aligned. Nothing here is owned.
struct Linear {
  const void* packed;
  const float* bias;  // [out]
  std::int64_t in;
  std::int64_t out;
};

struct LayerNorm {
  const float* gamma;  // [hidden]
  const float* beta;   // [hidden]
  float epsilon;
};

struct Kernels {
  const char* name;  // "reference", "avx2", "avx512"
  bool (*supported)() noexcept;

  /// Bytes that pack() fills for a matrix [out, in], a multiple of 64.
  std::size_t (*packed_bytes)(std::int64_t out, std::int64_t in) noexcept;
  /// `weight` [out, in] row-major → `packed`, 64-byte aligned.
  void (*pack)(const float* weight, std::int64_t out, std::int64_t in, void* packed) noexcept;

  /// y[rows, w.out] = x · Wᵀ + bias
  void (*linear)(const float* x, std::int64_t rows, const Linear& w, float* y) noexcept;

  /// y[rows, w.out] = layer_norm(x · Wᵀ + bias + residual); y may be residual.
  void (*linear_add_norm)(const float* x, std::int64_t rows, const Linear& w, const float* residual,
                          const LayerNorm& norm, float* y) noexcept;

  /// Floats of scratch that feed_forward needs for `rows` rows.
  std::size_t (*feed_forward_scratch)(std::int64_t rows, std::int64_t hidden,
                                      std::int64_t intermediate) noexcept;
  /// y[rows, hidden] = layer_norm(gelu(x · Upᵀ + bias) · Downᵀ + bias + x), gelu by the exact erf;
  /// y may be x.
  void (*feed_forward)(const float* x, std::int64_t rows, const Linear& up, const Linear& down,
                       const LayerNorm& norm, float* scratch, float* y) noexcept;

  /// Floats of scratch that attention needs for one text.
  std::size_t (*attention_scratch)(std::int64_t seq_len, std::int64_t num_heads,
                                   std::int64_t head_dim) noexcept;
  /// One text, all heads. qkv [seq_len, 3 · hidden] holds query, key and value of a token one after
  /// the other, each [num_heads, head_dim]; context [seq_len, hidden]. context = softmax(q · kᵀ /
  /// √head_dim) · v for each head.
  void (*attention)(const float* qkv, std::int64_t seq_len, std::int64_t num_heads,
                    std::int64_t head_dim, float* scratch, float* context) noexcept;

  /// x[rows, hidden] = layer_norm(x) in place.
  void (*layer_norm)(float* x, std::int64_t rows, std::int64_t hidden,
                     const LayerNorm& norm) noexcept;

  /// The functions inside attention() and feed_forward(), in place.
  void (*exp2)(float* x, std::int64_t n) noexcept;
  void (*gelu)(float* x, std::int64_t n) noexcept;
};

/// The tables of this build, best first; the last is "reference", which every machine supports.
struct KernelList {
  const Kernels* const* begin;
  const Kernels* const* end;
};
KernelList available_kernels() noexcept;

/// The best supported table, or the one EMBD_KERNELS names. nullptr if that name is unknown or its
/// instructions are missing here: the caller says so.
const Kernels* choose_kernels() noexcept;

}  // namespace embd::kernels
