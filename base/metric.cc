#include <cmath>
#include <ranges>

#include "base/metric_names.h"

namespace embd {

std::string_view metric_name(Metric metric) noexcept {
  for (const auto& [name, named] : metric_names | std::views::reverse) {
    if (named == metric) return name;
  }
  return "";
}

std::optional<Metric> metric_from_name(std::string_view name) noexcept {
  return value_named(name, metric_names);
}

std::optional<float> similarity_of(Metric metric, float distance) noexcept {
  const bool has_similarity = metric == Metric::cos || metric == Metric::ip;
  if (!has_similarity || !std::isfinite(distance)) return std::nullopt;
  return 1 - distance;
}

}  // namespace embd
