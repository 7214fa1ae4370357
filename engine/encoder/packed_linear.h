#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "embd/error.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"

namespace embd {

/// Gives out parts of a block of memory in steps of 64 bytes. Without memory it only measures how
/// much is needed.
class Arena {
 public:
  explicit Arena(std::byte* memory) : memory_(memory) {}

  void* bytes(std::size_t size) {
    std::byte* taken = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (size + 63) / 64 * 64;
    return taken;
  }
  float* floats(std::int64_t count) {
    return static_cast<float*>(bytes(static_cast<std::size_t>(count) * sizeof(float)));
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

/// The source of matrices to pack, and the kernels to pack them for.
struct PackingSource {
  const WeightFile& file;
  const kernels::Products& products;
  kernels::Arithmetic arithmetic;
  const SmoothingFactors& smoothing;  ///< for int8 only; may be empty
};

/// A linear step in the layout of the kernels: its packed matrix and its bias, in memory of an
/// Arena. Its rows are the rows of one or more modules, one below the other.
class PackedLinear {
 public:
  PackedLinear(Arena& arena, const PackingSource& source, std::vector<Module> modules);

  /// Packs the modules of a layer into the memory, which must exist. For int8, matrices that are
  /// stored as int8 are used unchanged, and others are rounded, with a scale for each block. For
  /// other arithmetics, all are converted to float32 first. Fails with unsupported for a matrix
  /// that is too wide for the arithmetic.
  Result<void> load(const PackingSource& source, std::uint32_t layer);
  kernels::Linear linear() const noexcept {
    return {packed_, bias_, in_, out_, smoothed_ ? inverse_smooth_ : nullptr, block_};
  }

 private:
  using Parts = std::vector<WeightMatrix>;
  Result<void> pack_floats(const Parts& parts, const kernels::Products& products);
  Result<void> pack_int8(const Parts& parts, const PackingSource& source, std::uint32_t layer);

  std::vector<Module> modules_;
  std::int64_t out_ = 0;
  std::int64_t in_ = 0;
  void* packed_;
  float* bias_;
  float* inverse_smooth_;
  std::int64_t block_ = 0;
  bool smoothed_ = false;
};

}  // namespace embd
