#include "faces/server/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/sockets.h"
#include "base/try.h"

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

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
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
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("the allowed host is \"{}\", expected a name without scheme, port or path",
                    host));
  }
  for (const auto& origin : origins) {
    if (is_origin(origin)) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("the allowed origin is \"{}\", expected an origin as browsers send it: "
                            "https://name or http://name:port in lower case, without a path and "
                            "without the default port of the scheme",
                            origin));
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

}  // namespace embd::server
