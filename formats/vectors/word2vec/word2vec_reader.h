#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/mapped_file.h"
#include "embd/vectors.h"

namespace embd::word2vec {

/// The place of a word and its values in a mapped file.
struct WordRow {
  std::uint64_t word_at = 0;
  std::uint64_t values_at = 0;
  std::uint64_t word_bytes = 0;
};

/// The common part of the readers of word embeddings: a mapped file, and the place of every word in
/// it, which takes 24 bytes per word.
class WordRows : public VectorReader {
 public:
  const VectorSetInfo& info() const noexcept override { return info_; }
  Result<Ids> ids() const override;
  std::string describe() const override;
  /// Reads every row, so that all values are checked.
  Result<void> verify() const override;

 protected:
  WordRows(MappedFile file, std::string format, std::string encoding, std::uint64_t dim,
           std::vector<WordRow> rows);

  std::string_view word(std::uint64_t row) const {
    return as_text(file_.bytes().subspan(rows_[row].word_at, rows_[row].word_bytes));
  }
  Error error(ErrorCode code, std::string what, std::uint64_t offset) const {
    return Error(code, std::move(what)).at_offset(offset).in_file(file_.path().native());
  }

  MappedFile file_;
  std::vector<WordRow> rows_;
  VectorSetInfo info_;
};

/// Readers of files of word embeddings. Each reader maps its file. Opening finds the words; reading
/// rows decodes their values. Errors have the offset.

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

inline constexpr std::uint32_t fasttext_magic = 793712314;

/// Opens a model file of fastText, version 11 or 12, which must be neither quantized nor pruned.
/// The row of a word is the vector that fastText gives for it: the mean of the word's own row and
/// the rows of its n-grams, computed when it is read. ReadOptions::all_rows adds the rows of the
/// n-gram buckets. Labels are left out.
Result<std::unique_ptr<VectorReader>> open_fasttext(const std::filesystem::path& path,
                                                    const ReadOptions& options);

}  // namespace embd::word2vec
