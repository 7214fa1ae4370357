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
#include <cstdlib>
#include <limits>
#include <string>

#include "base/try.h"

namespace embd::cli {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
namespace ssl = net::ssl;
using boost::system::error_code;
using Tcp = net::ip::tcp;
using Plain = beast::tcp_stream;
using Encrypted = beast::ssl_stream<beast::tcp_stream>;

constexpr std::chrono::seconds patience{30};

/// The parts of a URL that a request needs.
struct Url {
  bool is_encrypted = false;
  std::string host;
  std::string port;
  std::string target;  ///< path and query

  std::string authority() const {
    const bool is_usual = port == (is_encrypted ? "443" : "80");
    return is_usual ? host : host + ":" + port;
  }
};

Result<Url> parse_url(std::string_view text) {
  Url url;
  const std::string given(text);
  url.is_encrypted = text.starts_with("https://");
  if (!url.is_encrypted && !text.starts_with("http://"))
    return fail(ErrorCode::invalid_argument,
                fmt::format("{:?} is not an address that begins with http:// or https://", given));
  text.remove_prefix(text.find("://") + 3);
  const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
  std::string_view authority = text.substr(0, end);
  authority.remove_prefix(authority.rfind('@') + 1);  // npos + 1 is 0
  url.target = text.substr(end, text.find('#', end) - end);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && !authority.substr(colon).contains(']');
  url.host = authority.substr(0, has_port ? colon : authority.size());
  url.port = has_port ? std::string(authority.substr(colon + 1)) : url.is_encrypted ? "443" : "80";
  if (url.host.starts_with('[') && url.host.ends_with(']'))
    url.host = url.host.substr(1, url.host.size() - 2);
  if (url.host.empty() || url.port.empty())
    return fail(ErrorCode::invalid_argument,
                fmt::format("the address {:?} contains no host name or no port", given));
  return url;
}

std::string variable(const char* lower, const char* upper) {
  for (const char* name : {lower, upper})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return {};
}

/// Returns true if NO_PROXY names the host or a domain of it.
bool goes_directly(const std::string& host) {
  const std::string list = variable("no_proxy", "NO_PROXY");
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view name = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (name.starts_with(' ') || name.starts_with('.')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name == "*" || (!name.empty() && (host == name || host.ends_with("." + std::string(name)))))
      return true;
  }
  return false;
}

/// Returns the address of the proxy for a URL; an empty string if no proxy is to be used.
std::string proxy_for(const Url& url) {
  if (goes_directly(url.host)) return {};
  const std::string proxy = url.is_encrypted ? variable("https_proxy", "HTTPS_PROXY")
                                             : variable("http_proxy", "HTTP_PROXY");
  return proxy.empty() || proxy.contains("://") ? proxy : "http://" + proxy;
}

/// A request, which is sent on a new connection.
class Exchange {
 public:
  Exchange(const HttpRequest& request, const HttpBodySink& body, const std::stop_token& stop)
      : request_(request), body_(body), stop_(stop) {}

  Result<HttpAnswer> run() {
    url_ = EMBD_TRY(parse_url(request_.url));
    const std::string proxy = proxy_for(url_);
    first_ = proxy.empty() ? url_ : EMBD_TRY(parse_url(proxy));
    by_proxy_ = !proxy.empty();
    if (url_.is_encrypted) return run_encrypted();
    Plain stream(context_);
    EMBD_TRY(connect(stream));
    return send(stream);
  }

 private:
  std::unexpected<Error> failure(std::string_view step, const error_code& error) const {
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "the request was stopped");
    return fail(ErrorCode::io_failed,
                fmt::format("{}: {}: {}", request_.url, step, error.message()));
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

  Result<void> connect(Plain& stream) {
    Tcp::resolver resolver(context_);
    error_code error;
    const auto addresses = resolver.resolve(first_.host, first_.port, error);
    if (error)
      return failure(fmt::format("the address of the host {} could not be found", first_.host),
                     error);
    error = wait(stream, [&](auto done) { stream.async_connect(addresses, std::move(done)); });
    if (error)
      return failure(
          fmt::format("the connection to {}:{} could not be made", first_.host, first_.port),
          error);
    return {};
  }

  /// Asks the proxy to open a tunnel to the host (CONNECT).
  Result<void> ask_for_tunnel(Plain& stream) {
    const std::string target = url_.host + ":" + url_.port;
    http::request<http::empty_body> request(http::verb::connect, target, 11);
    request.set(http::field::host, target);
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
    if (parser.get().result() == http::status::ok) return {};
    return fail(ErrorCode::io_failed,
                fmt::format("{}: the proxy refused the connection with the HTTP status {}",
                            request_.url, parser.get().result_int()));
  }

  Result<HttpAnswer> run_encrypted() {
    ssl::context trust(ssl::context::tls_client);
    error_code error;
    trust.set_default_verify_paths(error);
    trust.set_verify_mode(ssl::verify_peer, error);
    Encrypted stream(context_, trust);
    stream.set_verify_callback(ssl::host_name_verification(url_.host), error);
    if (SSL_set_tlsext_host_name(stream.native_handle(), url_.host.c_str()) != 1)
      return fail(
          ErrorCode::io_failed,
          fmt::format("{}: the name of the host cannot be sent for the encrypted connection (TLS)",
                      request_.url));
    Plain& below = beast::get_lowest_layer(stream);
    EMBD_TRY(connect(below));
    if (by_proxy_) EMBD_TRY(ask_for_tunnel(below));
    error = wait(below, [&](auto done) {
      stream.async_handshake(ssl::stream_base::client, std::move(done));
    });
    if (error) return failure("the encrypted connection (TLS) could not be made", error);
    return send(stream);
  }

  template <class Stream>
  Result<HttpAnswer> send(Stream& stream) {
    const bool asks_proxy = by_proxy_ && !url_.is_encrypted;
    http::request<http::empty_body> request(http::verb::get,
                                            asks_proxy ? request_.url : url_.target, 11);
    request.set(http::field::host, url_.authority());
    request.set(http::field::connection, "close");
    for (const auto& [name, value] : request_.headers) request.set(name, value);
    const error_code error = wait(beast::get_lowest_layer(stream), [&](auto done) {
      http::async_write(stream, request, std::move(done));
    });
    if (error) return failure("the request could not be sent", error);
    return receive(stream);
  }

  template <class Stream>
  Result<HttpAnswer> receive(Stream& stream) {
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
  Url first_;  ///< the host to connect to: that of the URL, or the proxy
  bool by_proxy_ = false;
};

class BeastClient final : public HttpClient {
 public:
  Result<HttpAnswer> get(const HttpRequest& request, const HttpBodySink& body,
                         const std::stop_token& stop) override {
    return Exchange(request, body, stop).run();
  }
};

}  // namespace

std::unique_ptr<HttpClient> make_http_client() {
  return std::make_unique<BeastClient>();
}

}  // namespace embd::cli
