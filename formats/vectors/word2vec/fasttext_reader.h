#pragma once

#include <filesystem>
#include <memory>

#include "embd/vectors.h"

namespace embd::word2vec {

inline constexpr std::uint32_t fasttext_magic = 793712314;

/// Opens a model file of fastText, version 11 or 12, which must be neither quantized nor pruned.
/// The row of a word is the vector that fastText gives for it: the mean of the word's own row and
/// the rows of its n-grams, computed when it is read. ReadOptions::all_rows adds the rows of the
/// n-gram buckets. Labels are left out.
Result<std::unique_ptr<VectorReader>> open_fasttext(const std::filesystem::path& path,
                                                    const ReadOptions& options);

}  // namespace embd::word2vec
