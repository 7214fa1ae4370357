#include "faces/cli/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/os/windows/windows.h"
#include "base/try.h"
#include "base/utf8.h"
#include "jobs/hub/url.h"

#include <winhttp.h>  // needs the header of Windows before it

namespace embd::cli {
namespace {

constexpr std::chrono::milliseconds patience = std::chrono::seconds(30);

/// A handle of WinHTTP, which is closed when this object is destroyed.
class Handle {
 public:
  explicit Handle(HINTERNET handle) noexcept : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (handle_ != nullptr) ::WinHttpCloseHandle(handle_);
  }
  HINTERNET get() const noexcept { return handle_; }
  bool is_open() const noexcept { return handle_ != nullptr; }

 private:
  HINTERNET handle_;
};

/// A request, which is sent on a new connection. A stop that is requested while the server is
/// silent takes effect after `patience`.
class Exchange {
 public:
  Exchange(const HttpRequest& request, const HttpBodySink& body, const std::stop_token& stop)
      : request_(request), body_(body), stop_(stop) {}

  HttpResult run() {
    const hub::Url url = EMBD_TRY(hub::parse_url(request_.url));
    const Handle session(
        ::WinHttpOpen(L"embd", WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY, nullptr, nullptr, 0));
    if (!session.is_open()) return failure("WinHTTP could not be started", false);
    constexpr int wait = patience.count();
    ::WinHttpSetTimeouts(session.get(), wait, wait, wait, wait);
    const auto port = static_cast<INTERNET_PORT>(std::stoi(url.port));
    const Handle connection(
        ::WinHttpConnect(session.get(), os::wide_of(url.host).c_str(), port, 0));
    if (!connection.is_open()) return failure("the connection could not be made", true);
    const Handle request(::WinHttpOpenRequest(connection.get(), L"GET",
                                              os::wide_of(url.target).c_str(), nullptr, nullptr,
                                              nullptr, url.is_encrypted ? WINHTTP_FLAG_SECURE : 0));
    if (!request.is_open()) return failure("the request could not be made", false);
    DWORD disabled = WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES;
    ::WinHttpSetOption(request.get(), WINHTTP_OPTION_DISABLE_FEATURE, &disabled, sizeof disabled);
    for (const auto& [name, value] : request_.headers) {
      const std::wstring line = os::wide_of(fmt::format("{}: {}\r\n", name, value));
      ::WinHttpAddRequestHeaders(request.get(), line.c_str(), static_cast<DWORD>(line.size()),
                                 WINHTTP_ADDREQ_FLAG_ADD | WINHTTP_ADDREQ_FLAG_REPLACE);
    }
    if (::WinHttpSendRequest(request.get(), nullptr, 0, nullptr, 0, 0, 0) == FALSE)
      return failure("the request could not be sent", true);
    if (::WinHttpReceiveResponse(request.get(), nullptr) == FALSE)
      return failure("the server did not answer", true);
    return receive(request.get());
  }

 private:
  /// Returns the failure of the call before. It may pass, unless another attempt would fail in the
  /// same way.
  std::unexpected<HttpFailure> failure(std::string_view step, bool may_pass) const {
    const DWORD error = ::GetLastError();
    if (stop_.stop_requested()) return std::unexpected<HttpFailure>(fail_stopped().error());
    const bool is_final =
        error == ERROR_WINHTTP_NAME_NOT_RESOLVED || error == ERROR_WINHTTP_SECURE_FAILURE;
    return std::unexpected(HttpFailure(
        Error(ErrorCode::io_failed, fmt::format("{}: {}: {} (error {} of WinHTTP)", request_.url,
                                                step, words(error), error)),
        may_pass && !is_final));
  }

  static std::string_view words(DWORD error) noexcept {
    switch (error) {
      case ERROR_WINHTTP_NAME_NOT_RESOLVED:
        return "the address of the host could not be found";
      case ERROR_WINHTTP_SECURE_FAILURE:
        return "the certificate is not trusted";
      case ERROR_WINHTTP_TIMEOUT:
        return "nothing was sent for 30 seconds";
      case ERROR_WINHTTP_CANNOT_CONNECT:
        return "nobody accepts the connection";
      default:
        return "the connection failed";
    }
  }

  HttpResult receive(HINTERNET request) {
    HttpAnswer answer;
    DWORD status = 0;
    DWORD size = sizeof status;
    if (::WinHttpQueryHeaders(request, WINHTTP_QUERY_STATUS_CODE | WINHTTP_QUERY_FLAG_NUMBER,
                              nullptr, &status, &size, nullptr) == FALSE)
      return failure("the server did not answer", true);
    answer.status = static_cast<int>(status);
    take_headers(request, answer);
    std::array<char, 65536> block;
    while (true) {
      if (stop_.stop_requested()) return std::unexpected<HttpFailure>(fail_stopped().error());
      DWORD count = 0;
      if (::WinHttpReadData(request, block.data(), static_cast<DWORD>(block.size()), &count) ==
          FALSE)
        return failure("the answer was cut off", true);
      if (count == 0) return answer;
      EMBD_TRY(body_(answer, std::string_view(block.data(), count)));
    }
  }

  /// Takes the headers from the text that the server has sent.
  static void take_headers(HINTERNET request, HttpAnswer& answer) {
    DWORD size = 0;
    ::WinHttpQueryHeaders(request, WINHTTP_QUERY_RAW_HEADERS_CRLF, nullptr, nullptr, &size,
                          nullptr);
    std::wstring raw(size / sizeof(wchar_t), L'\0');
    if (::WinHttpQueryHeaders(request, WINHTTP_QUERY_RAW_HEADERS_CRLF, nullptr, raw.data(), &size,
                              nullptr) == FALSE)
      return;
    const std::string text = os::utf8_of(raw);
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find("\r\n"), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 2, rest.size()));
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      const std::size_t value = line.find_first_not_of(' ', colon + 1);
      answer.headers[in_small_letters(line.substr(0, colon))] =
          value == std::string_view::npos ? "" : std::string(line.substr(value));
    }
  }

  const HttpRequest& request_;
  const HttpBodySink& body_;
  const std::stop_token& stop_;
};

class WinHttpClient final : public HttpClient {
 public:
  HttpResult get(const HttpRequest& request, const HttpBodySink& body,
                 const std::stop_token& stop) override {
    return Exchange(request, body, stop).run();
  }
};

}  // namespace

std::unique_ptr<HttpClient> make_http_client() {
  return std::make_unique<WinHttpClient>();
}

}  // namespace embd::cli
