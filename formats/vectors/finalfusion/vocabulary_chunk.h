#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "embd/subwords.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"
#include "formats/vectors/finalfusion/string_table.h"

namespace embd::finalfusion {

/// The vocabulary of a mapped file: its words, each with the row of its position, and how unknown
/// words are made of subword rows. The strings stay in the file: beside it, a word takes 20 to 30
/// bytes. Immutable; lives as long as the bytes it was read from.
class VocabularyChunk {
 public:
  /// Reads the body of a vocabulary chunk; `reader` is left behind it. Checks everything: counts
  /// against what remains, UTF-8, that no word or n-gram comes twice, n-gram lengths, numbers of
  /// buckets and hashes, that the indices of n-grams have no gap.
  static Result<VocabularyChunk> read(ChunkId kind, ByteReader& reader);

  ChunkId chunk() const noexcept { return chunk_; }
  std::uint64_t num_words() const noexcept { return words_.size(); }
  /// Rows that the storage must have.
  std::uint64_t num_rows() const noexcept { return num_words() + num_subword_rows_; }
  std::string_view word(std::uint64_t row) const noexcept { return words_.text(row); }
  /// The row of a known word.
  std::optional<std::uint64_t> find(std::string_view word) const;
  /// The rows to sum for a word that is not known, in the order of the reference; empty if it has
  /// none. `word` is UTF-8.
  std::vector<std::uint64_t> subword_rows(std::string_view word) const;

  bool has_subwords() const noexcept { return chunk_ != ChunkId::simple_vocabulary; }
  std::uint64_t num_ngrams() const noexcept { return ngrams_.size(); }
  /// A copy that needs no file; nothing if there are none.
  std::optional<Subwords> subwords() const;
  /// The same without the n-grams.
  std::optional<Subwords> subword_parameters() const;

 private:
  /// Strings of the file and the table that finds them.
  class Strings {
   public:
    /// Room for `count` of them, as far as `remaining` bytes can hold so many.
    void reserve(std::uint64_t count, std::uint64_t remaining);
    /// Reads the next one, which must not have come before.
    Result<void> read(ByteReader& reader, std::string_view field);
    std::uint64_t size() const noexcept { return texts_.size(); }
    std::string_view text(std::uint64_t i) const noexcept;
    std::optional<std::uint64_t> find(std::string_view text) const;

   private:
    std::vector<const char*> texts_;  // each behind its length, u32
    StringTable table_;
  };

  VocabularyChunk() = default;
  Result<void> read_words(std::uint64_t count, ByteReader& reader);
  Result<void> read_ngram_lengths(ByteReader& reader);
  Result<void> read_buckets(ByteReader& reader);
  Result<void> read_ngrams(std::uint64_t count, ByteReader& reader);
  Result<void> read_floret(ByteReader& reader);

  ChunkId chunk_ = ChunkId::simple_vocabulary;
  Strings words_;
  std::uint32_t min_n_ = 0;
  std::uint32_t max_n_ = 0;
  std::uint64_t num_subword_rows_ = 0;
  std::uint32_t num_hashes_ = 0;
  std::uint32_t seed_ = 0;
  std::string_view begin_of_word_ = "<";
  std::string_view end_of_word_ = ">";
  Strings ngrams_;
  std::vector<std::uint64_t> ngram_indices_;  // of ngrams_, from the first subword row
};

}  // namespace embd::finalfusion
