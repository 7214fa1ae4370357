#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/mapped_file.h"
#include "base/path_text.h"
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
    return Error(code, std::move(what)).at_offset(offset).in_file(text_of_path(file_.path()));
  }

  MappedFile file_;
  std::vector<WordRow> rows_;
  VectorSetInfo info_;
};

inline constexpr std::uint32_t fasttext_magic = 793712314;

/// Opens a model file of fastText, version 11 or 12, which must be neither quantized nor pruned.
/// The row of a word is the vector that fastText gives for it: the mean of the word's own row and
/// the rows of its n-grams, computed when it is read. ReadOptions::all_rows adds the rows of the
/// n-gram buckets. Labels are left out.
Result<std::unique_ptr<VectorReader>> open_fasttext(const std::filesystem::path& path,
                                                    const ReadOptions& options);

}  // namespace embd::word2vec
