#include "formats/vectors/usearch/usearch_layout.h"

#include <array>
#include <utility>

namespace embd::usearch {
namespace {

constexpr std::pair<ElementType, std::uint8_t> scalar_codes[] = {
    {ElementType::b1, 1},   {ElementType::bf16, 4}, {ElementType::e5m2, 5}, {ElementType::e4m3, 6},
    {ElementType::e2m3, 7}, {ElementType::e3m2, 8}, {ElementType::f64, 10}, {ElementType::f32, 11},
    {ElementType::f16, 12}, {ElementType::u8, 17},  {ElementType::i8, 23},
};

constexpr std::pair<Metric, char> metric_codes[] = {
    {Metric::cos, 'c'},     {Metric::ip, 'i'},        {Metric::l2sq, 'e'},
    {Metric::pearson, 'p'}, {Metric::haversine, 'h'}, {Metric::divergence, 'd'},
    {Metric::hamming, 'b'}, {Metric::tanimoto, 't'},  {Metric::sorensen, 's'},
    {Metric::jaccard, 'j'},
};

/// The current code for each old code, which is the index: b1, u40, uuid, f64, f32, f16, f8, u64,
/// u32, u8, i64, i32, i16, i8.
constexpr std::array<std::uint8_t, 15> present_codes = {0,  1,  2,  3,  10, 11, 12, 5,
                                                        14, 15, 17, 20, 21, 22, 23};

}  // namespace

char metric_code(Metric metric) noexcept {
  for (const auto& [known, code] : metric_codes) {
    if (known == metric) return code;
  }
  return 0;
}

std::optional<Metric> metric_from_code(char code) noexcept {
  for (const auto& [metric, known] : metric_codes) {
    if (known == code) return metric;
  }
  return std::nullopt;
}

std::uint8_t scalar_code(ElementType type) noexcept {
  for (const auto& [scalar, code] : scalar_codes) {
    if (scalar == type) return code;
  }
  return 0;
}

std::optional<ElementType> scalar_from_code(std::uint8_t code) noexcept {
  for (const auto& [scalar, known] : scalar_codes) {
    if (known == code) return scalar;
  }
  return std::nullopt;
}

std::uint8_t present_code(std::uint8_t old_code) noexcept {
  return old_code < present_codes.size() ? present_codes[old_code] : 0;
}

}  // namespace embd::usearch
