#include "jobs/hub/content_hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/checksum.h"
#include "base/hex.h"
#include "base/try.h"

namespace embd::hub {
namespace {

/// SHA-1 as Git uses it: the name of a blob, no proof against somebody who forges one.
class GitBlobHash {
 public:
  explicit GitBlobHash(std::uint64_t size) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha1(), nullptr);
    const std::string header = fmt::format("blob {}", size);
    EVP_DigestUpdate(context_.get(), header.c_str(), header.size() + 1);
  }
  void update(Bytes bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
    return to_hex(std::as_bytes(std::span(digest).first(size)));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
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
