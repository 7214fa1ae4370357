#include "base/checksum.h"

// Three functions that OpenSSL 3 calls deprecated are used here. They do without EVP, which adds
// more than a megabyte to a program that links it statically.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <type_traits>

#include "base/bytes.h"
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

Sha256::Sha256() noexcept {
  static_assert(sizeof(SHA256_CTX) <= sizeof(context_) &&
                alignof(SHA256_CTX) <= alignof(std::uint64_t) &&
                std::is_trivially_copyable_v<SHA256_CTX>);
  SHA256_Init(new (context_.data()) SHA256_CTX);
}

void Sha256::update(Bytes bytes) noexcept {
  SHA256_Update(std::launder(reinterpret_cast<SHA256_CTX*>(context_.data())), bytes.data(),
                bytes.size());
}

std::array<std::byte, 32> Sha256::digest() noexcept {
  std::array<std::byte, 32> out = {};
  SHA256_Final(reinterpret_cast<unsigned char*>(out.data()),
               std::launder(reinterpret_cast<SHA256_CTX*>(context_.data())));
  return out;
}

std::string Sha256::hex() noexcept {
  return to_hex(digest());
}

std::string sha256_hex(Bytes bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace embd
