#pragma once

#include <cstring>
#include <filesystem>
#include <vector>

#include "formats/weights/embd/embd_reader.h"
#include "tests/support/files.h"

namespace embd::test {

/// Copies a weight file without checksums whose word table is f32, and gives one token a row of
/// finite values that overflow in the model: texts with this token have vectors that are not
/// finite.
inline void write_overflowing(const std::filesystem::path& from, const std::filesystem::path& to,
                              std::int32_t token) {
  const WeightFile file = WeightFile::open(from).value();
  const Tensor& table = *file.find("embeddings.word_embeddings.weight");
  const std::size_t dim = file.spec().hidden;
  std::vector<float> row(dim);
  for (std::size_t i = 0; i < dim; ++i) row[i] = i % 2 == 0 ? 3e38F : -3e38F;
  std::string bytes = content(from);
  const auto at = static_cast<std::size_t>(table.data.data() - file.bytes().data()) +
                  static_cast<std::size_t>(token) * dim * sizeof(float);
  std::memcpy(bytes.data() + at, row.data(), dim * sizeof(float));
  write_file(to, bytes);
}

}  // namespace embd::test
