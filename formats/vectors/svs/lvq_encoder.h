#pragma once

#include <optional>

#include "embd/svs_options.h"
#include "formats/vectors/svs/binary_writer.h"

namespace embd::svs {

/// Bits of the primary codes, and of the residual ones if there are two levels.
struct LvqBits {
  unsigned primary = 8;
  std::optional<unsigned> residual;
};

/// nullopt for none.
std::optional<LvqBits> lvq_bits(SvsOptions::Quantizer quantizer) noexcept;

/// Encodes rows around `mean` [dim] and writes them, sequentially packed: the primary file's row is
/// its codes, float32 scale and bias, and the centroid's number, always 0; the residual file's row
/// is codes alone.
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
  // Scratch of one row.
  std::vector<float> centred_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::byte> bytes_;
};

}  // namespace embd::svs
