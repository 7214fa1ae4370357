#include "faces/server/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <iterator>
#include <limits>

#include "base/os/sockets.h"
#include "base/utf8.h"

namespace embd::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

std::optional<Failure> malformed(const char* what) {
  return Failure{Problem::malformed_http, what};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 && std::ranges::all_of(text, is_ascii_digit);
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

/// The size of the buffer for reading. The header of a request fits in it, and the header of a
/// chunk must.
constexpr std::size_t buffer_bytes = 16384;
/// The largest size of a body that the thread that serves the connections parses and tokenizes
/// itself. That takes less than a millisecond.
constexpr std::size_t small_body_bytes = 32768;
/// The time and the number of bytes that are still read from a client that was refused while it was
/// sending. If the connection were closed with unread bytes, the client's system would drop the
/// answer before the client reads it.
constexpr std::chrono::seconds linger_time{2};
constexpr std::size_t linger_bytes = std::size_t{64} << 20;

auto with(error_code& error) {
  return asio::redirect_error(asio::use_awaitable, error);
}

/// Returns the failure to answer with after a failed read; nothing if the client has gone.
std::optional<Failure> reading_failure(const error_code& error, bool too_slow) {
  if (too_slow) return Failure{Problem::slow_client, "the request was sent too slowly"};
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return Failure{Problem::header_too_large,
                   "the header of the request is longer than the server accepts"};
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != http::make_error_code(http::error::bad_method).category())
    return std::nullopt;
  return Failure{Problem::malformed_http,
                 fmt::format("the request is not valid HTTP: {}", error.message())};
}

bool is_plain_id(std::string_view id) {
  constexpr std::size_t most = 128;
  return !id.empty() && id.size() <= most && std::ranges::all_of(id, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
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

Connection::Connection(asio::ip::tcp::socket socket, Hub& hub)
    : stream_(std::move(socket)),
      hub_(hub),
      buffer_(buffer_bytes),
      answered_(stream_.get_executor()),
      reading_(stream_.get_executor()) {
  error_code error;
  const auto peer = stream_.socket().remote_endpoint(error);
  if (!error) remote_ = peer.address().to_string();
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), error);
  hub_.connections.insert(this);
  hub_.service.connections().fetch_add(1);
}

void Connection::leave_hub() noexcept {
  hub_.connections.erase(this);
  hub_.service.connections().fetch_sub(1);
}

void Connection::start() {
  asio::co_spawn(
      stream_.get_executor(), [self = shared_from_this()] { return self->run(); }, asio::detached);
}

void Connection::end_if_idle() {
  error_code error;
  if (idle_) stream_.socket().cancel(error);
}

void Connection::end() {
  stream_.close();
}

Connection::Awaitable<void> Connection::run() {
  // The connection leaves the hub here, on the only thread that may use the hub. The destructor may
  // run on another thread, because a worker may hold the last reference.
  const auto leave = [](Connection* connection) { connection->leave_hub(); };
  const std::unique_ptr<Connection, decltype(leave)> member(this, leave);
  try {
    while (co_await serve()) {
    }
    error_code error;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, error);
  } catch (const std::exception&) {
    // After an exception, such as one for lack of memory, only this client's connection ends.
  }
}

Connection::Awaitable<bool> Connection::await_request() {
  if (buffer_.size() > 0) co_return true;  // It came together with the last request.
  const Limits& limits = hub_.service.limits();
  stream_.expires_after(is_first_ ? limits.header_time : limits.idle_time);
  constexpr std::size_t usual_header_bytes = 2048;
  error_code error;
  idle_ = true;
  const std::size_t bytes =
      co_await stream_.async_read_some(buffer_.prepare(usual_header_bytes), with(error));
  idle_ = false;
  buffer_.commit(bytes);
  if (!error) co_return true;
  // end_if_idle() has ended the waiting. A request that has arrived already is still served.
  error_code ignored;
  co_return error == asio::error::operation_aborted&& stream_.socket().available(ignored) > 0;
}

/// Ends reading at the time `end` and sets too_slow_. In contrast to the time limit of the stream,
/// it leaves the socket open, so that the client gets an answer about it.
void Connection::limit_reading(Clock::time_point end) {
  reading_.expires_at(end);
  if (end == Clock::time_point::max()) return;
  too_slow_ = false;
  reading_.async_wait([self = shared_from_this()](const error_code& stopped) {
    // A call for an earlier limit, which was moved since, is ignored.
    if (stopped || self->reading_.expiry() > Clock::now()) return;
    self->too_slow_ = true;
    error_code error;
    self->stream_.socket().cancel(error);
  });
}

