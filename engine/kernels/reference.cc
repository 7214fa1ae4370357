#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

#include "engine/kernels/kernels.h"

// The reference with which the other tables are compared. It computes in another way: with Eigen
// arrays of a fixed size, compiled for the oldest processors of the platform. The size is fixed
// because Eigen's own products and reductions choose their order of summation by the number of rows
// and by the alignment of a pointer, and a row must depend on neither. Here every sum over K runs
// from 0 to K, and every sum over a row is in double precision.

namespace embd::kernels {
namespace {

/// The number of output columns that are computed together. A packed matrix is [out / 16, in, 16],
/// with zeros at the end.
constexpr std::int64_t kLanes = 16;
using Lanes = Eigen::Array<float, kLanes, 1>;
using PanelRow = Eigen::Map<const Lanes, Eigen::Aligned64>;

/// The number of rows whose sums fit in the registers of a processor with 16 registers.
constexpr std::int64_t kTileRows = 2;
/// The number of rows that share a panel of weights while it is in the first-level cache.
constexpr std::int64_t kBlockRows = 32;

constexpr std::int64_t round_up(std::int64_t n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

/// A matrix somewhere in memory: element (i, j) is data[i · row_stride + j · col_stride].
struct Strided {
  const float* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
};

void pack_panels(Strided weight, std::int64_t out, std::int64_t in, float* packed) noexcept {
  for (std::int64_t first = 0; first < out; first += kLanes) {
    for (std::int64_t k = 0; k < in; ++k) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const std::int64_t o = first + lane;
        *packed++ = o < out ? weight.data[o * weight.row_stride + k * weight.col_stride] : 0.0F;
      }
    }
  }
}

/// The operands of a matrix product: `columns` of y[rows, …] = x · Wᵀ + bias + residual, where bias
/// and residual may be absent.
struct Product {
  const float* x;
  std::int64_t x_stride;
  const float* panels;
  std::int64_t in;
  Range columns;
  const float* bias;
  const float* residual;  // stride as y
  float* y;
  std::int64_t y_stride;
};

template <std::int64_t kRows>
void multiply_tile(const Product& p, std::int64_t row, std::int64_t column) noexcept {
  const float* x = p.x + row * p.x_stride;
  const float* panel = p.panels + column * p.in;
  std::array<Lanes, kRows> sums;
  for (Lanes& sum : sums) sum.setZero();
  for (std::int64_t k = 0; k < p.in; ++k) {
    const Lanes w = PanelRow(panel + k * kLanes);
    for (std::int64_t r = 0; r < kRows; ++r) sums[r] += x[r * p.x_stride + k] * w;
  }
  const std::int64_t lanes = std::min(kLanes, p.columns.end - column);
  for (std::int64_t r = 0; r < kRows; ++r) {
    const std::int64_t at = (row + r) * p.y_stride + column;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      float value = sums[r][lane];
      if (p.bias != nullptr) value += p.bias[column + lane];
      if (p.residual != nullptr) value += p.residual[at + lane];
      p.y[at + lane] = value;
    }
  }
}

void multiply(const Product& p, std::int64_t rows) noexcept {
  for (std::int64_t first = 0; first < rows; first += kBlockRows) {
    const std::int64_t last = std::min(rows, first + kBlockRows);
    for (std::int64_t column = p.columns.begin; column < p.columns.end; column += kLanes) {
      std::int64_t row = first;
      for (; row + kTileRows <= last; row += kTileRows) multiply_tile<kTileRows>(p, row, column);
      for (; row < last; ++row) multiply_tile<1>(p, row, column);
    }
  }
}

Product product(const InputRows& x, const Linear& w, Range columns, const float* residual, float* y,
                std::int64_t y_stride) noexcept {
  return {.x = x.x,
          .x_stride = x.stride,
          .panels = static_cast<const float*>(w.packed),
          .in = w.in,
          .columns = columns,
          .bias = w.bias,
          .residual = residual,
          .y = y,
          .y_stride = y_stride};
}

