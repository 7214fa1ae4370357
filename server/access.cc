#include "server/access.h"

#include <arpa/inet.h>

#include <algorithm>

namespace embd::server {
namespace {

/// A name with something else than a port behind it stays as it is, and is no name that is allowed.
std::string without_port(std::string_view host) {
  if (host.starts_with('[')) {
    const std::string_view rest = host.substr(std::min(host.find("]"), host.size()));
    if (!rest.starts_with("]:")) return std::string(host);
    return std::string(host.substr(0, host.size() - rest.size() + 1));
  }
  return std::string(host.substr(0, host.rfind(':')));
}

bool is_address(std::string host) {
  in6_addr address;
  if (host.starts_with('[') && host.ends_with(']')) {
    return inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &address) == 1;
  }
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

}  // namespace

bool Access::host_allowed(std::string_view host) const {
  if (!check_host || host.empty()) return true;
  std::string name = without_port(host);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name == "localhost" || name.ends_with(".localhost") || is_address(name) ||
         std::ranges::find(hosts, name) != hosts.end();
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
