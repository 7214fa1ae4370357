#pragma once

#include <utility>  // Boost 1.74's Asio needs std::exchange and does not say so.

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "faces/server/failure.h"
#include "faces/server/message.h"

namespace embd::server {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;
using RequestFields = boost::beast::http::request_header<>;

/// Checks the header of a request for forms that servers understand differently. If a proxy and
/// this server disagreed about where a body ends, a client could hide a request in it (request
/// smuggling).
///
/// Refuses a Transfer-Encoding other than a single "chunked", beside a Content-Length, or in
/// HTTP/1.0; a Content-Length that is present twice or not a number; a Host that is not present
/// exactly once (at most once in HTTP/1.0); a target that is not a path; and versions other
/// than 1.0 and 1.1. Returns nothing if the header is sound.
std::optional<Failure> check_framing(const RequestFields& fields);

/// Returns a copy of the header. It is made before the body is read, because Boost.Beast adds the
/// fields of a trailer to the header.
RequestHead head_of(const RequestFields& fields);

}  // namespace embd::server
