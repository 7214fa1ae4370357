#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/os/mapped_file.h"
#include "formats/vectors/finalfusion/finalfusion_reader.h"

namespace embd::finalfusion {

/// The vector of a word, and how it was found.
struct WordVector {
  /// The vector, [dim]: the stored row of a known word, or the vector of an unknown word scaled to
  /// length 1.
  std::vector<float> values;
  /// The stored norm of a known word, or 1 if the file has no norms. For an unknown word, the
  /// length of the sum of its subword rows.
  float norm = 1;
  std::optional<std::uint64_t> row;         ///< The row of a known word.
  std::vector<std::uint64_t> subword_rows;  ///< The rows that were added for an unknown word.
};

struct SimilarWord {
  std::uint64_t row = 0;
  std::string_view word;  ///< The word; valid as long as the embeddings.
  float similarity = 0;   ///< The dot product of the query and the stored row.
};

/// An open finalfusion file in which words are looked up. The file is mapped; besides, each word
/// takes 20 to 30 bytes of memory. Immutable: any number of threads may call any member at once.
/// The file must not be changed in place meanwhile.
class Embeddings {
 public:
  /// Maps the file and checks it; docs/formats/finalfusion.md says which files are refused. Errors
  /// name the file and the offset.
  static Result<Embeddings> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return file_.path(); }
  const Parts& parts() const noexcept { return *parts_; }
  std::uint64_t num_words() const noexcept { return parts_->vocabulary.num_words(); }
  std::uint64_t dim() const noexcept { return parts_->storage.dim(); }
  std::string_view word(std::uint64_t row) const noexcept { return parts_->vocabulary.word(row); }

  /// Returns the vector of a word. A known word has a row. For an unknown word, the rows of its
  /// n-grams are added in the order of the reference libraries, and the sum is scaled to length 1.
  /// Fails with missing if the word has neither, and with invalid_utf8.
  Result<WordVector> lookup(std::string_view word) const;

  /// Returns the `count` words whose rows have the largest dot products with `query`, [dim],
  /// largest first. Words with equal dot products are sorted by their text. Returns fewer if there
  /// are not enough words. Rows in `skip` are left out.
  std::vector<SimilarWord> similar_to(std::span<const float> query, std::size_t count,
                                      std::span<const std::uint64_t> skip = {}) const;
  /// Returns the `count` words nearest to the vector of `word`, without `word` itself. Fails as
  /// lookup() does.
  Result<std::vector<SimilarWord>> similar(std::string_view word, std::size_t count) const;
  /// Returns words that are to `c` as `b` is to `a`: the words nearest to b − a + c, scaled to
  /// length 1, without the three given words. Fails as lookup() does.
  Result<std::vector<SimilarWord>> analogy(std::string_view a, std::string_view b,
                                           std::string_view c, std::size_t count) const;

 private:
  Embeddings(MappedFile file, Parts parts)
      : file_(std::move(file)), parts_(std::make_unique<const Parts>(std::move(parts))) {}

  MappedFile file_;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace embd::finalfusion