/// Returns GELU, computed in double precision, because erf for floats may call an exp that differs
/// between machines in its last bit.
float gelu(float x) noexcept {
  return static_cast<float>(0.5 * x * std::erfc(-x * (1 / std::numbers::sqrt2)));
}

/// Replaces the first `n` floats of a row by exp((x − max) · scale) / sum. The rest of the last
/// lanes is overwritten, too.
/// `bias` is null or has the numbers to add, times log2 e.
void softmax(float* row, std::int64_t n, float scale, const float* bias) noexcept {
  if (bias != nullptr) {
    for (std::int64_t i = 0; i < n; ++i) {
      row[i] =
          static_cast<float>(row[i] * static_cast<double>(scale) + bias[i] / std::numbers::log2e);
    }
    scale = 1;
  }
  const float max = *std::max_element(row, row + n);
  std::fill(row + n, row + round_up(n), max);
  double sum = 0;
  for (std::int64_t first = 0; first < n; first += kLanes) {
    Eigen::Map<Lanes, Eigen::Aligned64> lanes(row + first);
    lanes = ((lanes - max) * scale).exp();
    for (std::int64_t i = first; i < std::min(n, first + kLanes); ++i) sum += row[i];
  }
  const auto inverse = static_cast<float>(1 / sum);
  for (std::int64_t i = 0; i < n; ++i) row[i] *= inverse;
}

void layer_norm(float* x, std::int64_t rows, std::int64_t hidden, const LayerNorm& norm) noexcept {
  for (float* row = x; row != x + rows * hidden; row += hidden) {
    double sum = 0;
    for (std::int64_t i = 0; i < hidden; ++i) sum += row[i];
    const double mean = norm.subtracts_mean ? sum / static_cast<double>(hidden) : 0;
    double squares = 0;
    for (std::int64_t i = 0; i < hidden; ++i) squares += (row[i] - mean) * (row[i] - mean);
    const double inverse =
        1 / std::sqrt(squares / static_cast<double>(hidden) + static_cast<double>(norm.epsilon));
    for (std::int64_t i = 0; i < hidden; ++i) {
      row[i] = static_cast<float>((row[i] - mean) * inverse) * norm.gamma[i] + norm.beta[i];
    }
  }
}

/// The products in float32, with weights in panels.
struct F32 {
  static constexpr std::int64_t kMaxDepth = INT64_MAX;

  static std::size_t packed_bytes(std::int64_t out, std::int64_t in) noexcept {
    return static_cast<std::size_t>(round_up(out) * in) * sizeof(float);
  }
  static void pack(const WeightValues& weight, void* packed) noexcept {
    pack_panels({weight.values, weight.in, 1}, weight.out, weight.in, static_cast<float*>(packed));
  }
  static std::size_t scratch(std::int64_t /*rows*/, std::int64_t /*in*/) noexcept { return 0; }
  static void multiply(const Product& p, std::int64_t rows, const Linear& /*w*/,
                       float* /*scratch*/) noexcept {
    kernels::multiply(p, rows);
  }
};

/// The products in int8. A packed matrix has the codes as given,
/// row-major, then the scales of all blocks.
struct Int8 {
  static constexpr std::int64_t kMaxDepth = 65'536;

  static std::size_t packed_bytes(std::int64_t out, std::int64_t in) noexcept {
    return static_cast<std::size_t>((out * in + out * blocks_of(in, kLeastBlock) * 4 + 63) / 64 *
                                    64);
  }
  static void pack(const WeightValues& weight, void* packed) noexcept {
    auto* codes = static_cast<std::int8_t*>(packed);
    std::copy_n(weight.codes, weight.out * weight.in, codes);
    std::memcpy(codes + weight.out * weight.in, weight.scale,
                static_cast<std::size_t>(weight.out * blocks_of(weight.in, weight.block)) * 4);
  }
  /// The codes of a row, then the step of each block.
  static std::size_t scratch(std::int64_t /*rows*/, std::int64_t in) noexcept {
    return static_cast<std::size_t>((in + 3) / 4 + blocks_of(in, kLeastBlock));
  }

