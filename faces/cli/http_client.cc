#include "faces/cli/http_client.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/base64.h"
#include "base/try.h"
#include "jobs/hub/hub_requests.h"
#include "jobs/hub/url.h"

namespace embd::cli {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
namespace ssl = net::ssl;
using boost::system::error_code;
using hub::Url;
using Tcp = net::ip::tcp;
using Plain = beast::tcp_stream;
using Encrypted = beast::ssl_stream<beast::tcp_stream>;

constexpr std::chrono::seconds patience{30};

std::string variable(const char* lower, const char* upper) {
  for (const char* name : {lower, upper})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return {};
}

/// Returns a host name in the form in which it is compared.
std::string comparable(std::string_view name) {
  while (name.starts_with(' ') || name.starts_with('.')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  std::string out(name);
  std::ranges::transform(out, out.begin(), beast::detail::ascii_tolower);
  return out;
}

/// Returns true if NO_PROXY names the host, with or without the port, or a domain of it.
bool goes_directly(const Url& url) {
  const std::string list = variable("no_proxy", "NO_PROXY");
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string name = comparable(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (name == "*") return true;
    for (const std::string& host : {url.host, "[" + url.host + "]", url.endpoint()})
      if (!name.empty() && (host == name || host.ends_with("." + name))) return true;
  }
  return false;
}

/// Returns the proxy for a URL; nothing if no proxy is to be used. Errors do not repeat the address
/// of the proxy, which may contain a password.
Result<std::optional<Url>> proxy_for(const Url& url) {
  std::string proxy = url.is_encrypted ? variable("https_proxy", "HTTPS_PROXY")
                                       : variable("http_proxy", "HTTP_PROXY");
  if (proxy.empty() || goes_directly(url)) return std::nullopt;
  if (!proxy.contains("://")) proxy.insert(0, "http://");
  auto parsed = hub::parse_url(proxy);
  if (parsed) return *std::move(parsed);
  return fail(ErrorCode::invalid_argument,
              "the environment variable {} contains no address of a proxy, expected "
              "http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, where %XX stands for a "
              "character such as / or @ in the password",
              url.is_encrypted ? "HTTPS_PROXY" : "HTTP_PROXY");
}

/// Returns the header Proxy-Authorization for a proxy; empty if its address names no user.
std::string authorization_of(const Url& proxy) {
  if (proxy.user.empty()) return {};
  const std::size_t colon = std::min(proxy.user.find(':'), proxy.user.size());
  const std::string name = hub::unescaped(proxy.user.substr(0, colon));
  const std::string password =
      hub::unescaped(proxy.user.substr(std::min(colon + 1, proxy.user.size())));
  return "Basic " + encode_base64(name + ":" + password);
}

/// The search for the addresses of a host. The system's function can neither be stopped nor limited
/// in time, so it runs on a thread of its own, which ends by itself and shares this structure.
struct Lookup {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool is_done = false;
  error_code error = net::error::timed_out;
  Tcp::resolver::results_type addresses;

  static std::shared_ptr<Lookup> start(std::string host, std::string port) {
    auto lookup = std::make_shared<Lookup>();
    std::thread([lookup, host = std::move(host), port = std::move(port)] {
      net::io_context context;
      error_code error;
      auto addresses = Tcp::resolver(context).resolve(host, port, error);
      const std::lock_guard lock(lookup->mutex);
      lookup->error = error;
      lookup->addresses = std::move(addresses);
      lookup->is_done = true;
      lookup->changed.notify_all();
    }).detach();
    return lookup;
  }
};

/// A request, which is sent on a new connection.
class Exchange {
 public:
  Exchange(const HttpRequest& request, const HttpBodySink& body, const std::stop_token& stop)
      : request_(request), body_(body), stop_(stop) {}

  HttpResult run() {
    url_ = EMBD_TRY(hub::parse_url(request_.url));
    proxy_ = EMBD_TRY(proxy_for(url_));
    if (url_.is_encrypted) return run_encrypted();
    Plain stream(context_);
    EMBD_TRY(connect(stream));
    return send(stream);
  }

 private:
  /// Returns the failure of a step. It may pass, unless another attempt would fail in the same way.
  std::unexpected<HttpFailure> failure(std::string_view step, const error_code& error) const {
    if (stop_.stop_requested()) return std::unexpected<HttpFailure>(fail_stopped().error());
    const bool is_refused_certificate =
        error.category() == net::error::get_ssl_category() &&
        ERR_GET_REASON(error.value()) == SSL_R_CERTIFICATE_VERIFY_FAILED;
    const bool may_pass = !is_refused_certificate && error != net::error::host_not_found;
    return std::unexpected(HttpFailure(
        Error(ErrorCode::io_failed, fmt::format("{}: {}: {}", request_.url, step, error.message())),
        may_pass));
  }

  /// Starts an asynchronous operation and waits until it has ended with an error code.
  template <class Start>
  error_code wait(Plain& stream, Start start) {
    error_code result;
    stream.expires_after(patience);
    start([&result](const error_code& error, auto&&...) { result = error; });
    // Waits in short steps, because a stop may be requested meanwhile.
    context_.restart();
    while (!context_.stopped() && !stop_.stop_requested())
      context_.run_for(std::chrono::milliseconds(100));
    if (stop_.stop_requested()) {
      stream.cancel();
      context_.restart();
      context_.run();
    }
    return result;
  }

  std::expected<void, HttpFailure> connect(Plain& stream) {
    const Url& first = proxy_ ? *proxy_ : url_;
    const auto lookup = Lookup::start(first.host, first.port);
    std::unique_lock lock(lookup->mutex);
    lookup->changed.wait_for(lock, stop_, patience, [&] { return lookup->is_done; });
    if (lookup->error)
      return failure(fmt::format("the address of the host {} could not be found", first.host),
                     lookup->error);
    const error_code error =
        wait(stream, [&](auto done) { stream.async_connect(lookup->addresses, std::move(done)); });
    if (error)
      return failure(fmt::format("the connection to {} could not be made", first.endpoint()),
                     error);
    return {};
  }

  /// Asks the proxy to open a tunnel to the host (CONNECT).
  std::expected<void, HttpFailure> ask_for_tunnel(Plain& stream) {
    http::request<http::empty_body> request(http::verb::connect, url_.endpoint(), 11);
    request.set(http::field::host, url_.endpoint());
    authorize(request);
    error_code error =
        wait(stream, [&](auto done) { http::async_write(stream, request, std::move(done)); });
    if (error) return failure("the request to the proxy could not be sent", error);
    http::response_parser<http::empty_body> parser;
    parser.skip(true);
    beast::flat_buffer buffer;
    error = wait(stream, [&](auto done) {
      http::async_read_header(stream, buffer, parser, std::move(done));
    });
    if (error) return failure("the proxy did not answer", error);
    const unsigned status = parser.get().result_int();
    if (status == 200) return {};
    return std::unexpected(HttpFailure(
        Error(ErrorCode::io_failed,
              fmt::format("{}: the proxy refused the connection with the HTTP status {}{}",
                          request_.url, status,
                          status == 407 ? ": it asks for a user name and a password, which its "
                                          "address may contain (http://USER:PASSWORD@HOST:PORT)"
                                        : "")),
        hub::may_pass(static_cast<int>(status))));
  }

  /// Adds the name and the password for the proxy to a request that the proxy reads.
  void authorize(http::request<http::empty_body>& request) const {
    if (const std::string value = authorization_of(*proxy_); !value.empty())
      request.set(http::field::proxy_authorization, value);
  }

  HttpResult run_encrypted() {
    ssl::context trust(ssl::context::tls_client);
    error_code error;
    trust.set_default_verify_paths(error);
    trust.set_verify_mode(ssl::verify_peer, error);
    Encrypted stream(context_, trust);
    stream.set_verify_callback(ssl::host_name_verification(url_.host), error);
    net::ip::make_address(url_.host, error);
    const bool is_name = error.failed();  // Only names are sent, no addresses (RFC 6066).
    if (is_name && SSL_set_tlsext_host_name(stream.native_handle(), url_.host.c_str()) != 1)
      return fail(ErrorCode::io_failed,
                  "{}: the name of the host cannot be sent for the encrypted connection (TLS)",
                  request_.url);
    Plain& below = beast::get_lowest_layer(stream);
    EMBD_TRY(connect(below));
    if (proxy_) EMBD_TRY(ask_for_tunnel(below));
    error = wait(below, [&](auto done) {
      stream.async_handshake(ssl::stream_base::client, std::move(done));
    });
    if (error) return failure("the encrypted connection (TLS) could not be made", error);
    return send(stream);
  }

  template <class Stream>
  HttpResult send(Stream& stream) {
    const bool asks_proxy = proxy_ && !url_.is_encrypted;
    http::request<http::empty_body> request(http::verb::get,
                                            asks_proxy ? request_.url : url_.target, 11);
    request.set(http::field::host, url_.authority());
    request.set(http::field::connection, "close");
    for (const auto& [name, value] : request_.headers) request.set(name, value);
    if (asks_proxy) authorize(request);
    const error_code error = wait(beast::get_lowest_layer(stream), [&](auto done) {
      http::async_write(stream, request, std::move(done));
    });
    if (error) return failure("the request could not be sent", error);
    return receive(stream);
  }

  template <class Stream>
  HttpResult receive(Stream& stream) {
    Plain& below = beast::get_lowest_layer(stream);
    beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    error_code error = wait(below, [&](auto done) {
      http::async_read_header(stream, buffer, parser, std::move(done));
    });
    if (error) return failure("the server did not answer", error);
    HttpAnswer answer{.status = static_cast<int>(parser.get().result_int())};
    for (const auto& field : parser.get()) {
      std::string name(field.name_string());
      std::ranges::transform(name, name.begin(),
                             [](char c) { return beast::detail::ascii_tolower(c); });
      answer.headers[name] = std::string(field.value());
    }
    std::array<char, 65536> block;
    while (!parser.is_done()) {
      parser.get().body().data = block.data();
      parser.get().body().size = block.size();
      error = wait(below,
                   [&](auto done) { http::async_read(stream, buffer, parser, std::move(done)); });
      if (error && error != http::error::need_buffer)
        return failure("the answer was cut off", error);
      const std::size_t size = block.size() - parser.get().body().size;
      EMBD_TRY(body_(answer, std::string_view(block.data(), size)));
    }
    return answer;
  }

  const HttpRequest& request_;
  const HttpBodySink& body_;
  const std::stop_token& stop_;
  net::io_context context_{1};
  Url url_;
  std::optional<Url> proxy_;
};

class BeastClient final : public HttpClient {
 public:
  HttpResult get(const HttpRequest& request, const HttpBodySink& body,
                 const std::stop_token& stop) override {
    return Exchange(request, body, stop).run();
  }
};

}  // namespace

std::unique_ptr<HttpClient> make_http_client() {
  return std::make_unique<BeastClient>();
}

}  // namespace embd::cli
