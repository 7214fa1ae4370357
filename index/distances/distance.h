#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "embd/index.h"
#include "index/distances/kernels.h"

namespace embd {

/// A view of rows of one element type, as an index holds them.
struct StoredRows {
  const std::byte* data = nullptr;  ///< row i is at data + i · stride
  std::size_t stride = 0;           ///< in bytes
  /// The inverse lengths 1 / |row|, [rows], which only the cosine needs: 0 for a row of zeros, NaN
  /// for a row so long or short that its distances are computed in double precision. If it is null,
  /// they are computed when needed, with the same bits.
  const float* inverse_norms = nullptr;

  const std::byte* row(std::size_t i) const noexcept { return data + i * stride; }
  const float* inverse_norm(std::size_t i) const noexcept {
    return inverse_norms == nullptr ? nullptr : inverse_norms + i;
  }
};

/// Returns true for the metrics of rows of bits (b1), which have no other metrics.
bool is_bit_metric(Metric metric) noexcept;

/// A metric over rows of one element type and dimension. A smaller distance is nearer. The distance
/// of two rows has the same bits whichever function computes it, on every processor.
class Distance {
 public:
  /// Makes a metric. Fails with invalid_argument for a metric that has no meaning for the element
  /// type (bits need hamming, tanimoto, sorensen or jaccard; haversine needs f32 or f64 and two
  /// values; divergence cannot have i8 or u8), and with unsupported for a type that no index holds.
  static Result<Distance> create(Metric metric, ElementType type, std::uint64_t dim);

  Metric metric() const noexcept { return metric_; }
  ElementType type() const noexcept { return type_; }
  std::size_t dim() const noexcept { return dim_; }
  std::size_t row_bytes() const noexcept { return row_bytes_; }
  /// Returns true if StoredRows::inverse_norms is used.
  bool uses_norms() const noexcept { return uses_norms_; }
  float inverse_norm(const std::byte* row) const noexcept;

  /// One side of a distance: a stored row, or a query that is encoded like one.
  struct Query {
    const std::byte* row;
    float inverse_norm;
  };
  Query query(const std::byte* row) const noexcept;
  /// Returns row `i` of `rows` as a query.
  Query query(const StoredRows& rows, std::size_t i) const noexcept;

  /// Computes out[i], the distance to row slots[i], for all i.
  void gather(const Query& query, const StoredRows& rows, std::span<const std::uint32_t> slots,
              float* out) const noexcept;
  float operator()(const Query& query, const StoredRows& rows, std::uint32_t slot) const noexcept {
    float distance = 0;
    gather(query, rows, {&slot, 1}, &distance);
    return distance;
  }
  /// Fills `out` with the distances of every query to the rows [first, first + count).
  void tile(const StoredRows& queries, std::size_t num_queries, const StoredRows& rows,
            std::size_t first, std::size_t count, distances::DistanceMatrix out) const noexcept;

 private:
  Distance() = default;
  float in_double(const std::byte* a, const std::byte* b) const noexcept;

  Metric metric_ = Metric::cos;
  ElementType type_ = ElementType::f32;
  std::size_t dim_ = 0;
  std::size_t row_bytes_ = 0;
  bool uses_norms_ = false;
  // Null for bits, and if plain_distance() computes the metric.
  const distances::Pairwise* sums_ = nullptr;
};

namespace distances {

/// Computes the distance of two stored rows of `dim` values in double precision, by the formulas of
/// docs/formats/usearch.md. The kernels are tested against it, and it computes rare metrics and
/// element types. `type` and `metric` must be a pair that Distance::create() accepts.
double plain_distance(Metric metric, ElementType type, const std::byte* a, const std::byte* b,
                      std::size_t dim) noexcept;

}  // namespace distances

}  // namespace embd
