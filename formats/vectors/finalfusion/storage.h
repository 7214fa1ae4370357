#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/byte_reader.h"
#include "embd/matrix.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"

namespace embd::finalfusion {

/// Rows as a mapped file stores them: float32, or product-quantized. A quantized row is the
/// concatenation of one centroid a slice, turned by the projection and multiplied by its norm,
/// where the file has these. Views into the file; immutable.
class Storage {
 public:
  /// Reads the body of a storage chunk, which must have `num_rows` rows; `reader` is left behind
  /// it. Checks every size and every code.
  static Result<Storage> read(ChunkId kind, std::uint64_t num_rows, ByteReader& reader);

  bool quantized() const noexcept { return num_slices_ != 0; }
  std::uint64_t num_rows() const noexcept { return num_rows_; }
  std::uint64_t dim() const noexcept { return dim_; }
  /// [rows, dim] where the rows are float32.
  std::optional<MatrixView> view() const noexcept;

  std::uint32_t num_slices() const noexcept { return num_slices_; }
  std::uint32_t num_centroids() const noexcept { return num_centroids_; }
  bool has_projection() const noexcept { return !projection_.empty(); }
  /// Norms inside the quantizer.
  bool has_norms() const noexcept { return norms_.data() != nullptr; }

  /// Rows [first, first + out.size() / dim) as float32.
  void read(std::uint64_t first, std::span<float> out) const;

  /// Calls `use(row, dot product of `query` [dim] with it)` for rows [0, num_rows).
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

/// The float32 array of a chunk whose fixed fields end at `reader`: the padding, then `count`
/// values.
Result<std::span<const float>> read_padded_floats(std::uint64_t count, ByteReader& reader,
                                                  std::string_view field);

}  // namespace embd::finalfusion
