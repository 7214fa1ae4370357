#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "index/distances/distance.h"

namespace embd {

/// Rows that are quantized to one byte per value. Comparing them needs a quarter of the memory
/// traffic of float32, and their sums are of integers, so they are the same on every processor. A
/// graph may be built from the codes. CodeScreen uses them to rule out most rows without reading
/// the rows themselves.
///
/// A row x (scaled to length 1 under the cosine) is kept as scale · code + center. The center is
/// the mean of the rows. The distances between rows a and b are those of the kept values:
///   cos, l2sq:  |a − b|²  = |a'|² + |b'|² − 2 · a'·b'      with a' = scale · code
///   ip:         −a·b      = up to a constant, −(a'·c) − (b'·c) − a'·b'     with the center c
/// Both have the form bias_a + bias_b − factor_a · factor_b · (code_a · code_b). Except for the
/// rounding, they order rows as the metric does. They only help to find rows and never appear in a
/// result. Under the cosine, a row of zeros has no direction. Its bias is infinite, and its
/// distance to every other row is the distance of rows at right angles.
class Codes {
 public:
  /// Returns true if codes keep the order of nearness among rows like these.
  static bool suits(const Distance& distance) noexcept;
  /// Makes codes of all `num_rows` rows on `threads` threads. Fails with out_of_memory.
  static Result<Codes> create(const Distance& distance, const StoredRows& rows,
                              std::size_t num_rows, int threads);

  struct Terms {
    float bias;
    float factor;
    /// The largest distance between the row and its decoded code; infinite if no bound is known. 0
    /// under ip, which does not use it.
    float error;
  };
  const Terms& terms(std::uint32_t slot) const noexcept { return terms_[slot]; }
  std::span<const float> center() const noexcept { return center_; }
  distances::RowArray codes() const noexcept { return {codes_.data(), stride_}; }

  struct Query {
    const std::int8_t* code;
    float bias;
    float factor;
  };
  Query query(std::uint32_t slot) const noexcept {
    const auto* code = reinterpret_cast<const std::int8_t*>(codes_.data() + slot * stride_);
    return {code, terms(slot).bias, terms(slot).factor};
  }
  void gather(const Query& query, std::span<const std::uint32_t> slots, float* out) const noexcept {
    kernel_(query.code, codes(), slots.data(), slots.size(), dim_, out);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Terms& of_row = terms(slots[i]);
      const float apart = (query.bias + of_row.bias) - (query.factor * of_row.factor) * out[i];
      out[i] = apart < std::numeric_limits<float>::infinity() ? apart : kRightAngle;
    }
  }
  bool has_ratios() const noexcept { return has_ratios_; }
  bool is_far() const noexcept { return dim_ >= 384; }
  void prefetch(std::uint32_t slot) const noexcept {
    const std::byte* code = codes_.data() + slot * stride_;
    for (std::size_t i = 0; i < dim_; i += 64) __builtin_prefetch(code + i);
    __builtin_prefetch(&terms_[slot]);
  }

  /// Makes codes of rows that are new or have changed, with the existing center.
  void update(const Distance& distance, const StoredRows& rows, std::size_t num_rows,
              std::span<const std::uint32_t> slots);

  std::size_t num_rows() const noexcept { return terms_.size(); }
  /// The number of rows whose mean is the center.
  std::size_t num_centered() const noexcept { return num_centered_; }

 private:
  /// The squared distance of unit rows at right angles.
  static constexpr float kRightAngle = 2;

  Codes(const Distance& distance, std::size_t num_rows);
  void set_center(const Distance& distance, const StoredRows& rows, std::size_t num_rows);
  void encode(const Distance& distance, const StoredRows& rows, std::size_t slot,
              std::span<float> values) noexcept;

  bool has_ratios_;  // False under ip, whose distances are known only up to a constant.
  std::size_t dim_;
  std::size_t stride_;  // The distance between the beginnings of two codes in bytes.
  distances::GatherFn kernel_;
  std::size_t num_centered_;
  std::vector<float> center_;       // [dim]
  AlignedVector<std::byte> codes_;  // [rows, stride]
  AlignedVector<Terms> terms_;      // [rows]
};

/// Compares one query with the codes of all rows and finds the rows that must be farther away than
/// a given distance, as Distance computes it. Rows that it rules out could not have changed a
/// result, so a search visits and returns the same rows with and without it, bit for bit.
class CodeScreen {
 public:
  /// Returns true if a screen is useful. It is not under ip, nor if rows can be read as fast as
  /// their codes.
  static bool suits(const Distance& distance) noexcept;
  /// Makes `codes` complete, if a screen is useful here. Makes all codes anew if the number of rows
  /// has doubled since the center was computed; otherwise makes only the codes of `changed` rows.
  /// Fails with out_of_memory.
  static Result<void> refresh(std::optional<Codes>& codes, const Distance& distance,
                              const StoredRows& rows, std::size_t num_rows,
                              std::span<const std::uint32_t> changed, int threads);

  void set(const Codes& codes, const Distance& distance, const Distance::Query& query);

  /// Keeps, in `slots`, the slots whose rows may be at most `radius` away, in their order, and
  /// returns their number. Overwrites distances[0, slots.size()).
  std::size_t keep_within(float radius, std::span<std::uint32_t> slots,
                          float* distances) const noexcept;
  void prefetch(std::uint32_t slot) const noexcept { codes_->prefetch(slot); }

 private:
  const Codes* codes_ = nullptr;
  bool is_cosine_ = false;
  std::size_t dim_ = 0;
  Codes::Terms terms_ = {};
  std::vector<float> values_;         // The query minus the center, [dim].
  AlignedVector<std::int16_t> code_;  // [dim]
};

}  // namespace embd