  static void multiply(const Product& p, std::int64_t rows, const Linear& w,
                       float* scratch) noexcept {
    auto* const codes = reinterpret_cast<std::uint8_t*>(scratch);
    auto* const steps = scratch + (w.in + 3) / 4;
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* const x = p.x + r * p.x_stride;
      float low = 0;
      for (std::int64_t k = 0; k < w.in; ++k) low = std::min(low, smoothed(w, x, k));
      if (!(low > -1e38F)) low = 0;
      for (std::int64_t b = 0; b < blocks_of(w.in, w.block); ++b)
        steps[b] = round_block(w, x, columns_of(w, b), low, codes);
      for (std::int64_t o = p.columns.begin; o < p.columns.end; ++o) {
        float value = product_of(w, o, codes, steps, low);
        if (p.residual != nullptr) value += p.residual[r * p.y_stride + o];
        p.y[r * p.y_stride + o] = value;
      }
    }
  }

 private:
  /// Returns the columns of block b.
  static Range columns_of(const Linear& w, std::int64_t b) noexcept {
    return {b * w.block, w.block == 0 ? w.in : std::min(w.in, (b + 1) * w.block)};
  }

  static float smoothed(const Linear& w, const float* x, std::int64_t k) noexcept {
    return w.inverse_smooth == nullptr ? x[k] : x[k] * w.inverse_smooth[k];
  }

  /// Rounds the columns of a block of a row of x, whose least value is `low`. Returns its step.
  static float round_block(const Linear& w, const float* x, Range columns, float low,
                           std::uint8_t* codes) noexcept {
    float high = 0;
    for (std::int64_t k = columns.begin; k < columns.end; ++k)
      high = std::max(high, smoothed(w, x, k));
    const float range = high - low;
    const bool has_steps = range > 1e-30F && range < 1e38F;
    const float inverse = has_steps ? 255.0F / range : 0.0F;
    for (std::int64_t k = columns.begin; k < columns.end; ++k) {
      const float code = has_steps ? std::nearbyint((smoothed(w, x, k) - low) * inverse) : 0.0F;
      codes[k] = static_cast<std::uint8_t>(std::clamp(code, 0.0F, 255.0F));
    }
    return has_steps ? range / 255.0F : 0.0F;
  }

  /// Returns the product of a rounded row with row o of the weights, plus its bias.
  static float product_of(const Linear& w, std::int64_t o, const std::uint8_t* codes,
                          const float* steps, float low) noexcept {
    const auto* const weights = static_cast<const std::int8_t*>(w.packed);
    const auto* const after = reinterpret_cast<const std::byte*>(weights + w.out * w.in);
    const std::int64_t blocks = blocks_of(w.in, w.block);
    const auto* const scales = after + o * blocks * 4;
    double weight_sum = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const Range columns = columns_of(w, b);
      std::int32_t sum = 0;
      for (std::int64_t k = columns.begin; k < columns.end; ++k) sum += weights[o * w.in + k];
      weight_sum += static_cast<double>(load_scale(scales, b)) * sum;
    }
    float total = std::fma(low, static_cast<float>(weight_sum), w.bias[o]);
    for (std::int64_t b = 0; b < blocks; ++b) {
      const Range columns = columns_of(w, b);
      std::int32_t sum = 0;
      for (std::int64_t k = columns.begin; k < columns.end; ++k)
        sum += codes[k] * weights[o * w.in + k];
      total = std::fma(static_cast<float>(sum), steps[b] * load_scale(scales, b), total);
    }
    return total;
  }

  static float load_scale(const std::byte* scales, std::int64_t i) noexcept {
    float scale = 0;
    std::memcpy(&scale, scales + i * 4, 4);
    return scale;
  }
};

template <class A>
void linear_add(const InputRows& x, const Linear& w, Range columns, const float* residual,
                float* scratch, float* y) noexcept {
  A::multiply(product(x, w, columns, residual, y, w.out), x.rows, w, scratch);
}

