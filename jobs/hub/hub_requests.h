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

/// The requests that a model costs, to one hub. Follows redirects, sends the token to the hub
/// alone, and sends a request again that failed for the moment. Not thread-safe.
class HubRequests {
 public:
  /// `options`: with endpoint and token as they are to be used. Client and options must outlive it.
  HubRequests(HttpClient& client, const GetModelOptions& options, std::stop_token stop)
      : client_(client), options_(options), stop_(std::move(stop)) {}

  /// Returns the commit of a revision and its files. Errors: not_found; io_failed, saying why;
  /// bad_json, missing for an answer of another form.
  Result<HubListing> list(const std::string& name);

  /// The place that a file's bytes go to.
  struct Destination {
    /// Returns how many of its first bytes are there. Asked for before every attempt.
    std::function<std::uint64_t()> size;
    /// Drops the bytes that are there, where the hub sends the file from its start.
    std::function<Result<void>()> clear;
    std::function<Result<void>(std::string_view)> append;
  };
  /// Fetches the bytes of a file that its destination has not got. Errors: those of list(), and of
  /// the destination.
  Result<void> fetch(const std::string& name, const std::string& commit, const HubFile& file,
                     const Destination& to);

 private:
  /// Sends the request that `begin` makes before each attempt.
  Result<void> get(const std::function<HttpRequest()>& begin, const HttpBodySink& body);
  Result<HttpAnswer> follow(HttpRequest request, const HttpBodySink& body);
  Result<void> pause(int attempt, const HttpAnswer* answer);
  std::unexpected<Error> refusal(const HttpAnswer& answer, const std::string& url) const;

  HttpClient& client_;
  const GetModelOptions& options_;
  std::stop_token stop_;
};

}  // namespace embd::hub
