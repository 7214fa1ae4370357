#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/mapped_file.h"
#include "formats/vectors/finalfusion/finalfusion_reader.h"

namespace embd::finalfusion {

/// The vector of a word.
struct WordVector {
  std::vector<float> values;  ///< [dim]: the row of a known word as stored; else of length 1
  /// The stored norm of a known word, 1 if the file has none; of an unknown word the length of the
  /// sum.
  float norm = 1;
  std::optional<std::uint64_t> row;         ///< of a known word
  std::vector<std::uint64_t> subword_rows;  ///< summed for an unknown word
};

struct SimilarWord {
  std::uint64_t row = 0;
  std::string_view word;  ///< lives as long as the embeddings
  float similarity = 0;   ///< dot product of the query with the row as stored
};

/// A finalfusion file open for looking words up. The file is mapped; beside it a word takes 20 to
/// 30 bytes of memory. Immutable: any number of threads may call any member at once. The file must
/// not be changed in place meanwhile.
class Embeddings {
 public:
  /// Maps the file and checks it (docs/formats/finalfusion.md says what is refused). Errors name
  /// the file and the offset.
  static Result<Embeddings> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return file_.path(); }
  const Parts& parts() const noexcept { return *parts_; }
  std::uint64_t num_words() const noexcept { return parts_->vocabulary.num_words(); }
  std::uint64_t dim() const noexcept { return parts_->storage.dim(); }
  std::string_view word(std::uint64_t row) const noexcept { return parts_->vocabulary.word(row); }

  /// The vector of a word: its row, or the sum of its n-grams' rows at length 1, summed in the
  /// order of the reference. Errors: missing for a word that has neither; invalid_utf8.
  Result<WordVector> lookup(std::string_view word) const;

  /// The `count` words whose rows have the largest dot products with `query`, [dim], largest first,
  /// equal ones by word; fewer if there are no more. Rows in `skip` are left out.
  std::vector<SimilarWord> similar_to(std::span<const float> query, std::size_t count,
                                      std::span<const std::uint64_t> skip = {}) const;
  /// Returns the words nearest to a word's vector, without the word. Errors as lookup().
  Result<std::vector<SimilarWord>> similar(std::string_view word, std::size_t count) const;
  /// Returns the words that are to `c` as `b` is to `a`: those near b − a + c, brought to length 1,
  /// without the three. Errors as lookup().
  Result<std::vector<SimilarWord>> analogy(std::string_view a, std::string_view b,
                                           std::string_view c, std::size_t count) const;

 private:
  Embeddings(MappedFile file, Parts parts)
      : file_(std::move(file)), parts_(std::make_unique<const Parts>(std::move(parts))) {}

  MappedFile file_;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace embd::finalfusion