template <class A>
constexpr Products products(Attention attention = {}) noexcept {
  return {
      .name = "reference",
      .block_rows = kBlockRows,
      .panel = kLanes,
      .max_depth = A::kMaxDepth,
      .packed_bytes = A::packed_bytes,
      .pack = A::pack,
      .scratch = A::scratch,
      .linear =
          [](const InputRows& x, const Linear& w, Range columns, float* scratch,
             float* y) noexcept {
            A::multiply(product(x, w, columns, nullptr, y, w.out), x.rows, w, scratch);
          },
      .linear_add = linear_add<A>,
      .up =
          [](const InputRows& x, const Linear& w, Range columns, float* scratch, float* middle,
             std::int64_t stride) noexcept {
            A::multiply(product(x, w, columns, nullptr, middle, stride), x.rows, w, scratch);
            for (std::int64_t r = 0; r < x.rows; ++r) {
              float* row = middle + r * stride;
              std::transform(row + columns.begin, row + columns.end, row + columns.begin, gelu);
            }
          },
      .down = linear_add<A>,
      .attention = attention,
  };
}

/// Returns the number of floats for the panels of keys and of values, and for the scores of a block
/// of queries.
std::size_t attention_scratch(const AttentionShape& shape) noexcept {
  const auto [seq_len, num_heads, head_dim, some_queries, group] = shape;
  return static_cast<std::size_t>(round_up(seq_len) * head_dim + round_up(head_dim) * seq_len +
                                  std::min(seq_len, kBlockRows) * round_up(seq_len));
}

void attention(const float* qkv, const AttentionShape& shape, const DistanceBias& bias, Range heads,
               float* scratch, float* context) noexcept {
  const auto [seq_len, num_heads, head_dim, some_queries, group] = shape;
  const std::int64_t width = shape.width();
  const std::int64_t qkv_stride = shape.qkv_width();
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim)));
  float* key_panels = scratch;
  float* value_panels = key_panels + round_up(seq_len) * head_dim;
  float* scores = value_panels + round_up(head_dim) * seq_len;
  const std::int64_t scores_stride = round_up(seq_len);

  for (std::int64_t head = heads.begin; head < heads.end; ++head) {
    const float* query = qkv + head * head_dim;
    pack_panels({qkv + shape.key(head), qkv_stride, 1}, seq_len, head_dim, key_panels);
    pack_panels({qkv + shape.value(head), 1, qkv_stride}, head_dim, seq_len, value_panels);
    const Range queries = shape.queries();
    for (std::int64_t first = queries.begin; first < queries.end; first += kBlockRows) {
      const std::int64_t rows = std::min(kBlockRows, queries.end - first);
      multiply({.x = query + first * qkv_stride,
                .x_stride = qkv_stride,
                .panels = key_panels,
                .in = head_dim,
                .columns = {0, seq_len},
                .bias = nullptr,
                .residual = nullptr,
                .y = scores,
                .y_stride = scores_stride},
               rows);
      for (std::int64_t row = 0; row < rows; ++row) {
        softmax(scores + row * scores_stride, seq_len, scale, bias.row(head, first + row));
      }
      multiply({.x = scores,
                .x_stride = scores_stride,
                .panels = value_panels,
                .in = seq_len,
                .columns = {0, head_dim},
                .bias = nullptr,
                .residual = nullptr,
                .y = context + first * width + head * head_dim,
                .y_stride = width},
               rows);
    }
  }
}

/// Rounds a row or a column of values to 255 steps of its own, in place. Returns the step.
float round_symmetrically(float* x, std::int64_t n, std::int64_t stride) noexcept {
  float largest = 0;
  for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i * stride]));
  largest = std::clamp(largest, 1e-30F, 1e38F);
  const float inverse = 127.0F / largest;
  for (std::int64_t i = 0; i < n; ++i) {
    float& v = x[i * stride];
    v = std::isnan(v) ? -127.0F : std::nearbyint(std::clamp(v * inverse, -127.0F, 127.0F));
  }
  return largest * (1.0F / 127.0F);
}

