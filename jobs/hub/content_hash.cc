#include "jobs/hub/content_hash.h"

// OpenSSL's older functions are used, as in base/checksum.cc. EVP would add more than a megabyte to
// a wheel.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/checksum.h"
#include "base/hex.h"
#include "base/try.h"

namespace embd::hub {
namespace {

/// Computes SHA-1 as Git does for a blob. It identifies a blob, but is no protection against forged
/// content.
class GitBlobHash {
 public:
  explicit GitBlobHash(std::uint64_t size) {
    SHA1_Init(&context_);
    const std::string header = fmt::format("blob {}", size);
    SHA1_Update(&context_, header.c_str(), header.size() + 1);
  }
  void update(Bytes bytes) { SHA1_Update(&context_, bytes.data(), bytes.size()); }
  std::string hex() {
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
    SHA1_Final(digest.data(), &context_);
    return to_hex(std::as_bytes(std::span(digest)));
  }

 private:
  SHA_CTX context_ = {};
};

}  // namespace

Result<ContentHash> content_hash(const FileDescriptor& file, std::uint64_t size,
                                 const std::filesystem::path& path) {
  Sha256 sha256;
  GitBlobHash git(size);
  std::vector<std::byte> block(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
  for (std::uint64_t at = 0; at < size;) {
    const std::span some = std::span(block).first(std::min<std::uint64_t>(block.size(), size - at));
    EMBD_TRY(file.read_at(at, some, path));
    sha256.update(some);
    git.update(some);
    at += some.size();
  }
  return ContentHash{.sha256 = sha256.hex(), .git_sha1 = git.hex()};
}

}  // namespace embd::hub
