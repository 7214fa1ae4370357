#pragma once

#include <utility>  // Boost 1.74's Asio needs std::exchange and does not say so.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/serializer.hpp>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>

#include "faces/server/access_log.h"
#include "faces/server/http_gate.h"
#include "faces/server/parts_body.h"
#include "faces/server/service.h"

namespace embd::server {

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
