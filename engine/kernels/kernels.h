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
// of rows, and K is never split. Where an operation takes a Range, several threads may each compute
// one of their own, with the same bytes again.

namespace embd::kernels {

/// From `begin` up to, not including, `end`; empty where they are equal.
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

/// In what the elements of a product are multiplied.
enum class Arithmetic : std::uint8_t { f32, bf16, int8 };

/// The values of a weight matrix, row-major [out, in], in one of two forms:
///   W[o, k] = values[o, k]                          for f32 and bf16 arithmetic
///   W[o, k] = codes[o, k] · scale[o]                for int8 arithmetic
struct WeightValues {
  std::int64_t out;
  std::int64_t in;
  const float* values = nullptr;
  const std::int8_t* codes = nullptr;
  const float* scale = nullptr;  // [out]
};

/// A weight matrix with its bias: y[rows, out] = x[rows, in] · Wᵀ + bias. `packed` is in the layout
/// of the Products that packed it, 64-byte aligned. Nothing here is owned.
struct Linear {
  const void* packed;
  const float* bias;  // [out]
  std::int64_t in;
  std::int64_t out;
  /// int8 alone: x[:, k] is multiplied by this before it is rounded, [in]; nullptr: by 1.
  const float* inverse_smooth = nullptr;
};

struct LayerNorm {
  const float* gamma;  // [hidden]
  const float* beta;   // [hidden]
  float epsilon;
};

/// The sizes of one text's attention.
struct AttentionShape {
  std::int64_t seq_len;
  std::int64_t num_heads;
  std::int64_t head_dim;
};

/// Attention of one text. qkv [seq_len, 3 · hidden] holds query, key and value of a token one after
/// the other, each [num_heads, head_dim]; context [seq_len, hidden]. context = softmax(q · kᵀ /
/// √head_dim) · v for each of `heads`; only their columns are written.
struct Attention {
  /// Floats of scratch for one text.
  std::size_t (*scratch)(const AttentionShape& shape) noexcept = nullptr;
  void (*compute)(const float* qkv, const AttentionShape& shape, Range heads, float* scratch,
                  float* context) noexcept = nullptr;
};

/// Rows of floats that a product multiplies, row i at x + i · stride.
struct InputRows {
  const float* x;
  std::int64_t rows;
  std::int64_t stride;
};

/// Floats of a row between up() and down(): a cache line more than `size` needs, since rows 6,144
/// bytes apart would share two sets of the first cache.
constexpr std::int64_t middle_stride(std::int64_t size) {
  return (size + 15) / 16 * 16 + 16;
}

/// The products of one arithmetic.
///
/// int8: a row of x is rounded to 256 steps between its least and largest value (0 included), so
/// its step depends on that row alone; W has a step a row. Sums are integers, exact below in =
/// 65,536 (max_depth). bf16: x and W are rounded to nearest even, sums are float32.
struct Products {
  const char* name;  // Of the table, and of the instructions that not every machine of it has.
  /// Rows that go well through two products one after the other with a wide middle between them.
  std::int64_t block_rows;
  /// Output columns that are computed together. `columns` of an operation begins at a multiple of
  /// it, and ends at one or at `out`.
  std::int64_t panel;
  /// The largest `in`.
  std::int64_t max_depth;

  /// Bytes that pack() fills for a matrix [out, in], a multiple of 64.
  std::size_t (*packed_bytes)(std::int64_t out, std::int64_t in) noexcept;
  /// → `packed`, 64-byte aligned.
  void (*pack)(const WeightValues& weight, void* packed) noexcept;

  /// Floats of scratch that each operation below needs for `rows` rows.
  std::size_t (*scratch)(std::int64_t rows, std::int64_t in) noexcept;
  /// y[rows, w.out] = x · Wᵀ + bias; only `columns` of y are written, here and below.
  void (*linear)(const InputRows& x, const Linear& w, Range columns, float* scratch,
                 float* y) noexcept;
  /// y[rows, w.out] = x · Wᵀ + bias + residual; y may be residual.
  void (*linear_add)(const InputRows& x, const Linear& w, Range columns, const float* residual,
                     float* scratch, float* y) noexcept;
  /// middle[rows, w.out] = gelu(x · Wᵀ + bias), by the exact erf, kept in whatever form down() of
  /// the same products reads. Its rows are `stride` floats apart, at least middle_stride(w.out).
  void (*up)(const InputRows& x, const Linear& w, Range columns, float* scratch, float* middle,
             std::int64_t stride) noexcept;
  /// y[rows, w.out] = middle · Wᵀ + bias + residual; y may be residual.
  void (*down)(const InputRows& middle, const Linear& w, Range columns, const float* residual,
               float* scratch, float* y) noexcept;

  /// In the same arithmetic, for texts of up to max_depth tokens. Where there is none, attention is
  /// in float32: Kernels::attention.
  Attention attention = {};
};

/// One KernelProfile. All but the reference have the same bits, those of docs/arithmetic.md.
struct Kernels {
  const char* name;  // As name_of(KernelProfile) has it.

  /// Those of each arithmetic, the fastest first: with instructions that some machines of the
  /// profile have, and last what all of them run. nullptr after the last.
  const Products* f32[1];
  const Products* bf16[2];
  const Products* int8[3];

  /// In float32.
  Attention attention;

  /// x[rows, hidden] = layer_norm(x) in place.
  void (*layer_norm)(float* x, std::int64_t rows, std::int64_t hidden,
                     const LayerNorm& norm) noexcept;

  /// The functions inside attention and up(), in place.
  void (*exp2)(float* x, std::int64_t n) noexcept;
  void (*gelu)(float* x, std::int64_t n) noexcept;

  /// Whether this machine runs it.
  bool supported() const noexcept;
  /// The first that this machine runs, and runs faster than those after it; nullptr if there are
  /// none.
  const Products* products(Arithmetic arithmetic) const noexcept;
  /// The attention that goes with them.
  const Attention& attention_with(const Products& products) const noexcept;
};

/// Whether this machine runs these products of a profile that it runs.
bool is_supported(const Products& products) noexcept;
/// And whether it runs them faster than those that follow in their table.
bool is_preferred(const Products& products) noexcept;

/// The tables of this build, best first. The last is the reference; before it come "portable",
/// which every machine runs, and in a build with EMBD_AMX_MODEL "amx_model".
struct KernelList {
  const Kernels* const* begin;
  const Kernels* const* end;
};
KernelList available_kernels() noexcept;

}  // namespace embd::kernels
