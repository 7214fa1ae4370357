#include "jobs/hub/hub_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "base/json.h"
#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "jobs/hub/url.h"

namespace embd::hub {
namespace {

using nlohmann::json;

constexpr int max_redirects = 8;
constexpr int max_attempts = 5;
constexpr double longest_pause = 60;  // seconds
constexpr std::size_t max_listing_bytes = std::size_t{64} << 20;

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}
bool is_good(int status) {
  return status == 200 || status == 206;
}

/// Returns true if an answer with status 206 has the part of a file that begins at offset `place`.
bool is_from(const HttpAnswer& answer, std::uint64_t place) {
  const auto range = answer.headers.find("content-range");
  return range != answer.headers.end() &&
         range->second.starts_with(fmt::format("bytes {}-", place));
}

/// Returns a part of a URL with all characters except letters, digits and -._~/ as %XX.
std::string escaped(std::string_view part) {
  std::string out;
  for (const char c : part) {
    if (is_ascii_alphanumeric(c) || std::string_view("-._~/").contains(c))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// Returns a revision as a part of a URL. It may have slashes, which are escaped, because they do
/// not separate parts of the path.
std::string escaped_revision(std::string_view revision) {
  std::string out = escaped(revision);
  for (std::size_t at = 0; (at = out.find('/', at)) != std::string::npos;)
    out.replace(at, 1, "%2F");
  return out;
}

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Returns true if a path does not lead out of the folder of a model. It must have no parts such
/// as "." either, so that different paths are different files.
bool is_inside(std::string_view path) {
  const std::filesystem::path normal = path_of_text(path).lexically_normal();
  return !path.empty() && generic_text_of_path(normal) == path && !normal.has_root_path() &&
         normal != "." && *normal.begin() != ".." && !path.contains('\\') && !path.contains('\0');
}

Result<HubFile> read_file(const json& entry) {
  HubFile file;
  file.path = text_member(entry, "rfilename");
  if (!is_inside(file.path))
    return fail(
        ErrorCode::bad_value,
        "the hub's listing contains the file {:?}, which is outside the folder of the model",
        file.path);
  const json& large = entry.contains("lfs") ? entry["lfs"] : json();
  const json& size = large.is_object() && large.contains("size") ? large["size"]
                     : entry.contains("size")                    ? entry["size"]
                                                                 : json();
  file.hash = large.is_object() ? text_member(large, "sha256") : text_member(entry, "blobId");
  if (!size.is_number_unsigned() || !is_hex(file.hash, large.is_object() ? 64 : 40))
    return fail(ErrorCode::missing, "the hub's listing has no size or no hash of the file {:?}",
                file.path);
  file.size = size.get<std::uint64_t>();
  return file;
}

Result<HubListing> read_listing(const std::string& body) {
  const json root = EMBD_TRY(parse_json(body));
  if (!root.is_object()) return fail(ErrorCode::bad_json, "the hub's listing is not a JSON object");
  HubListing listing;
  listing.commit = text_member(root, "sha");
  if (!is_hex(listing.commit, 40))
    return fail(ErrorCode::missing,
                "the hub's listing has no member \"sha\" with the hash of the commit");
  const auto files = root.find("siblings");
  if (files == root.end() || !files->is_array())
    return fail(ErrorCode::missing,
                "the hub's listing has no member \"siblings\" with the list of files");
  for (const json& entry : *files) listing.files.push_back(EMBD_TRY(read_file(entry)));
  return listing;
}

}  // namespace

bool may_pass(int status) noexcept {
  return status == 408 || status == 429 || status >= 500;
}

std::unexpected<Error> HubRequests::refusal(const HttpAnswer& answer,
                                            const std::string& url) const {
  const auto message = answer.headers.find("x-error-message");
  const std::string said = message == answer.headers.end() ? "" : ": " + message->second;
  const auto say = [&](ErrorCode code, std::string_view what) {
    return fail(code, "{} answers with the HTTP status {}{}: {}", url, answer.status, said, what);
  };
  switch (answer.status) {
    case 401:
    case 403:
      return say(ErrorCode::io_failed, options_.token.empty()
                                           ? "the model does not exist, or it needs an access "
                                             "token, which the environment variable HF_TOKEN gives"
                                           : "the access token does not give access to this model");
    case 404:
      return say(ErrorCode::not_found, "the model, the revision or the file does not exist");
    case 407:
      return say(ErrorCode::io_failed,
                 "the proxy asks for a user name and a password, which its address may contain "
                 "(http://USER:PASSWORD@HOST:PORT)");
    case 429:
      return say(ErrorCode::io_failed, "there were too many requests: try again later");
    default:
      return say(ErrorCode::io_failed, "expected the status 200");
  }
}

/// Waits before the next attempt, as long as the hub asks for, but at most a minute.
Result<void> HubRequests::pause(int attempt, const HttpAnswer* answer) {
  double seconds = std::ldexp(options_.retry_seconds, attempt);
  if (answer != nullptr) {
    if (const auto asked = answer->headers.find("retry-after"); asked != answer->headers.end()) {
      unsigned value = 0;
      const std::string& text = asked->second;
      if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc())
        seconds = options_.retry_seconds * value;
    }
  }
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any wakes;
  wakes.wait_for(lock, stop_, std::chrono::duration<double>(std::min(seconds, longest_pause)),
                 [] { return false; });
  if (stop_.stop_requested()) return fail_stopped();
  return {};
}

/// Returns the address that an answer to `url` redirects to.
Result<std::string> HubRequests::redirection(const HttpAnswer& answer, const std::string& url) {
  const auto location = answer.headers.find("location");
  if (location == answer.headers.end())
    return fail(ErrorCode::io_failed, "{} redirects without naming another address", url);
  const std::string next = resolved_url(url, location->second);
  const auto parsed = parse_url(next);
  if (!parsed)
    return fail(ErrorCode::io_failed, "{} redirects to {:?}, which is no http or https address",
                url, next);
  if (EMBD_TRY(parse_url(url)).is_encrypted && !parsed->is_encrypted)
    return fail(
        ErrorCode::io_failed,
        "{} redirects to {}, which is not encrypted, expected an address that begins with https:",
        url, next);
  return next;
}

/// Sends a request and follows redirects. `body` receives only the body of a successful answer.
HttpResult HubRequests::follow(HttpRequest request, const HttpBodySink& body) {
  request.headers["user-agent"] = "embd";
  const auto good_body = [&](const HttpAnswer& answer, std::string_view bytes) -> Result<void> {
    if (!is_good(answer.status)) return {};
    return body(answer, bytes);
  };
  const Url hub = EMBD_TRY(parse_url(options_.endpoint));
  for (int redirects = 0; redirects <= max_redirects; ++redirects) {
    HttpRequest one = request;
    if (!options_.token.empty() && EMBD_TRY(parse_url(one.url)).has_origin_of(hub))
      one.headers["authorization"] = "Bearer " + options_.token;
    HttpAnswer answer = EMBD_TRY(client_.get(one, good_body, stop_));
    if (!is_redirect(answer.status)) return answer;
    request.url = EMBD_TRY(redirection(answer, request.url));
  }
  return fail(ErrorCode::io_failed, "{} redirects more than {} times", request.url, max_redirects);
}

Result<void> HubRequests::get(const std::function<HttpRequest()>& begin, const HttpBodySink& body) {
  for (int attempt = 1;; ++attempt) {
    const HttpRequest request = begin();
    const HttpResult answer = follow(request, body);
    if (answer && is_good(answer->status)) return {};
    const bool is_final = answer ? !may_pass(answer->status) : !answer.error().may_pass;
    if (is_final || attempt == max_attempts) {
      if (!answer) return std::unexpected(answer.error().error);
      return refusal(*answer, request.url);
    }
    EMBD_TRY(pause(attempt - 1, answer ? &*answer : nullptr));
  }
}

Result<HubListing> HubRequests::list(const std::string& name) {
  const std::string url = fmt::format("{}/api/models/{}/revision/{}?blobs=true", options_.endpoint,
                                      escaped(name), escaped_revision(options_.revision));
  std::string listing;
  const auto begin = [&] {
    listing.clear();
    return HttpRequest{.url = url};
  };
  EMBD_TRY(get(begin, [&](const HttpAnswer&, std::string_view bytes) -> Result<void> {
    if (listing.size() + bytes.size() > max_listing_bytes)
      return fail(ErrorCode::bad_value,
                  "{} sends more bytes than a listing of the files of a model can have", url);
    listing += bytes;
    return {};
  }));
  return in_file(path_of_text(url), read_listing(listing));
}

Result<void> HubRequests::fetch(const std::string& name, const std::string& commit,
                                const HubFile& file, const Destination& to) {
  const std::string url = fmt::format("{}/{}/resolve/{}/{}", options_.endpoint, escaped(name),
                                      commit, escaped(file.path));
  bool begins = true;
  std::uint64_t place = 0;
  const auto begin = [&] {
    begins = true;
    HttpRequest request = {.url = url};
    // The bytes must not be compressed, so that offsets in the file are offsets in the answer.
    request.headers["accept-encoding"] = "identity";
    place = to.size();
    if (place > 0) request.headers["range"] = fmt::format("bytes={}-", place);
    return request;
  };
  return get(begin, [&](const HttpAnswer& answer, std::string_view bytes) -> Result<void> {
    if (begins && answer.status == 200) EMBD_TRY(to.clear());
    if (begins && answer.status == 206 && !is_from(answer, place))
      return fail(ErrorCode::io_failed,
                  "{}: the server sent another part of the file than was asked for", url);
    begins = false;
    return to.append(bytes);
  });
}

}  // namespace embd::hub
