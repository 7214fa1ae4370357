#pragma once

#include <optional>

#include "embd/format_options.h"
#include "formats/vectors/svs/binary_writer.h"

namespace embd::svs {

/// The number of bits of the primary codes and, if there are two levels, of the residual codes.
struct LvqBits {
  unsigned primary = 8;
  std::optional<unsigned> residual;
};

/// Returns the bits of a quantizer; nullopt for no quantizer.
std::optional<LvqBits> lvq_bits(SvsOptions::Quantizer quantizer) noexcept;

/// Encodes rows by LVQ around their mean and writes them sequentially packed. A row of the primary
/// file has its codes, a scale and a bias as float32, and the number of its centroid, which is
/// always 0. A row of the residual file has codes only.
class LvqEncoder {
 public:
  static Result<LvqEncoder> create(LvqBits bits, std::span<const float> mean,
                                   const std::filesystem::path& primary,
                                   const std::filesystem::path& residual);

  Result<void> append(std::span<const float> row);

  struct Uuids {
    Uuid primary;
    Uuid residual;
  };
  Result<Uuids> finish(std::uint64_t rows);

 private:
  LvqEncoder(LvqBits bits, std::span<const float> mean, BinaryWriter primary)
      : bits_(bits), mean_(mean.begin(), mean.end()), primary_(std::move(primary)) {}

  LvqBits bits_;
  std::vector<float> mean_;
  BinaryWriter primary_;
  std::optional<BinaryWriter> residual_;
  // Working memory for one row.
  std::vector<float> centred_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::byte> bytes_;
};

}  // namespace embd::svs
