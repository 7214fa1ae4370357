#include "base/checksum.h"

// This is the only source, but for TLS, that uses OpenSSL: its SHA-256 takes a processor's own
// instructions. The functions are those that OpenSSL 3 calls deprecated. They do without EVP, which
// adds more than a megabyte to a program that links it statically.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <new>
#include <type_traits>

namespace embd {

namespace {

/// Makes OpenSSL's structure in the bytes of a member, or finds it there.
template <class T, std::size_t size>
T* make_in(std::array<std::byte, size>& bytes) noexcept {
  static_assert(sizeof(T) <= size && alignof(T) <= alignof(std::uint64_t) &&
                std::is_trivially_copyable_v<T>);
  return new (bytes.data()) T;
}
template <class T, std::size_t size>
T* in(std::array<std::byte, size>& bytes) noexcept {
  return std::launder(reinterpret_cast<T*>(bytes.data()));
}

}  // namespace

Sha256::Sha256() noexcept {
  SHA256_Init(make_in<SHA256_CTX>(context_));
}

void Sha256::update(Bytes bytes) noexcept {
  SHA256_Update(in<SHA256_CTX>(context_), bytes.data(), bytes.size());
}

std::array<std::byte, 32> Sha256::digest() noexcept {
  std::array<std::byte, 32> out = {};
  SHA256_Final(reinterpret_cast<unsigned char*>(out.data()), in<SHA256_CTX>(context_));
  return out;
}

Sha1::Sha1() noexcept {
  SHA1_Init(make_in<SHA_CTX>(context_));
}

void Sha1::update(Bytes bytes) noexcept {
  SHA1_Update(in<SHA_CTX>(context_), bytes.data(), bytes.size());
}

std::string Sha1::hex() noexcept {
  std::array<std::byte, SHA_DIGEST_LENGTH> out = {};
  SHA1_Final(reinterpret_cast<unsigned char*>(out.data()), in<SHA_CTX>(context_));
  return to_hex(out);
}

bool equal_in_constant_time(Bytes a, Bytes b) noexcept {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace embd
