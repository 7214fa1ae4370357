#include "jobs/hub/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/try.h"
#include "base/utf8.h"

namespace embd::hub {
namespace {

/// The parts of an address or of a relative reference, as RFC 3986 calls them. Those that may be
/// absent have their delimiters: "http:", "//host", "?query".
struct Reference {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
  std::string_view query;
};

/// Cuts the beginning of `text` off, up to the first of `ends` or to its end, and returns it.
std::string_view cut(std::string_view& text, std::string_view ends) {
  const std::string_view part = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(part.size());
  return part;
}

Reference split(std::string_view text) {
  Reference parts;
  text = text.substr(0, text.find('#'));
  const std::size_t colon = text.find_first_of(":/?");
  if (colon != std::string_view::npos && text[colon] == ':' && is_ascii_letter(text.front())) {
    parts.scheme = text.substr(0, colon + 1);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    const std::string_view from_slashes = text;
    text.remove_prefix(2);
    parts.authority = from_slashes.substr(0, 2 + cut(text, "/?").size());
  }
  parts.path = cut(text, "?");
  parts.query = text;
  return parts;
}

/// Returns a path without the parts "." and "..", which lead to the folder itself and to the one
/// above.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    std::string_view part = path.substr(0, path.find('/', 1));  // with its slash in front
    path.remove_prefix(part.size());
    if (part == "/." || part == "/..") {
      if (part == "/..") out.erase(std::min(out.rfind('/'), out.size()));
      if (path.empty()) out += '/';
    } else {
      out += part;
    }
  }
  return out;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns an address without the name and the password in it.
std::string shown(std::string_view text) {
  const Reference parts = split(text);
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return std::string(text);
  return std::string(parts.scheme) + "//" + std::string(text.substr(at + 1));
}

}  // namespace

std::string Url::endpoint() const {
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string Url::authority() const {
  std::string text = endpoint();
  if (port == (is_encrypted ? "443" : "80")) text.erase(text.size() - port.size() - 1);
  return text;
}

bool Url::has_origin_of(const Url& other) const {
  return is_encrypted == other.is_encrypted && host == other.host && port == other.port;
}

Result<Url> parse_url(std::string_view text) {
  const Reference parts = split(text);
  const std::string scheme = in_small_letters(parts.scheme);
  Url url = {.is_encrypted = scheme == "https:"};
  if ((!url.is_encrypted && scheme != "http:") || parts.authority.empty())
    return fail(ErrorCode::invalid_argument,
                "{:?} is not an address that begins with http:// or https://", shown(text));
  std::string_view authority = parts.authority.substr(2);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    url.user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  const std::size_t colon = authority.find(':', std::min(bracket, authority.size()));
  const std::string_view host = authority.substr(0, colon);
  url.host = in_small_letters(bracket == 0 ? host : host.substr(1, host.size() - 2));
  url.port = url.is_encrypted ? "443" : "80";
  if (colon != std::string_view::npos && colon + 1 < authority.size())
    url.port = authority.substr(colon + 1);
  const bool is_bracketed = bracket == 0 || host.ends_with(']');
  if (url.host.empty() || !is_port(url.port) || !is_bracketed)
    return fail(ErrorCode::invalid_argument,
                "the address {:?} contains no host name or a port that is no number", shown(text));
  url.target = std::string(parts.path.empty() ? "/" : parts.path) + std::string(parts.query);
  return url;
}

std::string resolved_url(std::string_view base, std::string_view reference) {
  const Reference from = split(base);
  Reference to = split(reference);
  std::string path(to.path);
  if (to.scheme.empty() && to.authority.empty()) {
    if (to.path.empty()) {
      path = from.path;
      if (to.query.empty()) to.query = from.query;
    } else if (!to.path.starts_with('/')) {
      path = std::string(from.path.substr(0, from.path.rfind('/') + 1)) + path;
      if (!path.starts_with('/')) path.insert(0, "/");
    }
    to.authority = from.authority;
  }
  if (to.scheme.empty()) to.scheme = from.scheme;
  return fmt::format("{}{}{}{}", to.scheme, to.authority, without_dots(path), to.query);
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char byte = 0;
    const char* digits = text.data() + at + 1;
    const bool is_escape = text[at] == '%' && text.size() - at > 2 &&
                           std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += is_escape ? static_cast<char>(byte) : text[at];
    if (is_escape) at += 2;
  }
  return out;
}

}  // namespace embd::hub
