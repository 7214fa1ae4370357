#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "embd/element_type.h"

namespace embd {

/// The measure of how far two rows are apart. For every metric, a smaller distance is nearer.
enum class Metric : std::uint8_t {
  cos,      ///< 1 − cosine similarity
  ip,       ///< 1 − dot product
  l2sq,     ///< squared Euclidean distance
  pearson,  ///< 1 − Pearson's correlation
  /// The great-circle distance in radians; a row is (latitude, longitude) in degrees.
  haversine,
  divergence,  ///< Jensen-Shannon divergence, in nats
  hamming,     ///< the number of bits that differ
  /// The Tanimoto distance of rows of bits: 1 − (bits set in both) / (bits set in either).
  tanimoto,
  /// The Sørensen distance of rows of bits: 1 − 2 · (bits set in both) / (bits set in one + bits
  /// set in the other).
  sorensen,
  jaccard,  ///< the same as tanimoto
};

/// Returns the name of a metric, such as "cos", "ip" or "l2sq".
std::string_view metric_name(Metric metric) noexcept;
/// Returns the metric with this name, where "l2" also stands for l2sq; nullopt for any other word.
std::optional<Metric> metric_from_name(std::string_view name) noexcept;

/// Returns 1 − `distance` for the metrics cos and ip, which is the cosine similarity or the dot
/// product. Returns nullopt for other metrics, and if the distance is not a finite number.
std::optional<float> similarity_of(Metric metric, float distance) noexcept;

/// The kind of graph over the rows of an index.
enum class IndexKind : std::uint8_t {
  hnsw,    ///< HNSW, stored as a USearch file
  vamana,  ///< Vamana, stored as an SVS directory
};

/// The way in which rows are inserted into an HNSW graph. Each way makes the same graph of the same
/// rows every time.
enum class Builder : std::uint8_t {
  /// Inserts rows on several threads. The graph does not depend on the number of threads.
  parallel,
  usearch,  ///< one row after the other on one thread, exactly as USearch does
};

/// Options for building an index.
struct IndexOptions {
  IndexKind kind = IndexKind::hnsw;
  /// The metric; unset: metric_or_default().
  std::optional<Metric> metric = {};
  /// The type in which the index stores its rows; unset: scalar_or_default(). A Vamana index takes
  /// f32, f16, i8 and u8.
  std::optional<ElementType> scalar = {};
  /// The number of threads for building. 0 means as many as the process's CPU affinity and cgroup
  /// allow.
  int threads = 0;

  // HNSW
  std::uint32_t connectivity = 16;  ///< links of a new node; twice as many on the lowest level
  /// The size of the candidate list when a row is inserted into an HNSW graph, by default 128. A
  /// larger list gives a better graph and takes longer.
  std::uint32_t expansion_add = 128;
  Builder builder = Builder::parallel;
  bool multi = false;  ///< allow several rows to share an id

  // Vamana
  std::uint32_t degree = 64;   ///< the largest number of links of a row
  std::uint32_t window = 128;  ///< size of the candidate list when a row is inserted
  /// The factor that says how strictly the links of a Vamana graph are pruned. For l2sq at least 1:
  /// larger values keep more links. For ip and cos above 0 and at most 1: smaller values keep more
  /// links. 0 stands for 1.2 for l2sq and 0.93 for the others.
  float alpha = 0;
};

/// Returns the type in which an index of these options stores its rows; f32 if it is unset.
constexpr ElementType scalar_or_default(const IndexOptions& options) noexcept {
  return options.scalar.value_or(ElementType::f32);
}
/// Returns the metric of an index of these options. If it is unset, this is hamming for rows of
/// bits (b1), otherwise cos.
constexpr Metric metric_or_default(const IndexOptions& options) noexcept {
  const bool has_bits = scalar_or_default(options) == ElementType::b1;
  return options.metric.value_or(has_bits ? Metric::hamming : Metric::cos);
}

}  // namespace embd