/// Returns the number of floats for the query, the key and the value of one head, their steps, and
/// one row of scores.
std::size_t int8_attention_scratch(const AttentionShape& shape) noexcept {
  const auto [seq_len, num_heads, head_dim, some_queries, group] = shape;
  return static_cast<std::size_t>(3 * (seq_len + 1) * (head_dim + 1) + seq_len);
}

void int8_attention(const float* qkv, const AttentionShape& shape, const DistanceBias& bias,
                    Range heads, float* scratch, float* context) noexcept {
  const auto [seq_len, num_heads, head_dim, some_queries, group] = shape;
  const std::int64_t size = seq_len * head_dim;
  const double scale = std::numbers::log2e / std::sqrt(static_cast<double>(head_dim));
  float* const query = scratch;
  float* const key = query + size;
  float* const value = key + size;
  float* const query_step = value + size;
  float* const key_step = query_step + seq_len;
  float* const value_step = key_step + seq_len;
  float* const numerators = value_step + head_dim;
  for (std::int64_t head = heads.begin; head < heads.end; ++head) {
    for (std::int64_t t = 0; t < seq_len; ++t) {
      const float* row = qkv + t * shape.qkv_width();
      std::copy_n(row + head * head_dim, head_dim, query + t * head_dim);
      std::copy_n(row + shape.key(head), head_dim, key + t * head_dim);
      std::copy_n(row + shape.value(head), head_dim, value + t * head_dim);
      query_step[t] = round_symmetrically(query + t * head_dim, head_dim, 1);
      key_step[t] = round_symmetrically(key + t * head_dim, head_dim, 1);
    }
    for (std::int64_t e = 0; e < head_dim; ++e) {
      value_step[e] = round_symmetrically(value + e, seq_len, head_dim);
    }
    for (std::int64_t t = shape.queries().begin; t < shape.queries().end; ++t) {
      for (std::int64_t j = 0; j < seq_len; ++j) {
        numerators[j] = std::inner_product(query + t * head_dim, query + (t + 1) * head_dim,
                                           key + j * head_dim, 0.0F) *
                        key_step[j];
      }
      float step = query_step[t];
      double factor = scale;
      if (const float* row = bias.row(head, t); row != nullptr) {
        for (std::int64_t j = 0; j < seq_len; ++j)
          numerators[j] = static_cast<float>(numerators[j] * step * factor + row[j]);
        step = 1;
        factor = 1;
      }
      const float top = *std::max_element(numerators, numerators + seq_len);
      double sum = 0;
      for (std::int64_t j = 0; j < seq_len; ++j) {
        const double power = std::exp2((numerators[j] - top) * step * factor);
        sum += numerators[j] = static_cast<float>(std::nearbyint(255 * power));
      }
      for (std::int64_t e = 0; e < head_dim; ++e) {
        double exact = 0;
        for (std::int64_t j = 0; j < seq_len; ++j) {
          exact += numerators[j] * value[j * head_dim + e];
        }
        context[t * shape.width() + head * head_dim + e] =
            static_cast<float>(exact * value_step[e] / sum);
      }
    }
  }
}

void exp2_in_place(float* x, std::int64_t n) noexcept {
  std::transform(x, x + n, x, [](float v) { return static_cast<float>(std::exp2(double{v})); });
}

void gelu_in_place(float* x, std::int64_t n) noexcept {
  std::transform(x, x + n, x, gelu);
}

constexpr Products kF32 = products<F32>();
constexpr Products kInt8 = products<Int8>({int8_attention_scratch, int8_attention});

}  // namespace

extern const Kernels reference_kernels;
const Kernels reference_kernels = {
    .name = "reference",
    .f32 = {&kF32},
    .bf16 = {},
    .int8 = {&kInt8},
    .attention = {attention_scratch, attention},
    .layer_norm = layer_norm,
    .exp2 = exp2_in_place,
    .gelu = gelu_in_place,
};

}  // namespace embd::kernels
