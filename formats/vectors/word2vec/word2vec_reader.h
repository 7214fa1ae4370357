#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "embd/vectors.h"

/// Readers of files of word embeddings. Each reader maps its file. Opening finds the words; reading
/// rows decodes their values. Errors have the offset.
namespace embd::word2vec {

enum class Layout { binary, text, text_dims };

/// Returns the layout that the first lines of a file show; nothing if they show none. A first line
/// "rows dim" stands before rows, which are binary if the next line is no text. Only if the lines
/// after it have one value each, and are not as many as it says or should have more, it is a word
/// with its value itself.
std::optional<Layout> layout_of(std::string_view text);

/// Returns true if a line is "rows dim": two whole numbers.
bool says_shape(std::string_view first_line) noexcept;

/// Opens a binary file of word2vec: a line "rows dim", then for each word the word, a space, `dim`
/// float32 values and mostly a line feed.
Result<std::unique_ptr<VectorReader>> open_binary(const std::filesystem::path& path,
                                                  const ReadOptions& options);

/// Opens a text file with one word per line, followed by its values as decimals, such as the files
/// of GloVe. The first line gives the dimension. A word may contain spaces, because values are
/// counted from the end of the line.
Result<std::unique_ptr<VectorReader>> open_text(const std::filesystem::path& path,
                                                const ReadOptions& options);

/// Returns the number of values that open_text() finds in the first line: all fields but the first.
/// This line alone gives the dimension, so its word cannot contain spaces.
std::uint64_t count_values(std::string_view first_line) noexcept;

/// Opens a text file as open_text() does, which begins with a line "rows dim", such as the text
/// files of word2vec and fastText.
Result<std::unique_ptr<VectorReader>> open_text_dims(const std::filesystem::path& path,
                                                     const ReadOptions& options);

}  // namespace embd::word2vec
