#pragma once

#include <cstddef>
#include <cstdint>

// The operations of the forward pass that are written for each instruction set. They use plain C
// types only. The files that implement them are compiled with flags that no other file may have, so
// they include neither Eigen nor containers (docs/decisions/ says why), and a test compares their
// symbols.
//
// Scratch memory is aligned to 64 bytes. Other pointers to floats need only the alignment of a
// float. The memory of two arguments of an operation must not overlap, unless its comment allows
// it.
//
// Every operation treats each row by itself: the result of a row has the same bytes, whatever other
// rows there are and in which order. So the order in which a row is summed never depends on the
// number of rows, and a sum over K is never split. If an operation takes a Range, several threads
// may each compute a range of their own; the bytes stay the same.

namespace embd::kernels {

/// A range from `begin` up to, but not including, `end`; empty if they are equal.
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

/// The type in which the elements of a matrix product are multiplied.
enum class Arithmetic : std::uint8_t { f32, bf16, int8 };

/// The values of a weight matrix, row-major [out, in], in one of two forms:
///   W[o, k] = values[o, k]                          for f32 and bf16 arithmetic
///   W[o, k] = codes[o, k] · scale[o, k / block]     for int8 arithmetic
struct WeightValues {
  std::int64_t out;
  std::int64_t in;
  const float* values = nullptr;
  const std::int8_t* codes = nullptr;
  const float* scale = nullptr;  // [out, blocks_of(in, block)]
  std::int64_t block = 0;        // as in Linear
};

/// The least number of columns of a block in int8. Blocks have a multiple of it.
constexpr std::int64_t kLeastBlock = 64;

/// Returns the number of blocks of a row of `in` columns; `block` is 0 if there is only one.
constexpr std::int64_t blocks_of(std::int64_t in, std::int64_t block) {
  return block == 0 ? 1 : (in + block - 1) / block;
}

/// A weight matrix with its bias: y[rows, out] = x[rows, in] · Wᵀ + bias. `packed` is in the layout
/// of the Products that packed it, aligned to 64 bytes. The structure owns nothing.
struct Linear {
  const void* packed;
  const float* bias;  // [out]
  std::int64_t in;
  std::int64_t out;
  /// For int8 only: the factor of each column of x, [in], by which x[:, k] is multiplied before it
  /// is rounded. nullptr stands for factors of 1.
  const float* inverse_smooth = nullptr;
  /// For int8 only: the number of columns that share a step, a multiple of kLeastBlock. 0 stands
  /// for all columns.
  std::int64_t block = 0;
};

struct LayerNorm {
  const float* gamma;  // [hidden]
  const float* beta;   // [hidden]
  float epsilon;
  bool subtracts_mean = true;  // false: RMSNorm
};

/// The sizes of the attention of one text.
struct AttentionShape {
  std::int64_t seq_len;
  std::int64_t num_heads;
  std::int64_t head_dim;
  /// The queries whose contexts are computed, of all keys; {0, 0} stands for all.
  Range some_queries = {0, 0};
  /// The number of heads of queries that share a head of keys and values, a divisor of num_heads.
  std::int64_t group = 1;

  constexpr Range queries() const {
    return some_queries.end == 0 ? Range{0, seq_len} : some_queries;
  }
  constexpr std::int64_t key_heads() const { return num_heads / group; }
  /// Returns the number of floats of a row of the context.
  constexpr std::int64_t width() const { return num_heads * head_dim; }
  /// Returns the number of floats of a row of queries, keys and values.
  constexpr std::int64_t qkv_width() const { return (num_heads + 2 * key_heads()) * head_dim; }
  /// key() and value() return where, in a row, the key and the value of a head of queries begin.
  constexpr std::int64_t key(std::int64_t head) const {
    return (num_heads + head / group) * head_dim;
  }
  constexpr std::int64_t value(std::int64_t head) const {
    return key(head) + key_heads() * head_dim;
  }
};

/// The numbers that are added to the scores of attention because of the distance between a key and
/// a query. By default nothing is added.
struct DistanceBias {
  /// The number for head h, query q and key k is values[h · stride + reach + k − q], in powers of
  /// two: it is the bias times log2 e. nullptr stands for 0.
  const float* values = nullptr;
  /// At least 2 · reach + 16, because whole vectors are read; 0 if all heads have the same numbers.
  std::int64_t stride = 0;
  std::int64_t reach = 0;  // the greatest distance

