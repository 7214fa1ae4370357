#pragma once

#include <utility>  // Boost 1.74's Asio needs std::exchange and does not say so.

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "server/failure.h"
#include "server/message.h"

namespace embd::server {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;
using RequestFields = boost::beast::http::request_header<>;

/// Refuses a head that Boost.Beast takes and a second server on the way may read otherwise, so that
/// one's body would be the other's next request: a Transfer-Encoding that is not one lone
/// "chunked", or beside a Content-Length, or in HTTP/1.0; a Content-Length that is there twice or
/// is not digits; a Host that is not there once; another version than 1.0 and 1.1. Nothing if the
/// request is sound.
std::optional<Failure> check_framing(const RequestFields& fields);

/// Copied out of the fields before the body is read: a trailer would be put among them.
RequestHead head_of(const RequestFields& fields);

}  // namespace embd::server
