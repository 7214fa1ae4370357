#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "embd/index_options.h"

namespace embd {
namespace {

constexpr std::pair<std::string_view, Metric> names[] = {
    {"cos", Metric::cos},
    {"ip", Metric::ip},
    {"l2sq", Metric::l2sq},
    {"pearson", Metric::pearson},
    {"haversine", Metric::haversine},
    {"divergence", Metric::divergence},
    {"hamming", Metric::hamming},
    {"tanimoto", Metric::tanimoto},
    {"sorensen", Metric::sorensen},
    {"jaccard", Metric::jaccard},
    {"l2", Metric::l2sq},
};

}  // namespace

std::string_view metric_name(Metric metric) noexcept {
  for (const auto& [name, named] : names) {
    if (named == metric) return name;
  }
  return "";
}

std::optional<Metric> metric_from_name(std::string_view name) noexcept {
  for (const auto& [known, metric] : names) {
    if (known == name) return metric;
  }
  return std::nullopt;
}

std::optional<float> similarity_of(Metric metric, float distance) noexcept {
  const bool has_similarity = metric == Metric::cos || metric == Metric::ip;
  if (!has_similarity || !std::isfinite(distance)) return std::nullopt;
  return 1 - distance;
}

}  // namespace embd