Connection::Awaitable<bool> Connection::serve() {
  if (!co_await await_request()) co_return false;
  is_first_ = false;
  const Limits& limits = hub_.service.limits();
  Turn turn = {.arrived = Clock::now()};
  RequestParser parser;
  parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  // The limit for the body is set later, because reasons to refuse the header are checked first.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  error_code error;
  stream_.expires_never();
  limit_reading(Clock::now() + limits.header_time);
  co_await http::async_read_header(stream_, buffer_, parser, with(error));
  limit_reading(Clock::time_point::max());
  auto failure = error ? reading_failure(error, too_slow_) : check_framing(parser.get());
  if (error && !failure) co_return false;
  if (failure) {
    turn.match = hub_.service.match(turn.head);
    turn.body_unread = true;
    co_return co_await send(turn, hub_.service.refusal(turn.match, *failure, turn.arrived));
  }
  turn.head = head_of(parser.get());
  turn.version = parser.get().version();
  turn.keep_alive = parser.keep_alive();
  turn.id = request_id(turn.head.headers);
  turn.body_unread = !parser.is_done();
  if (auto preflight = hub_.service.preflight(turn.head, turn.arrived))
    co_return co_await send(turn, std::move(*preflight));
  turn.match = hub_.service.match(turn.head);
  failure = hub_.service.screen(turn.match, turn.head);
  MemoryBudget::Share memory;
  if (!failure && !parser.is_done()) {
    const std::uint64_t length = parser.content_length().value_or(0);
    if (length > limits.body_bytes) {
      failure = Failure{Problem::body_too_large,
                        fmt::format("the body of the request has {} bytes, expected at most {}",
                                    length, limits.body_bytes)};
    } else {
      failure = co_await read_body(parser, turn, memory);
      limit_reading(Clock::time_point::max());
      if (failure && failure->problem == Problem::gone) co_return false;
    }
  }
  if (failure)
    co_return co_await send(turn, hub_.service.refusal(turn.match, *failure, turn.arrived));
  turn.body_unread = false;
  Response response = co_await compute(turn, std::move(parser.get().body()));
  co_return co_await send(turn, std::move(response));
}

Connection::Awaitable<std::optional<Failure>> Connection::read_body(RequestParser& parser,
                                                                    Turn& turn,
                                                                    MemoryBudget::Share& memory) {
  const Limits& limits = hub_.service.limits();
  parser.body_limit(limits.body_bytes);
  error_code error;
  if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
    stream_.expires_after(limits.header_time);
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await asio::async_write(stream_, asio::buffer(go_on), with(error));
    if (error) co_return Failure{Problem::gone};
    stream_.expires_never();
  }
  const Clock::time_point start = Clock::now();
  const std::string& body = parser.get().body();
  while (!parser.is_done()) {
    // Memory is reserved for the bytes that have come, not for those that are announced, because
    // announcing costs a client nothing.
    if (!hub_.service.memory().extend(memory, body.size() + buffer_bytes))
      co_return Failure{
          Problem::overloaded,
          "the requests that are being read take all the memory for requests: try again later",
          {},
          1};
    const std::chrono::seconds earned(body.size() / limits.least_body_bytes_per_second);
    limit_reading(start + limits.header_time + earned);
    co_await http::async_read_some(stream_, buffer_, parser, with(error));
    if (error == http::error::body_limit) {
      co_return Failure{
          Problem::body_too_large,
          fmt::format(
              "the body of the request has more than {} bytes, the most that the server accepts",
              limits.body_bytes)};
    }
    if (error) {
      const auto failure = reading_failure(error, too_slow_);
      co_return failure ? *failure : Failure{Problem::gone};
    }
  }
  turn.body_bytes = body.size();
  co_return std::nullopt;
}

