#pragma once

#include <filesystem>
#include <memory>

#include "embd/vectors.h"

/// Writers of word2vec files. Ids are the words; without ids they are row numbers from 0. A word
/// that a reader could not tell from what surrounds it is refused (bad_value): one with a line
/// feed, and in binary files one with a space. Memory does not grow with the rows.
namespace embd::word2vec {

Result<std::unique_ptr<VectorWriter>> create_binary(const std::filesystem::path& path,
                                                    std::uint64_t dim, const WriteOptions& options);
/// Values are the shortest decimals that read back to the same float32.
Result<std::unique_ptr<VectorWriter>> create_text(const std::filesystem::path& path,
                                                  std::uint64_t dim, const WriteOptions& options);
Result<std::unique_ptr<VectorWriter>> create_text_dims(const std::filesystem::path& path,
                                                       std::uint64_t dim,
                                                       const WriteOptions& options);

}  // namespace embd::word2vec
