#include "faces/server/server.h"

#include <fmt/format.h>

#include <utility>  // Asio of Boost 1.74 uses std::exchange without including it.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "base/os/process.h"
#include "base/os/sockets.h"
#include "base/try.h"
#include "embd/error.h"
#include "faces/server/connection.h"

namespace embd::server {
namespace {

constexpr int first_passed_descriptor = 3;

long number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  long value = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

/// Returns the listening socket that systemd has opened for this process, as the environment
/// variables LISTEN_PID and LISTEN_FDS tell (sd_listen_fds(3)); nothing if there is none. Fails
/// with invalid_argument if there are several.
Result<std::optional<int>> activated_socket() {
  if (number_in_environment("LISTEN_PID") != os::process_number()) return std::nullopt;
  const long count = number_in_environment("LISTEN_FDS");
  if (count < 1) return std::nullopt;
  if (count > 1)
    return fail(ErrorCode::invalid_argument, "systemd passed more than one socket, expected one");
  os::keep_to_this_process(first_passed_descriptor);
  return first_passed_descriptor;
}

/// Sends a state, "READY=1" or "STOPPING=1", to the service manager (sd_notify(3)). Does nothing if
/// no manager has asked for it (NOTIFY_SOCKET).
void notify_manager(std::string_view state) noexcept {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  os::send_to_local_socket(path, state);
}

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// The number of connections that the system keeps until the server accepts them.
constexpr int backlog = 4096;
/// The time for which idle connections are kept after a signal, so that a request that is on the
/// way is still answered.
constexpr std::chrono::milliseconds drain_grace{500};

Result<asio::ip::address> numeric_address(const std::string& host) {
  const std::string plain = host == "localhost" ? "127.0.0.1" : host;
  error_code error;
  auto address = asio::ip::make_address(plain, error);
  if (error) {
    return fail(ErrorCode::invalid_argument,
                "the host is \"{}\", expected an IP address such as 127.0.0.1 or ::1", host);
  }
  return address;
}

std::string url_of(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  return fmt::format(fmt::runtime(address.is_v6() ? "http://[{}]:{}" : "http://{}:{}"),
                     address.to_string(), endpoint.port());
}

std::string random_prefix() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}-", random(), random());
}

/// Accepts connections, and ends the server in an orderly way. Everything runs on the thread that
/// calls run().
class Listener {
 public:
  Listener(Service& service, const ServeOptions& options)
      : options_(options),
        background_(1),
        hub_{service, background_, options.access_log},
        acceptor_(io_),
        accept_again_(io_),
        signals_(io_, SIGINT, SIGTERM),
        end_(io_) {
    hub_.id_prefix = random_prefix();
#if defined(SIGBREAK)  // of Windows: Ctrl-Break, and a window that is closed
    error_code error;
    signals_.add(SIGBREAK, error);
#endif
  }
  /// Waits until no other thread can answer to a connection any more.
  ~Listener() {
    background_.join();
    hub_.service.scheduler().stop();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Result<void> listen();
  std::string url() const {
    error_code error;
    return url_of(acceptor_.local_endpoint(error));
  }
  void run();

 private:
  void accept();
  void take(tcp::socket socket);
  void await_signal();
  void drain();
  void await_end();
  void end_connections();

  const ServeOptions& options_;
  asio::thread_pool background_;
  Hub hub_;
  asio::io_context io_{1};  // Declared after the hub: its connections leave the hub in the end.
  tcp::acceptor acceptor_;
  asio::steady_timer accept_again_;
  asio::signal_set signals_;
  asio::steady_timer end_;
  Clock::time_point drained_at_;
};

Result<void> Listener::listen() {
  error_code error;
  if (const auto passed = EMBD_TRY(activated_socket())) {
    const os::SocketFamily family = os::family_of(*passed);
    if (family == os::SocketFamily::other)
      return fail(ErrorCode::invalid_argument,
                  "the socket that systemd passed is not a TCP socket");
    acceptor_.assign(family == os::SocketFamily::ip6 ? tcp::v6() : tcp::v4(), *passed, error);
    if (error)
      return fail(ErrorCode::io_failed,
                  "the socket that systemd passed cannot be used: " + error.message());
    return {};
  }
  const tcp::endpoint endpoint(EMBD_TRY(numeric_address(options_.host)), options_.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) os::prepare_to_listen(static_cast<int>(acceptor_.native_handle()));
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(backlog, error);
  if (error) {
    return fail(ErrorCode::io_failed, "the server cannot listen on {}: {}", url_of(endpoint),
                error.message());
  }
  return {};
}

void Listener::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (!error) take(std::move(socket));
    // This may be called after drain(), for a client that was accepted before.
    if (!acceptor_.is_open()) return;
    if (!error) return accept();
    // File descriptors or memory are used up. Other connections must end first.
    accept_again_.expires_after(std::chrono::milliseconds(100));
    accept_again_.async_wait([this](const error_code& stopped) {
      if (!stopped) accept();
    });
  });
}

void Listener::take(tcp::socket socket) {
  if (hub_.connections.size() >= hub_.service.limits().connections) {
    hub_.service.metrics().refused_connections.add();
    return;  // The socket's destructor closes the connection.
  }
  std::make_shared<Connection>(std::move(socket), hub_)->start();
}

void Listener::await_signal() {
  signals_.async_wait([this](const error_code& error, int) {
    if (error) return;
    if (hub_.service.draining()) {
      end_connections();
      io_.stop();
      return;
    }
    await_signal();
    drain();
  });
}

void Listener::drain() {
  notify_manager("STOPPING=1");
  hub_.service.drain();
  // Clients that have connected already are served.
  error_code error;
  acceptor_.cancel(error);
  acceptor_.non_blocking(true, error);
  while (!error) {
    tcp::socket socket(io_);
    acceptor_.accept(socket, error);
    if (!error) take(std::move(socket));
  }
  acceptor_.close(error);
  accept_again_.cancel();
  drained_at_ = Clock::now();
  // It runs after handlers that are queued already, such as one for an accepted client.
  asio::post(io_, [this] { await_end(); });
}

void Listener::await_end() {
  const Clock::duration passed = Clock::now() - drained_at_;
  if (hub_.connections.empty()) {
    signals_.cancel();
    return;
  }
  if (passed >= options_.drain) {
    end_connections();
    io_.stop();
    return;
  }
  if (passed >= drain_grace)
    for (Connection* connection : hub_.connections) connection->end_if_idle();
  end_.expires_after(std::chrono::milliseconds(20));
  end_.async_wait([this](const error_code& error) {
    if (!error) await_end();
  });
}

void Listener::end_connections() {
  const std::vector<Connection*> all(hub_.connections.begin(), hub_.connections.end());
  for (Connection* connection : all) connection->end();
}

void Listener::run() {
  accept();
  await_signal();
  io_.run();
}

}  // namespace

Result<bool> is_loopback(const std::string& host) {
  return EMBD_TRY(numeric_address(host)).is_loopback();
}

Result<void> serve(Service& service, const ServeOptions& options,
                   const std::function<void(const std::string& url)>& on_ready) {
  return guarded([&]() -> Result<void> {
    os::raise_file_limit();
    Listener listener(service, options);
    EMBD_TRY(listener.listen());
    on_ready(listener.url());
    notify_manager("READY=1");
    listener.run();
    return {};
  });
}

}  // namespace embd::server