Connection::Awaitable<Response> Connection::compute(Turn& turn, std::string body) {
  const std::stop_source gone;
  const bool in_background = body.size() > small_body_bytes;
  Request request = {turn.head, std::move(body), turn.id};
  const auto reply = [self = shared_from_this()](Response response) {
    asio::dispatch(self->stream_.get_executor(), [self, response = std::move(response)]() mutable {
      self->receive(std::move(response));
    });
  };
  stream_.expires_never();
  answered_.expires_at(Clock::time_point::max());
  if (in_background) {
    asio::post(hub_.background,
               [this, self = shared_from_this(), match = turn.match, gone, arrived = turn.arrived,
                request = std::move(request), reply]() mutable {
                 hub_.service.handle(match, std::move(request), gone.get_token(), arrived, reply);
               });
  } else {
    hub_.service.handle(turn.match, std::move(request), gone.get_token(), turn.arrived, reply);
  }
  if (!response_) {
    if (buffer_.size() == 0) watch_client(gone);
    error_code error;
    while (!response_) co_await answered_.async_wait(with(error));
    stream_.socket().cancel(error);  // ends watch_client()
  }
  Response response = std::move(*response_);
  response_.reset();
  co_return response;
}

void Connection::receive(Response response) {
  response_ = std::move(response);
  answered_.cancel();
}

void Connection::watch_client(std::stop_source gone) {
  stream_.socket().async_wait(
      asio::ip::tcp::socket::wait_read,
      [self = shared_from_this(), gone = std::move(gone)](const error_code& error) mutable {
        if (error) return;
        if (os::has_peer_left(static_cast<int>(self->stream_.socket().native_handle())))
          gone.request_stop();
      });
}

std::string Connection::request_id(const Headers& headers) {
  const std::string_view given = headers.get("x-request-id");
  if (is_plain_id(given)) return std::string(given);
  return fmt::format("{}{:06x}", hub_.id_prefix, ++hub_.requests);
}

Connection::Awaitable<bool> Connection::send(Turn& turn, Response response) {
  const Service& service = hub_.service;
  service.add_common_headers(turn.head, response);
  const std::size_t answer_bytes = response.body_bytes();
  const bool keep_alive = turn.keep_alive && !turn.body_unread && !service.draining();
  http::response<PartsBody> message;
  message.result(static_cast<unsigned>(response.status));
  if (response.status == 499) message.reason("Client Closed Request");
  message.version(turn.version);
  message.keep_alive(keep_alive);
  if (!response.content_type.empty()) message.set(http::field::content_type, response.content_type);
  if (!turn.id.empty()) message.set("x-request-id", turn.id);
  for (const auto& [name, value] : response.headers) message.insert(name, value);
  if (response.status != 204) message.content_length(answer_bytes);

  error_code error;
  message.body() = std::move(response.body);
  http::response_serializer<PartsBody> serializer(message);
  if (turn.head.method == "HEAD") {
    stream_.expires_after(service.limits().idle_time);
    co_await http::async_write_header(stream_, serializer, with(error));
  } else {
    co_await write(serializer, error);
  }
  if (hub_.log) {
    const std::chrono::duration<double, std::milli> time = Clock::now() - turn.arrived;
    hub_.log(access_line({.request_id = turn.id,
                          .remote = remote_,
                          .head = turn.head,
                          .status = response.status,
                          .body_bytes = turn.body_bytes,
                          .answer_bytes = answer_bytes,
                          .milliseconds = time.count()}));
  }
  if (error) co_return false;
  if (!keep_alive) co_await linger();
  co_return keep_alive;
}

/// Sends a response. The connection is given up if the client reads nothing for Limits.idle_time,
/// or reads too slowly, because the answer holds memory that other requests need.
Connection::Awaitable<void> Connection::write(http::response_serializer<PartsBody>& serializer,
                                              error_code& error) {
  const Limits& limits = hub_.service.limits();
  const Clock::time_point start = Clock::now();
  std::size_t written = 0;
  while (!serializer.is_done() && !error) {
    const std::chrono::seconds earned(written / limits.least_answer_bytes_per_second);
    stream_.expires_at(std::min(start + earned, Clock::now()) + limits.idle_time);
    written += co_await http::async_write_some(stream_, serializer, with(error));
  }
}

Connection::Awaitable<void> Connection::linger() {
  error_code error;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
  if (error) co_return;
  stream_.expires_after(linger_time);
  std::array<char, 4096> scrap;
  for (std::size_t read = 0; read < linger_bytes && !error;)
    read += co_await stream_.async_read_some(asio::buffer(scrap), with(error));
}

}  // namespace embd::server
