#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "server/failure.h"
#include "server/message.h"
#include "server/scheduler.h"

namespace embd::server {

/// The answer in the API's own form, with Retry-After where the failure says so.
Response failure_response(const Failure& failure, Api api);

/// A request under way and the way back to its client. Answered from any one thread; one that is
/// let go without an answer has failed.
class Exchange {
 public:
  using Reply = std::function<void(Response)>;

  Exchange(Api client_api, Request client_request, std::stop_token client_gone,
           Clock::time_point when_arrived, Reply reply)
      : api(client_api),
        request(std::move(client_request)),
        gone(std::move(client_gone)),
        arrived(when_arrived),
        reply_(std::move(reply)) {}
  ~Exchange() {
    if (reply_) fail({Problem::internal, "the request was lost"});
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  Api api;  ///< of the route, until the body tells which of several it is
  Request request;
  const std::stop_token gone;  ///< stopped when the client is
  const Clock::time_point arrived;
  Clock::time_point deadline = Clock::time_point::max();

  /// The first answer counts.
  void answer(Response response) {
    if (const Reply reply = std::exchange(reply_, nullptr)) reply(std::move(response));
  }
  void fail(const Failure& failure) { answer(failure_response(failure, api)); }

 private:
  Reply reply_;
};

using Call = std::shared_ptr<Exchange>;

}  // namespace embd::server
