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

#include "server/access_log.h"
#include "server/http_gate.h"
#include "server/parts_body.h"
#include "server/service.h"

namespace embd::server {

class Connection;

/// The state that a server's connections share. Used by the one thread that serves them.
struct Hub {
  Service& service;
  /// For requests whose parsing would hold up the other connections.
  boost::asio::thread_pool& background;
  LogSink log = {};  ///< of requests; empty: none
  std::unordered_set<Connection*> connections = {};
  std::string id_prefix = {};  ///< of request ids, another for each process
  std::uint64_t requests = 0;
};

/// One client: reads a request, has the service answer it, sends the answer, until either side has
/// had enough. In the hub until its coroutine ends; a worker that answers it may keep it longer.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, Hub& hub);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  /// Ends it if it waits for a request.
  void end_if_idle();
  /// Ends it whatever it does.
  void end();

 private:
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;
  /// A request being served.
  struct Turn {
    RequestHead head = {};
    Service::Match match = {};
    Clock::time_point arrived;
    std::string id = {};
    bool keep_alive = false;
    bool body_unread = false;  ///< of the request, on the way or in the buffer
    unsigned version = 11;
    std::size_t body_bytes = 0;
  };

  Awaitable<void> run();
  void leave_hub() noexcept;
  /// False when the connection is to be closed.
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
  bool too_slow_ = false;  ///< reading ended by limit_reading()
};

}  // namespace embd::server