  /// Returns the numbers for a head and a query, one for each key.
  const float* row(std::int64_t head, std::int64_t query) const {
    return values == nullptr ? nullptr : values + head * stride + reach - query;
  }
};

/// The attention of one text. A row of qkv [seq_len, qkv_width] holds the query of a token
/// [num_heads, head_dim], its key and its value, each [key_heads, head_dim]. compute() sets context
/// [seq_len, width] = softmax(q · kᵀ / √head_dim + bias) · v for each of `heads`. It writes only
/// the columns of these heads, and only the rows of the shape's queries.
struct Attention {
  /// Returns the number of floats of scratch memory that one text needs.
  std::size_t (*scratch)(const AttentionShape& shape) noexcept = nullptr;
  void (*compute)(const float* qkv, const AttentionShape& shape, const DistanceBias& bias,
                  Range heads, float* scratch, float* context) noexcept = nullptr;
  /// The least number of tokens of a text for which this attention is used; shorter texts have
  /// attention in float32.
  std::int64_t least_tokens = 0;
};

/// Rows of floats that a product multiplies, row i at x + i · stride.
struct InputRows {
  const float* x;
  std::int64_t rows;
  std::int64_t stride;
};

/// Returns the number of floats from one row to the next between up() and down(). It is a cache
/// line more than `size` needs, because rows 6,144 bytes apart would share two sets of the
/// first-level cache.
constexpr std::int64_t middle_stride(std::int64_t size) {
  return (size + 15) / 16 * 16 + 16;
}

/// The matrix products of one arithmetic.
///
/// In int8, each block of a row of x is rounded to 256 steps from the least value of the row to the
/// largest of the block, 0 included, so the steps depend on this row only. Each block of a row of W
/// has a step, too. The sums of a block are integers, which are exact up to max_depth. In bf16, x
/// and W are rounded to nearest even, and sums are float32.
struct Products {
  const char* name;  // of the kernels, and of the further instructions that these products need
  /// The number of rows that suits two products in succession, up() and down(): the wide rows
  /// between them then stay in the cache.
  std::int64_t block_rows;
  /// The number of output columns that are computed together. The argument `columns` of an
  /// operation must begin at a multiple of this number, and end at a multiple or at `out`.
  std::int64_t panel;
  /// The largest `in`.
  std::int64_t max_depth;
  /// True if bf16 has no instruction of its own here: its products are those of float32, of rounded
  /// numbers, so they are slower than float32.
  bool in_floats;

  /// Returns the number of bytes that pack() fills for a matrix [out, in], a multiple of 64.
  std::size_t (*packed_bytes)(std::int64_t out, std::int64_t in) noexcept;
  /// Packs a weight matrix into `packed`, which must be aligned to 64 bytes.
  void (*pack)(const WeightValues& weight, void* packed) noexcept;

  /// Returns the number of floats of scratch memory that each operation below needs for `rows`
  /// rows.
  std::size_t (*scratch)(std::int64_t rows, std::int64_t in) noexcept;
  /// Computes y[rows, w.out] = x · Wᵀ + bias. Each operation writes only `columns` of its result.
  void (*linear)(const InputRows& x, const Linear& w, Range columns, float* scratch,
                 float* y) noexcept;
  /// y[rows, w.out] = x · Wᵀ + bias + residual; y may be residual.
  void (*linear_add)(const InputRows& x, const Linear& w, Range columns, const float* residual,
                     float* scratch, float* y) noexcept;
  /// Computes middle[rows, w.out] = gelu(x · Wᵀ + bias), where GELU is defined by erf. The result
  /// is stored in a form that only down() of the same products reads. Its rows are `stride` floats
  /// apart, at least middle_stride(w.out).
  void (*up)(const InputRows& x, const Linear& w, Range columns, float* scratch, float* middle,
             std::int64_t stride) noexcept;
  /// y[rows, w.out] = middle · Wᵀ + bias + residual; y may be residual.
  void (*down)(const InputRows& middle, const Linear& w, Range columns, const float* residual,
               float* scratch, float* y) noexcept;

  /// The attention in the same arithmetic, for texts of up to max_depth tokens. Its functions are
  /// null if there is none. Kernels::attention_with() returns the attention to use.
  Attention attention = {};
};

/// The functions of one KernelProfile. All but the reference give the bits that docs/arithmetic.md
/// defines.
struct Kernels {
  const char* name;  // the result of name_of() for the KernelProfile

  /// The products in each arithmetic, the fastest first. The first ones may need instructions that
  /// only some processors of the profile have; all of them run the last one. Unused entries are
  /// null.
  const Products* f32[1];
  const Products* bf16[2];
  const Products* int8[3];

  /// The attention in float32.
  Attention attention;

  /// Computes x[rows, hidden] = layer_norm(x) in place, or RMSNorm.
  void (*layer_norm)(float* x, std::int64_t rows, std::int64_t hidden,
                     const LayerNorm& norm) noexcept;

  /// Compute the functions that attention and up() use, in place.
  void (*exp2)(float* x, std::int64_t n) noexcept;
  void (*gelu)(float* x, std::int64_t n) noexcept;

  /// Returns true if this processor can run these kernels.
  bool supported() const noexcept;
  /// Returns the first products in this arithmetic that is_preferred(); nullptr if there are none.
  const Products* products(Arithmetic arithmetic) const noexcept;
  /// Returns the attention for a text of `tokens` tokens: that of the products, or the one in
  /// float32 if they have none or the text is too short for it.
  const Attention& attention_with(const Products& products, std::int64_t tokens) const noexcept;
};

/// Returns true if this processor can run these products. It must be able to run their profile.
bool is_supported(const Products& products) noexcept;
/// Returns true if this processor can run these products, and runs them faster than the products
/// that follow them in Kernels.
bool is_preferred(const Products& products) noexcept;

/// The kernels of this build, best first. Except for WebAssembly, the last ones are "portable",
/// which every processor runs, and "reference". A build with EMBD_AMX_MODEL has the kernels for
/// tests between these two.
struct KernelList {
  const Kernels* const* begin;
  const Kernels* const* end;
};
KernelList available_kernels() noexcept;

}  // namespace embd::kernels
