#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "embd/element_type.h"

namespace embd {

/// How far two rows are apart. Smaller is nearer for every metric.
enum class Metric : std::uint8_t {
  cos,         ///< 1 − cosine
  ip,          ///< 1 − dot product
  l2sq,        ///< squared Euclidean
  pearson,     ///< 1 − Pearson's r
  haversine,   ///< radians of arc; rows are (latitude, longitude) in degrees
  divergence,  ///< Jensen-Shannon, in nats
  hamming,     ///< bits that differ
  tanimoto,    ///< 1 − bits in both / bits in either
  sorensen,    ///< 1 − 2 · bits in both / bits of each, added
  jaccard,     ///< of bits: the same as tanimoto
};

/// "cos", "ip", "l2sq", …
std::string_view metric_name(Metric metric) noexcept;
/// By metric_name or the short "l2"; nullopt for any other word.
std::optional<Metric> metric_from_name(std::string_view name) noexcept;

/// Returns the similarity that a distance is 1 minus: a cosine or a dot product; nothing for the
/// other metrics, and for a distance that is no finite number.
std::optional<float> similarity_of(Metric metric, float distance) noexcept;

enum class IndexKind : std::uint8_t {
  hnsw,    ///< a USearch file
  vamana,  ///< an SVS directory
};

/// How a HNSW graph grows. Both are deterministic.
enum class Builder : std::uint8_t {
  parallel,  ///< on any number of threads, the same file with each
  usearch,   ///< one row after the other by USearch's own rules, one thread
};

struct IndexOptions {
  IndexKind kind = IndexKind::hnsw;
  Metric metric = Metric::cos;
  /// How the index stores its rows.
  ElementType scalar = ElementType::f32;
  /// Threads for building; 0: what affinity and the cgroup allow.
  int threads = 0;

  // HNSW
  std::uint32_t connectivity = 16;    ///< links of a new node; twice as many on level 0
  std::uint32_t expansion_add = 128;  ///< candidates kept while a place is searched
  Builder builder = Builder::parallel;
  bool multi = false;  ///< several rows may share an id

  // Vamana
  std::uint32_t degree = 64;
  std::uint32_t window = 128;
  float alpha = 0;  ///< 0: 1.2 for distances, 0.93 for inner products
};

}  // namespace embd
