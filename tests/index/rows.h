#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "formats/vectors/usearch/usearch_scalar.h"
#include "index/distances/distance.h"

/// Random rows of any element type, in the form in which an index stores them.
namespace embd {

struct TestRows {
  std::vector<std::byte> bytes;
  std::size_t stride = 0;
  std::vector<float> norms;

  StoredRows view() const { return {bytes.data(), stride, norms.empty() ? nullptr : norms.data()}; }
};

inline std::vector<float> random_floats(std::size_t count, std::uint32_t seed, float low = -1,
                                        float high = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = low + (high - low) * static_cast<float>(random() >> 8) / 16777216.0F;
  }
  return values;
}

/// Makes random rows with `gap` bytes between them, so that they can be unaligned.
inline TestRows encode_rows(ElementType type, const std::vector<float>& values, std::size_t dim,
                            std::size_t gap = 0) {
  TestRows rows;
  rows.stride = static_cast<std::size_t>(usearch::row_bytes(type, dim)) + gap;
  rows.bytes.resize(values.size() / dim * rows.stride);
  for (std::size_t i = 0; i < values.size() / dim; ++i) {
    usearch::encode_row(type, std::span(values).subspan(i * dim, dim),
                        rows.bytes.data() + i * rows.stride);
  }
  return rows;
}

}  // namespace embd
