#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "index/distances/distance.h"

namespace embd::hnsw {

/// Rows rounded to one byte a value, over which a graph is built: a quarter of the memory traffic
/// of float32, and sums of integers, the same on every processor.
///
/// A row x (scaled to length 1 under the cosine) is kept as scale · code + center, the center being
/// the mean of the rows, and distances between rows are those of what is kept:
///   cos, l2sq:  |a − b|²  = |a'|² + |b'|² − 2 · a'·b'      with a' = scale · code
///   ip:         −a·b      = up to a constant, −(a'·c) − (b'·c) − a'·b'     with the center c
/// Both have the form bias_a + bias_b − factor_a · factor_b · (code_a · code_b). They order rows as
/// the metric does, but for the rounding; no distance from here is ever given out.
class Codes {
 public:
  /// Whether rows like these can be kept as codes without losing who is near whom.
  static bool suits(const Distance& distance) noexcept;
  /// Codes of all `num_rows` rows, by `threads`.
  Codes(const Distance& distance, const StoredRows& rows, std::size_t num_rows, int threads);

  struct Query {
    const std::int8_t* code;
    float bias;
    float factor;
  };
  Query query(std::uint32_t slot) const noexcept {
    return {codes_.data() + slot * stride_, terms_[slot].bias, terms_[slot].factor};
  }
  void gather(const Query& query, std::span<const std::uint32_t> slots, float* out) const noexcept {
    kernel_(query.code, {codes_.data(), stride_}, slots.data(), slots.size(), dim_, out);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Terms& terms = terms_[slots[i]];
      out[i] = (query.bias + terms.bias) - (query.factor * terms.factor) * out[i];
    }
  }
  bool has_ratios() const noexcept { return has_ratios_; }
  void prefetch(std::uint32_t slot) const noexcept {
    const std::int8_t* code = codes_.data() + slot * stride_;
    for (std::size_t i = 0; i < dim_; i += 64) __builtin_prefetch(code + i);
    __builtin_prefetch(&terms_[slot]);
  }

 private:
  struct Terms {
    float bias;
    float factor;
  };
  void set_center(const Distance& distance, const StoredRows& rows, std::size_t num_rows);
  void encode(const Distance& distance, const StoredRows& rows, std::size_t slot,
              std::span<float> values) noexcept;

  bool has_ratios_;  // not under ip, up to a constant
  std::size_t dim_;
  std::size_t stride_;  // bytes
  distances::GatherFn kernel_;
  std::vector<float> center_;         // [dim]
  AlignedVector<std::int8_t> codes_;  // [rows, stride]
  std::vector<Terms> terms_;          // [rows]
};

}  // namespace embd::hnsw
