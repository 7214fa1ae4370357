#include "faces/server/keys.h"

#include <openssl/crypto.h>

#include <algorithm>

#include "base/checksum.h"
#include "base/os/mapped_file.h"
#include "base/try.h"

namespace embd::server {
namespace {

std::array<std::byte, 32> hash_of(std::string_view key) {
  Sha256 hash;
  hash.update(key);
  return hash.digest();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_bearer(std::string_view scheme) {
  constexpr std::string_view bearer = "bearer ";
  return std::ranges::equal(scheme, bearer,
                            [](char a, char b) { return (a | 0x20) == (b | 0x20); });
}

}  // namespace

Result<void> Keys::add_file(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  const std::size_t before = hashes_.size();
  std::uint64_t line_number = 0;
  for (std::string_view rest = as_text(file.bytes()); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++line_number;
    if (line.empty() || line.starts_with('#')) continue;
    if (auto added = add(line); !added)
      return std::unexpected(std::move(added).error().at_line(line_number).in_file(path.native()));
  }
  if (hashes_.size() == before) {
    return fail_in(path, ErrorCode::missing,
                   "the file contains no API key, expected one key on each line");
  }
  return {};
}

Result<void> Keys::add(std::string_view key) {
  key = trimmed(key);
  if (key.empty())
    return fail(ErrorCode::invalid_argument, "the API key is empty or consists of blanks");
  if (std::ranges::any_of(key, is_control))
    return fail(ErrorCode::invalid_argument, "the API key contains a control character");
  hashes_.push_back(hash_of(key));
  return {};
}

bool Keys::open(std::string_view authorization) const {
  if (is_bearer(authorization.substr(0, 7))) authorization.remove_prefix(7);
  const auto hash = hash_of(trimmed(authorization));
  unsigned found = 0;
  for (const auto& known : hashes_)
    found |= static_cast<unsigned>(CRYPTO_memcmp(known.data(), hash.data(), hash.size()) == 0);
  return found != 0;
}

}  // namespace embd::server
