#pragma once

#include <cstddef>
#include <cstdint>

namespace embd::pclmul {

/// Folds `count` whole blocks of 64 bytes, at least one, into 16 bytes with the same remainder
/// modulo the polynomial of CRC-32. The CRC register after the blocks, beginning at `state`, equals
/// the register after the 16 bytes, beginning at 0, both without the inversion of CRC-32. Needs
/// CpuFeatures::pclmul.
void fold_crc32(const unsigned char* blocks, std::size_t count, std::uint32_t state,
                unsigned char folded[16]) noexcept;

}  // namespace embd::pclmul
