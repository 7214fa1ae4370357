#pragma once

#include <filesystem>
#include <memory>

#include "embd/vectors.h"

namespace embd::word2vec {

inline constexpr std::uint32_t fasttext_magic = 793712314;

/// A model file of fastText, versions 11 and 12, neither quantized nor pruned. The row of a word is
/// what fastText gives for it: the mean of its own row and those of its n-grams, computed when
/// read. ReadOptions.all_rows adds the rows of the n-gram buckets. Labels are left out.
Result<std::unique_ptr<VectorReader>> open_fasttext(const std::filesystem::path& path,
                                                    const ReadOptions& options);

}  // namespace embd::word2vec
