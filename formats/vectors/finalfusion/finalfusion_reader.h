#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/byte_reader.h"
#include "embd/matrix.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"
#include "formats/vectors/finalfusion/vocabulary_chunk.h"

namespace embd::finalfusion {

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
