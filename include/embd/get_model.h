#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "embd/error.h"

// A model from a hub such as Hugging Face's, by its name. Nothing else in embd reaches for a
// network.
namespace embd {

/// A GET request.
struct HttpRequest {
  std::string url;                                  ///< beginning with "http://" or "https://"
  std::map<std::string, std::string> headers = {};  ///< header values by names in lower case
};

/// The status and headers of the answer to a request.
struct HttpAnswer {
  int status = 0;                                   ///< the status code of HTTP, such as 200
  std::map<std::string, std::string> headers = {};  ///< header values by names in lower case
};

/// A function that receives the next bytes of an answer's body, which are valid during the call
/// only. An error that it returns ends the request.
using HttpBodySink = std::function<Result<void>(const HttpAnswer& answer, std::string_view bytes)>;

/// The failure of a request.
struct HttpFailure {
  // Not explicit, so that a function that returns an HttpResult can hand on an Error.
  HttpFailure(Error reason, bool passes = false) : error(std::move(reason)), may_pass(passes) {}

  Error error;
  /// True if the same request may succeed later, for instance because the connection broke. False
  /// by default, for instance for a certificate that is not trusted or a disk that is full.
  bool may_pass;
};

/// The answer to a request, or the reason why there is none.
using HttpResult = std::expected<HttpAnswer, HttpFailure>;

/// An interface for sending HTTP requests. The library does not implement it: the command line
/// program and the Python package each bring their own client.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// Sends one GET request and passes the body of the answer to `body`, whatever the status is.
  /// Redirects are not followed. Fails with io_failed, giving the reason, if no complete answer
  /// arrives; with cancelled after a stop request; and with an error that `body` returned. Only
  /// failures whose `may_pass` is true are followed by another attempt.
  virtual HttpResult get(const HttpRequest& request, const HttpBodySink& body,
                         const std::stop_token& stop) = 0;
};

/// The progress of a download, in bytes of all files of the model.
struct GetModelProgress {
  std::string file;             ///< the file that is being fetched
  std::uint64_t bytes = 0;      ///< bytes of all files that are already in the cache
  std::uint64_t all_bytes = 0;  ///< total bytes of all files
};

/// Options for downloading a model.
struct GetModelOptions {
  /// The version of the model: a branch, a tag or a commit; by default "main".
  std::string revision = "main";
  /// The URL of the hub. If it is empty, $HF_ENDPOINT is used, else https://huggingface.co.
  std::string endpoint = {};
  /// The access token for models that are not public. It is sent to the hub only, never to a host
  /// that the hub redirects to. If it is empty, $HF_TOKEN is used, else the token stored by Hugging
  /// Face's tools ($HF_TOKEN_PATH, default $HF_HOME/token).
  std::string token = {};
  /// The cache folder of Hugging Face's tools into which the model is put. If it is empty,
  /// $HF_HUB_CACHE is used, else $HF_HOME/hub (default ~/.cache/huggingface/hub).
  std::filesystem::path cache_folder = {};
  /// A function that is called often during the download with its progress, by the thread that
  /// called get_model(). If it is empty, nothing is reported.
  std::function<void(const GetModelProgress&)> on_progress = {};
  /// The pause in seconds before a failed request is sent again, at least 0. It doubles with every
  /// attempt: 1, 2, 4 and 8 seconds by default. If the hub asks for a pause of N seconds, the pause
  /// is N · `retry_seconds` instead. No pause is longer than 60 seconds.
  double retry_seconds = 1;
};

/// A model that get_model() has put into the cache.
struct FetchedModel {
  std::filesystem::path folder;     ///< the model's folder in the cache
  std::string commit;               ///< the commit of the model's repository, in hex digits
  std::uint64_t fetched_bytes = 0;  ///< bytes downloaded; 0 if all files were already there
};

/// Downloads a model from a hub into the cache of Hugging Face's tools, where find_model() finds
/// it. Only the files that embd reads are downloaded. A name without an organization means
/// sentence-transformers/NAME.
///
/// Each downloaded file is checked against the SHA-256 or Git SHA-1 that the hub states, and each
/// file that is in the cache already against its size. A model that embd knows must have exactly
/// the files whose SHA-256 is built into embd; these are checked each time. A file appears in the
/// cache only when it is complete and correct; an interrupted download continues where it ended. A
/// request that fails for a passing reason (no connection, status 408, 429 or 5xx) is sent up to
/// five times.
///
/// Fails with invalid_argument for a malformed name, revision, token or pause; with not_found if
/// the hub does not have the model or revision; with unsupported if the model has no files that
/// embd reads; with io_failed if the hub cannot be reached or denies access; with
/// checksum_mismatch; with cancelled after a stop request.
Result<FetchedModel> get_model(const std::string& name, HttpClient& client,
                               const GetModelOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
