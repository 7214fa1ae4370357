#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/get_model.h"
#include "jobs/hub/hub_file.h"

namespace embd::hub {

/// Returns true if an answer with this status may be followed by a better one: 408, 429 and 5xx.
bool may_pass(int status) noexcept;

/// The requests to a hub that are needed for a model. It follows redirects, sends the token to the
/// hub only, and repeats requests that failed for a passing reason. Not thread-safe.
class HubRequests {
 public:
  /// `options` must have the endpoint and the token to use. The client and the options must outlive
  /// this object.
  HubRequests(HttpClient& client, const GetModelOptions& options, std::stop_token stop)
      : client_(client), options_(options), stop_(std::move(stop)) {}

  /// Returns the commit of a revision and its files. Fails with not_found, with io_failed, giving
  /// the reason, and with bad_json or missing for an unexpected answer.
  Result<HubListing> list(const std::string& name);

  /// The place where the bytes of a file go.
  struct Destination {
    /// Returns the number of bytes that are there already. Called before every attempt.
    std::function<std::uint64_t()> size;
    /// Deletes the bytes that are there. Called if the hub sends the file from its beginning.
    std::function<Result<void>()> clear;
    std::function<Result<void>(std::string_view)> append;
  };
  /// Fetches the bytes of a file that its destination does not have yet. Fails with the errors of
  /// list() and of the destination.
  Result<void> fetch(const std::string& name, const std::string& commit, const HubFile& file,
                     const Destination& to);

 private:
  /// Sends a request. `begin` makes it, anew for each attempt.
  Result<void> get(const std::function<HttpRequest()>& begin, const HttpBodySink& body);
  static Result<std::string> redirection(const HttpAnswer& answer, const std::string& url);
  HttpResult follow(HttpRequest request, const HttpBodySink& body);
  Result<void> pause(int attempt, const HttpAnswer* answer);
  std::unexpected<Error> refusal(const HttpAnswer& answer, const std::string& url) const;

  HttpClient& client_;
  const GetModelOptions& options_;
  std::stop_token stop_;
};

}  // namespace embd::hub
