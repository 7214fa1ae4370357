#include "index/distances/distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/kernel_profile.h"
#include "base/try.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd {
namespace {

using distances::kernels;

constexpr std::uint64_t kMaxDim = std::uint64_t{1} << 24;
constexpr std::size_t kBitBatch = 64;
/// The smallest sum of squares that float32 holds with full precision, whatever its terms.
constexpr float kLeastSquares = 0x1p-60F;
constexpr float kMostSquares = 0x1p100F;

/// Returns the sums that kernels compute for a type; null if plain_distance() computes them.
const distances::Sums* sums_of(ElementType type, std::size_t dim) noexcept {
  const distances::Kernels& table = kernels();
  const bool integers_fit = dim <= distances::kMaxIntegerDim;
  switch (type) {
    case ElementType::f32:
      return &table.f32;
    case ElementType::f16:
      return &table.f16;
    case ElementType::bf16:
      return &table.bf16;
    case ElementType::i8:
      return integers_fit ? &table.i8 : nullptr;
    case ElementType::u8:
      return integers_fit ? &table.u8 : nullptr;
    default:
      return nullptr;
  }
}

bool is_zero(const std::byte* row, std::size_t bytes, ElementType type) noexcept {
  // A mask of all bits except the sign of a floating point value.
  const bool is_float = type == ElementType::f32 || type == ElementType::bf16;
  const std::size_t width = type == ElementType::f32 ? 4 : 2;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::byte mask = is_float && i % width == width - 1 ? std::byte{0x7f} : std::byte{0xff};
    if ((row[i] & mask) != std::byte{0}) return false;
  }
  return true;
}

/// Returns what `cosine` of the kernels computes for one pair. In addition, two rows of zeros have
/// the distance 0. (One row of zeros has the dot product 0 and so the distance 1.) Returns NaN if a
/// norm is NaN.
float cosine_distance(float dot, float query_norm, float norm) noexcept {
  if (query_norm == 0) return norm == 0 ? 0 : 1;
  const float distance = 1.0F - dot * (query_norm * norm);
  return distance < 0 ? 0 : distance;
}

float from_bits(Metric metric, std::uint32_t both, std::uint32_t either) noexcept {
  const auto a = static_cast<double>(both);
  const auto b = static_cast<double>(either);
  switch (metric) {
    case Metric::hamming:
      return static_cast<float>(b - a);
    case Metric::sorensen:
      return static_cast<float>(1 - 2 * a / (a + b));
    default:
      return either == 0 ? 0 : static_cast<float>(1 - a / b);
  }
}

}  // namespace

bool is_bit_metric(Metric metric) noexcept {
  return metric == Metric::hamming || metric == Metric::tanimoto || metric == Metric::sorensen ||
         metric == Metric::jaccard;
}

Result<Distance> Distance::create(Metric metric, ElementType type, std::uint64_t dim) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::invalid_argument,
                "the metric {} cannot be used with elements of type {}: {}", metric_name(metric),
                element_name(type), why);
  };
  if (!usearch::is_scalar(type)) {
    return fail(ErrorCode::unsupported, "distances between elements of type {} cannot be computed",
                element_name(type));
  }
  if (dim == 0 || dim > kMaxDim) {
    return fail(ErrorCode::bad_count,
                "the rows have {} dimensions, expected 1 to {} dimensions in an index", dim,
                kMaxDim);
  }
  if ((type == ElementType::b1) != is_bit_metric(metric)) {
    return refuse(
        "the metrics hamming, tanimoto, sorensen and jaccard are for packed bits (b1), and all "
        "other metrics are not");
  }
  if (metric == Metric::haversine &&
      ((type != ElementType::f32 && type != ElementType::f64) || dim != 2)) {
    return refuse("it needs rows of two values, latitude and longitude, of type f32 or f64");
  }
  if (metric == Metric::divergence && (type == ElementType::i8 || type == ElementType::u8)) {
    return refuse("it needs probabilities of a floating-point type");
  }

  EMBD_TRY(choose_kernel_profile());

  Distance distance;
  distance.metric_ = metric;
  distance.type_ = type;
  distance.dim_ = static_cast<std::size_t>(dim);
  distance.row_bytes_ = static_cast<std::size_t>(usearch::row_bytes(type, dim));
  if (const distances::Sums* sums = sums_of(type, distance.dim_)) {
    if (metric == Metric::cos || metric == Metric::ip) distance.sums_ = &sums->dot;
    if (metric == Metric::l2sq) distance.sums_ = &sums->l2sq;
    distance.uses_norms_ = metric == Metric::cos;
  }
  return distance;
}

