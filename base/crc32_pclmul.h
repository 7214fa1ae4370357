#pragma once

#include <cstddef>
#include <cstdint>

namespace embd::pclmul {

/// Folds whole blocks of 64 bytes, one or more, into 16 bytes that have the same remainder modulo
/// the polynomial of CRC-32: the register after the blocks, begun at `state`, is the register after
/// those 16, begun at 0. Neither inverts. Needs CpuFeatures::pclmul.
void fold_crc32(const unsigned char* blocks, std::size_t count, std::uint32_t state,
                unsigned char folded[16]) noexcept;

}  // namespace embd::pclmul
