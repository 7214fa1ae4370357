#include "base/checksum.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>

#include "base/cpu.h"
#include "base/crc32_pclmul.h"

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

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_.get()), EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Free::operator()(void* context) const noexcept {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

void Sha256::update(Bytes bytes) noexcept {
  EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_.get()), bytes.data(), bytes.size());
}

std::array<std::byte, 32> Sha256::digest() noexcept {
  std::array<std::byte, 32> out = {};
  EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_.get()),
                     reinterpret_cast<unsigned char*>(out.data()), nullptr);
  return out;
}

std::string Sha256::hex() noexcept {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte b : digest()) {
    text += digits[std::to_integer<unsigned>(b >> 4)];
    text += digits[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return text;
}

std::string sha256_hex(Bytes bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace embd
