#include "faces/server/http_gate.h"

#include <algorithm>
#include <iterator>

namespace embd::server {
namespace {

namespace http = boost::beast::http;

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

std::optional<Failure> malformed(const char* what) {
  return Failure{Problem::malformed_http, what};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns the path of a target such as "http://host/path", as clients send it to a proxy. Other
/// targets are returned unchanged.
std::string_view without_authority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t path = target.find('/', scheme.size());
    return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
  }
  return target;
}

}  // namespace

std::optional<Failure> check_framing(const RequestFields& fields) {
  if (fields.version() != 10 && fields.version() != 11)
    return malformed("the version of HTTP is neither 1.0 nor 1.1");
  const auto lengths = fields.count(http::field::content_length);
  const auto encodings = fields.count(http::field::transfer_encoding);
  if (encodings > 0) {
    if (fields.version() == 10)
      return malformed("the header has the field Transfer-Encoding, which HTTP/1.0 does not know");
    if (lengths > 0)
      return malformed(
          "the header has both Transfer-Encoding and Content-Length, expected one of them");
    if (encodings > 1 || !boost::beast::iequals(fields[http::field::transfer_encoding], "chunked"))
      return malformed("the field Transfer-Encoding is not \"chunked\", or occurs more than once");
  }
  if (lengths > 1) return malformed("the field Content-Length occurs more than once");
  if (lengths == 1 && !is_number(view(fields[http::field::content_length])))
    return malformed("the field Content-Length is not a whole number");
  const auto hosts = fields.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && fields.version() == 11))
    return malformed("the header must have the field Host exactly once");
  const std::string_view target = view(fields.target());
  if (without_authority(target).empty() || without_authority(target).front() != '/') {
    if (target != "*")
      return malformed("the target of the request is not a path that begins with /");
  }
  return std::nullopt;
}

RequestHead head_of(const RequestFields& fields) {
  RequestHead head;
  head.method = view(fields.method_string());
  const std::string_view target = without_authority(view(fields.target()));
  const std::size_t mark = std::min(target.find('?'), target.size());
  head.path = plain_path(target.substr(0, mark));
  head.query = target.substr(std::min(mark + 1, target.size()));
  for (const auto& field : fields)
    head.headers.add(std::string(view(field.name_string())), std::string(view(field.value())));
  return head;
}

}  // namespace embd::server
