#include "faces/server/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checksum.h"
#include "base/os/mapped_file.h"
#include "base/os/sockets.h"
#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd::server {
namespace {

/// Returns a host without its port. If something else stands behind the name, the text is returned
/// unchanged, so that it is not accepted as a name.
std::string without_port(std::string_view host) {
  if (host.starts_with('[')) {
    const std::string_view rest = host.substr(std::min(host.find(']'), host.size()));
    if (!rest.starts_with("]:")) return std::string(host);
    return std::string(host.substr(0, host.size() - rest.size() + 1));
  }
  return std::string(host.substr(0, host.rfind(':')));
}

bool is_address(const std::string& host) {
  if (host.starts_with('[') && host.ends_with(']'))
    return os::is_ip6_address(host.substr(1, host.size() - 2));
  return os::is_ip4_address(host);
}

constexpr std::string_view small_letters_and_digits = "abcdefghijklmnopqrstuvwxyz0123456789";

bool consists_of(std::string_view text, std::string_view further) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return small_letters_and_digits.contains(c) || further.contains(c);
  });
}

bool is_origin(std::string_view text) {
  if (text == "*" || text == "null") return true;
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos) return false;
  const std::string_view scheme = text.substr(0, end);
  const std::string_view host = text.substr(end + 3);
  const bool names_its_own_port =
      (scheme == "http" && host.ends_with(":80")) || (scheme == "https" && host.ends_with(":443"));
  return consists_of(scheme, "+-.") && consists_of(host, "-._:[]") && !names_its_own_port;
}

}  // namespace

Result<void> Access::check() const {
  for (const auto& host : hosts) {
    if (consists_of(in_small_letters(host), "-._")) continue;
    return fail(ErrorCode::invalid_argument,
                "the allowed host is \"{}\", expected a name without scheme, port or path", host);
  }
  for (const auto& origin : origins) {
    if (is_origin(origin)) continue;
    return fail(ErrorCode::invalid_argument,
                "the allowed origin is \"{}\", expected an origin as browsers send it: "
                "https://name or http://name:port in lower case, without a path and "
                "without the default port of the scheme",
                origin);
  }
  return {};
}

bool Access::host_allowed(std::string_view host) const {
  if (!check_host || host.empty()) return true;
  const std::string name = in_small_letters(without_port(host));
  return name == "localhost" || name.ends_with(".localhost") || is_address(name) ||
         std::ranges::find(hosts, name, in_small_letters) != hosts.end();
}

bool Access::origin_allowed(std::string_view origin, std::string_view host) const {
  if (origin.empty() || is_cors_origin(origin)) return true;
  const std::size_t scheme = origin.find("://");
  return scheme != std::string_view::npos && origin.substr(scheme + 3) == host;
}

bool Access::is_cors_origin(std::string_view origin) const {
  return std::ranges::any_of(
      origins, [&](const auto& allowed) { return allowed == "*" || allowed == origin; });
}

namespace {

std::array<std::byte, 32> hash_of(std::string_view key) {
  Sha256 hash;
  hash.update(key);
  return hash.digest();
}

constexpr std::string_view blanks = " \t\r\n";

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
    const std::string_view line = trimmed(rest.substr(0, end), blanks);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++line_number;
    if (line.empty() || line.starts_with('#')) continue;
    if (auto added = add(line); !added)
      return std::unexpected(
          std::move(added).error().at_line(line_number).in_file(text_of_path(path)));
  }
  if (hashes_.size() == before) {
    return fail_in(path, ErrorCode::missing,
                   "the file contains no API key, expected one key on each line");
  }
  return {};
}

Result<void> Keys::add(std::string_view key) {
  key = trimmed(key, blanks);
  if (key.empty())
    return fail(ErrorCode::invalid_argument, "the API key is empty or consists of blanks");
  if (std::ranges::any_of(key, is_control))
    return fail(ErrorCode::invalid_argument, "the API key contains a control character");
  hashes_.push_back(hash_of(key));
  return {};
}

bool Keys::open(std::string_view authorization) const {
  if (is_bearer(authorization.substr(0, 7))) authorization.remove_prefix(7);
  const auto hash = hash_of(trimmed(authorization, blanks));
  unsigned found = 0;  // Whichever key it is, all are compared.
  for (const auto& known : hashes_)
    found |= static_cast<unsigned>(equal_in_constant_time(known, hash));
  return found != 0;
}

}  // namespace embd::server
