#include <zlib.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/os/cpu.h"

namespace embd {
namespace {

std::uint32_t zlib_crc32(Bytes bytes, std::uint32_t seed) noexcept {
  if (bytes.empty()) return seed;  // zlib takes a null pointer for a wish to start anew
  return static_cast<std::uint32_t>(
      ::crc32_z(seed, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace

std::uint32_t crc32(Bytes bytes, std::uint32_t seed) noexcept {
#if defined(__x86_64__)
  // zlib inverts its register before and after; a seed of all ones begins it at 0.
  if (constexpr std::size_t block = 64; bytes.size() >= 4 * block && cpu_features().pclmul) {
    std::array<std::byte, 16> folded;
    const std::size_t blocks = bytes.size() / block;
    pclmul::fold_crc32(reinterpret_cast<const unsigned char*>(bytes.data()), blocks, ~seed,
                       reinterpret_cast<unsigned char*>(folded.data()));
    return zlib_crc32(bytes.subspan(blocks * block), zlib_crc32(folded, ~0U));
  }
#endif
  return zlib_crc32(bytes, seed);
}

std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second,
                            std::size_t second_size) noexcept {
  return static_cast<std::uint32_t>(
      ::crc32_combine(first, second, static_cast<z_off_t>(second_size)));
}

}  // namespace embd