float Distance::inverse_norm(const std::byte* row) const noexcept {
  if (!uses_norms_ || sums_ == nullptr) return 0;
  constexpr std::uint32_t kFirst = 0;
  float squares = 0;
  sums_->gather(row, {row, 0}, &kFirst, 1, dim_, &squares);
  if (squares >= kLeastSquares && squares <= kMostSquares) return 1.0F / std::sqrt(squares);
  return is_zero(row, row_bytes_, type_) ? 0 : std::numeric_limits<float>::quiet_NaN();
}

float Distance::in_double(const std::byte* a, const std::byte* b) const noexcept {
  return static_cast<float>(distances::plain_distance(metric_, type_, a, b, dim_));
}

Distance::Query Distance::query(const std::byte* row) const noexcept {
  return {row, inverse_norm(row)};
}

Distance::Query Distance::query(const StoredRows& rows, std::size_t i) const noexcept {
  const float* cached = rows.inverse_norm(i);
  return {rows.row(i), cached != nullptr ? *cached : inverse_norm(rows.row(i))};
}

void Distance::gather(const Query& query, const StoredRows& rows,
                      std::span<const std::uint32_t> slots, float* out) const noexcept {
  const distances::RowArray array = {rows.data, rows.stride};
  if (sums_ != nullptr) {
    sums_->gather(query.row, array, slots.data(), slots.size(), dim_, out);
    if (metric_ == Metric::ip) {
      for (std::size_t i = 0; i < slots.size(); ++i) out[i] = 1.0F - out[i];
    } else if (uses_norms_) {
      for (std::size_t i = 0; i < slots.size(); ++i) {
        out[i] =
            cosine_distance(out[i], query.inverse_norm, this->query(rows, slots[i]).inverse_norm);
        if (std::isnan(out[i])) out[i] = in_double(query.row, rows.row(slots[i]));
      }
    }
    return;
  }
  if (type_ == ElementType::b1) {
    std::array<std::uint32_t, 2 * kBitBatch> counts;
    for (std::size_t first = 0; first < slots.size(); first += kBitBatch) {
      const auto some = slots.subspan(first, std::min(kBitBatch, slots.size() - first));
      kernels().bits(query.row, array, some.data(), some.size(), row_bytes_, counts.data());
      for (std::size_t i = 0; i < some.size(); ++i) {
        out[first + i] = from_bits(metric_, counts[2 * i], counts[2 * i + 1]);
      }
    }
    return;
  }
  for (std::size_t i = 0; i < slots.size(); ++i) out[i] = in_double(query.row, rows.row(slots[i]));
}

void Distance::tile(const StoredRows& queries, std::size_t num_queries, const StoredRows& rows,
                    std::size_t first, std::size_t count,
                    distances::DistanceMatrix out) const noexcept {
  if (sums_ == nullptr) {
    for (std::size_t q = 0; q < num_queries; ++q) {
      const Query one = query(queries, q);
      for (std::size_t r = 0; r < count; ++r) {
        out.values[q * out.stride + r] = (*this)(one, rows, static_cast<std::uint32_t>(first + r));
      }
    }
    return;
  }
  sums_->tile({queries.data, queries.stride}, num_queries, {rows.row(first), rows.stride}, count,
              dim_, out);
  bool any_in_double = uses_norms_ && rows.inverse_norms == nullptr;
  for (std::size_t r = 0; uses_norms_ && rows.inverse_norms != nullptr && r < count; ++r) {
    any_in_double = any_in_double || std::isnan(rows.inverse_norms[first + r]);
  }
  for (std::size_t q = 0; q < num_queries; ++q) {
    float* line = out.values + q * out.stride;
    if (metric_ == Metric::ip) {
      for (std::size_t r = 0; r < count; ++r) line[r] = 1.0F - line[r];
    } else if (uses_norms_) {
      const float query_norm = query(queries, q).inverse_norm;
      if (query_norm != 0 && rows.inverse_norms != nullptr) {
        kernels().cosine(line, rows.inverse_norms + first, query_norm, count);
      } else {
        for (std::size_t r = 0; r < count; ++r) {
          line[r] = cosine_distance(line[r], query_norm, query(rows, first + r).inverse_norm);
        }
      }
      if (!std::isnan(query_norm) && !any_in_double) continue;
      for (std::size_t r = 0; r < count; ++r) {
        if (std::isnan(line[r])) line[r] = in_double(queries.row(q), rows.row(first + r));
      }
    }
  }
}

}  // namespace embd
