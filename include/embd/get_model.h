#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "embd/error.h"

// A model from a hub such as Hugging Face's, by its name. Nothing else in embd reaches for a
// network.
namespace embd {

struct HttpRequest {
  std::string url;  ///< "http://…" or "https://…"
  std::map<std::string, std::string> headers = {};
};

/// The head of an answer to a request.
struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers = {};  ///< by their names in lower case
};

/// Takes the next bytes of an answer's body. An error ends the request.
using HttpBodySink = std::function<Result<void>(const HttpAnswer& answer, std::string_view bytes)>;

/// Sends requests. The library has none of its own: the program and Python each bring one.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// Sends one GET request and gives the body of its answer to `body`, whatever the status. Follows
  /// no redirect. Errors: io_failed, saying why, where no whole answer came; cancelled; those of
  /// `body`.
  virtual Result<HttpAnswer> get(const HttpRequest& request, const HttpBodySink& body,
                                 const std::stop_token& stop) = 0;
};

/// The state of a download.
struct GetModelProgress {
  std::string file;             ///< that is being fetched
  std::uint64_t bytes = 0;      ///< that are there, of all files
  std::uint64_t all_bytes = 0;  ///< of all files
};

struct GetModelOptions {
  /// A branch, a tag or a commit.
  std::string revision = "main";
  /// The hub. Empty: $HF_ENDPOINT, else https://huggingface.co.
  std::string endpoint = {};
  /// The token for models that are not public, sent to the hub alone. Empty: $HF_TOKEN, else the
  /// token that Hugging Face's tools keep ($HF_TOKEN_PATH, $HF_HOME/token).
  std::string token = {};
  /// The cache of Hugging Face's tools. Empty: the one that find_model() looks into.
  std::filesystem::path cache_folder = {};
  /// Called often, by the calling thread.
  std::function<void(const GetModelProgress&)> on_progress = {};
  /// The pause before a request is sent again, doubled each time: 1, 2, 4 and 8 seconds.
  double retry_seconds = 1;
};

struct FetchedModel {
  std::filesystem::path folder;  ///< of the model, in the cache
  std::string commit;
  std::uint64_t fetched_bytes = 0;  ///< 0: everything was there
};

/// Fetches a model from a hub into the cache of Hugging Face's tools, where find_model() finds it:
/// the files that embd reads, and no others. A bare name means sentence-transformers/NAME.
///
/// Each file is checked against the SHA-256, or Git's SHA-1, that the hub says, and a model that
/// embd knows also against the SHA-256 that embd has of it. A file appears only when it is whole
/// and good; one that was cut off goes on where it ended the next time. Requests that fail for the
/// moment (no connection, 429, 5xx) are sent five times.
///
/// Errors: invalid_argument for something that is no name, no token or no pause; not_found for a
/// model or a revision that the hub does not have; unsupported for a model without files that embd
/// reads; io_failed where the hub cannot be reached or refuses; checksum_mismatch; cancelled.
Result<FetchedModel> get_model(const std::string& name, HttpClient& client,
                               const GetModelOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
