#pragma once

#include <utility>  // Boost 1.74's Asio needs std::exchange and does not say so.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/optional.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "faces/server/failure.h"
#include "faces/server/message.h"
#include "faces/server/service.h"

namespace embd::server {

/// A type of body for Boost.Beast that consists of several strings. They are sent one after the
/// other, without being joined in memory.
struct PartsBody {
  using value_type = std::vector<std::string>;

  static std::uint64_t size(const value_type& parts) noexcept {
    std::uint64_t bytes = 0;
    for (const auto& part : parts) bytes += part.size();
    return bytes;
  }

  class writer {
   public:
    using const_buffers_type = std::vector<boost::asio::const_buffer>;

    template <bool is_request, class Fields>
    writer(const boost::beast::http::header<is_request, Fields>&, const value_type& parts)
        : parts_(parts) {}
    void init(boost::system::error_code& error) { error = {}; }
    boost::optional<std::pair<const_buffers_type, bool>> get(boost::system::error_code& error) {
      error = {};
      const_buffers_type buffers;
      for (const auto& part : parts_)
        if (!part.empty()) buffers.emplace_back(part.data(), part.size());
      if (buffers.empty()) return boost::none;
      return {{std::move(buffers), false}};
    }

   private:
    const value_type& parts_;
  };
};

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

class Connection;

/// The state that all connections of a server share. Only the thread that serves the connections
/// uses it.
struct Hub {
  Service& service;
  /// A thread that parses and tokenizes long bodies, so that they do not delay other connections.
  boost::asio::thread_pool& background;
  LogSink log = {};  ///< receives the access log; empty: there is no log
  std::unordered_set<Connection*> connections = {};
  std::string id_prefix = {};  ///< begins all request ids; differs between processes
  std::uint64_t requests = 0;  ///< the number of request ids made so far
};

/// A connection of a client. It reads a request, has the service answer it and sends the answer,
/// and repeats this until client or server closes the connection. It is listed in Hub.connections
/// until its coroutine ends; a worker that still has an answer for it keeps the object alive
/// longer.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, Hub& hub);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Starts serving the client.
  void start();
  /// Closes the connection if it is waiting for a request.
  void end_if_idle();
  /// Closes the connection at once, whatever it is doing.
  void end();

 private:
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;
  /// The request that is being served.
  struct Turn {
    RequestHead head = {};
    Service::Match match = {};
    Clock::time_point arrived;
    std::string id = {};
    bool keep_alive = false;
    bool body_unread = false;  ///< true while bytes of the body were not read yet
    unsigned version = 11;
    std::size_t body_bytes = 0;
  };

  Awaitable<void> run();
  void leave_hub() noexcept;
  /// Serves one request. Returns false if the connection is to be closed.
  Awaitable<bool> serve();
  Awaitable<bool> await_request();
  Awaitable<std::optional<Failure>> read_body(RequestParser& parser, Turn& turn,
                                              MemoryBudget::Share& memory);
  Awaitable<Response> compute(Turn& turn, std::string body);
  Awaitable<bool> send(Turn& turn, Response response);
  Awaitable<void> write(boost::beast::http::response_serializer<PartsBody>& serializer,
                        boost::system::error_code& error);
  Awaitable<void> linger();
  void limit_reading(Clock::time_point end);
  void watch_client(std::stop_source gone);
  void receive(Response response);
  std::string request_id(const Headers& headers);

  boost::beast::tcp_stream stream_;
  Hub& hub_;
  boost::beast::flat_buffer buffer_;
  boost::asio::steady_timer answered_;
  boost::asio::steady_timer reading_;
  std::optional<Response> response_;
  std::string remote_;
  bool idle_ = false;
  bool is_first_ = true;
  bool too_slow_ = false;  ///< true if limit_reading() has ended the reading
};

}  // namespace embd::server
