#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "embd/format_options.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"
#include "formats/vectors/finalfusion/words.h"

namespace embd::finalfusion {

/// The vocabulary of a mapped file: its words, and the subwords of which the vectors of unknown
/// words are made. The row of a word is its position. The strings stay in the file; besides, a word
/// takes 20 to 30 bytes of memory. Immutable; valid as long as the bytes from which it was read.
class VocabularyChunk {
 public:
  /// Reads the body of a vocabulary chunk, and moves `reader` behind it. Checks everything: counts
  /// against what remains, UTF-8, that no word or n-gram comes twice, n-gram lengths, numbers of
  /// buckets and hashes, that the indices of n-grams have no gap.
  static Result<VocabularyChunk> read(ChunkId kind, ByteReader& reader);

  ChunkId chunk() const noexcept { return chunk_; }
  std::uint64_t num_words() const noexcept { return words_.size(); }
  /// Returns the number of rows that the storage must have.
  std::uint64_t num_rows() const noexcept { return num_words() + num_subword_rows_; }
  std::string_view word(std::uint64_t row) const noexcept { return words_.text(row); }
  /// Returns the row of a word; nothing if the word is unknown.
  std::optional<std::uint64_t> find(std::string_view word) const;
  /// Returns the rows whose sum is the vector of an unknown word, in the order of the reference
  /// libraries; empty if the word has none. `word` must be UTF-8.
  std::vector<std::uint64_t> subword_rows(std::string_view word) const;

  bool has_subwords() const noexcept { return chunk_ != ChunkId::simple_vocabulary; }
  std::uint64_t num_ngrams() const noexcept { return ngrams_.size(); }
  /// Returns a copy of the subwords that does not refer to the file; nothing if there are none.
  std::optional<Subwords> subwords() const;
  /// Returns a copy of the subwords' parameters, without the n-grams.
  std::optional<Subwords> subword_parameters() const;

 private:
  /// Strings in the file, and the table to find them.
  class Strings {
   public:
    /// Makes room for `count` strings, but only for as many as `remaining` bytes can hold.
    void reserve(std::uint64_t count, std::uint64_t remaining);
    /// Reads the next string, which must be new.
    Result<void> read(ByteReader& reader, std::string_view field);
    std::uint64_t size() const noexcept { return texts_.size(); }
    std::string_view text(std::uint64_t i) const noexcept;
    std::optional<std::uint64_t> find(std::string_view text) const;

   private:
    std::vector<const char*> texts_;  // Each string; its length (u32) stands before it.
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
  // The rows of ngrams_, counted from the first subword row.
  std::vector<std::uint64_t> ngram_indices_;
};

}  // namespace embd::finalfusion
