#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "embd/vectors.h"

/// Readers of what users of word embeddings bring. Each maps its file; opening finds the words,
/// reading rows decodes their values. Errors carry the offset.
namespace embd::word2vec {

/// word2vec's binary file: "rows dim\n", then word, space, dim float32, mostly a line feed.
Result<std::unique_ptr<VectorReader>> open_binary(const std::filesystem::path& path,
                                                  const ReadOptions& options);

/// A line a word: the word, then its values as decimals. The first line tells the dimension; a word
/// may hold spaces, since values are counted from the end of the line. GloVe's files.
Result<std::unique_ptr<VectorReader>> open_text(const std::filesystem::path& path,
                                                const ReadOptions& options);

/// The values that open_text() finds in the first line, which alone tells the dimension: all fields
/// but the first, so that its word cannot hold spaces between other characters.
std::uint64_t count_values(std::string_view first_line) noexcept;

/// The same behind a line "rows dim": word2vec's and fastText's text files.
Result<std::unique_ptr<VectorReader>> open_text_dims(const std::filesystem::path& path,
                                                     const ReadOptions& options);

}  // namespace embd::word2vec
