#pragma once

#include <filesystem>
#include <memory>

#include "embd/vectors.h"

/// Writers of word2vec files. Ids are the words; without ids, the words are the row numbers from 0.
/// A word that could not be read back fails with bad_value: a word with a line feed and, in binary
/// files, a word with a space. Memory does not grow with the rows.
namespace embd::word2vec {

Result<std::unique_ptr<VectorWriter>> create_binary(const std::filesystem::path& path,
                                                    std::uint64_t dim, const WriteOptions& options);
/// Make writers of text files. Each value is the shortest decimal that reads back to the same
/// float32.
Result<std::unique_ptr<VectorWriter>> create_text(const std::filesystem::path& path,
                                                  std::uint64_t dim, const WriteOptions& options);
Result<std::unique_ptr<VectorWriter>> create_text_dims(const std::filesystem::path& path,
                                                       std::uint64_t dim,
                                                       const WriteOptions& options);

}  // namespace embd::word2vec
