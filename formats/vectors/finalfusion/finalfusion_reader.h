#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/format_options.h"
#include "embd/matrix.h"
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

/// The rows of a mapped file, stored as float32 or by product quantization. A quantized row is the
/// concatenation of one centroid per slice. If the file has a projection, the row is then rotated
/// by it; if the quantizer has norms, the row is then multiplied by its norm. Refers to the file;
/// immutable.
class Storage {
 public:
  /// Reads the body of a storage chunk, which must have `num_rows` rows, and moves `reader` behind
  /// it. Checks every size and every code.
  static Result<Storage> read(ChunkId kind, std::uint64_t num_rows, ByteReader& reader);

  bool quantized() const noexcept { return num_slices_ != 0; }
  std::uint64_t num_rows() const noexcept { return num_rows_; }
  std::uint64_t dim() const noexcept { return dim_; }
  /// Returns the rows, [rows, dim], if they are stored as float32.
  std::optional<MatrixView> view() const noexcept;

  std::uint32_t num_slices() const noexcept { return num_slices_; }
  std::uint32_t num_centroids() const noexcept { return num_centroids_; }
  bool has_projection() const noexcept { return !projection_.empty(); }
  /// Returns true if the quantizer has norms of its own.
  bool has_norms() const noexcept { return norms_.data() != nullptr; }

  /// Reads rows [first, first + out.size() / dim) as float32.
  void read(std::uint64_t first, std::span<float> out) const;

  /// Calls `use(row, dot product)` for rows [0, num_rows), with the dot product of `query` [dim]
  /// and the row.
  void for_each_dot(std::span<const float> query, std::uint64_t num_rows,
                    const std::function<void(std::uint64_t, float)>& use) const;

 private:
  Storage() = default;
  Result<void> read_array(std::uint64_t num_rows, ByteReader& reader);
  Result<void> read_quantized(std::uint64_t num_rows, ByteReader& reader);
  std::span<const float> centroid(std::uint32_t slice, std::uint8_t code) const noexcept {
    const std::uint64_t slice_dim = dim_ / num_slices_;
    return codebooks_.subspan((std::uint64_t{slice} * num_centroids_ + code) * slice_dim,
                              slice_dim);
  }

  std::uint64_t num_rows_ = 0;
  std::uint64_t dim_ = 0;
  std::span<const float> values_;  // [rows, dim]
  // Quantized:
  std::uint32_t num_slices_ = 0;
  std::uint32_t num_centroids_ = 0;
  std::span<const float> projection_;  // [dim, dim]
  std::span<const float> codebooks_;   // [slices, centroids, dim / slices]
  std::span<const float> norms_;       // [rows]
  Bytes codes_;                        // [rows, slices]
};

/// Reads the float32 array of a chunk: the padding after its fixed fields, which end at `reader`,
/// then `count` values.
Result<std::span<const float>> read_padded_floats(std::uint64_t count, ByteReader& reader,
                                                  std::string_view field);

struct Chunk {
  ChunkId id;
  std::uint64_t offset = 0;        ///< Where the chunk's id is in the file.
  std::uint64_t length_field = 0;  ///< The length that the file states.
  std::uint64_t body_bytes = 0;    ///< The actual length of the body.
};

/// The parts of a finalfusion file. All of them refer to the bytes of the file.
struct Parts {
  std::vector<std::uint32_t> header_ids;
  std::vector<Chunk> chunks;
  std::optional<std::string_view> metadata;  ///< TOML, checked
  VocabularyChunk vocabulary;
  Storage storage;
  std::optional<std::span<const float>> norms;  ///< The original lengths of the rows of words.
  std::uint64_t trailing_bytes = 0;  ///< The bytes after the norms, which readers ignore.
};

/// Reads the structure of a file and checks everything but the float values. A file that both
/// reference libraries read in the same way is accepted; all others are refused. `file` must be at
/// an address that is a multiple of 4 and outlive the parts. This reads the vocabulary, and the
/// codes if there are fewer than 256 centroids. Float32 rows are not read.
Result<Parts> read_parts(Bytes file);

}  // namespace embd::finalfusion
