#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "faces/server/failure.h"
#include "faces/server/message.h"
#include "faces/server/scheduler.h"

namespace embd::server {

/// A request that is being served, and the way to answer its client. It is used by one thread at a
/// time. If it is destroyed without an answer, the client gets an internal error.
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
    if (reply_)
      fail({Problem::internal,
            "the server dropped the request without an answer, which is an error in the server"});
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  Api api;  ///< the route's API, or the one that the body shows if a route has several
  Request request;
  const std::stop_token gone;  ///< stopped when the client closes the connection
  const Clock::time_point arrived;
  Clock::time_point deadline = Clock::time_point::max();

  /// Sends an answer. Only the first call does something.
  void answer(Response response) {
    if (const Reply reply = std::exchange(reply_, nullptr)) reply(std::move(response));
  }
  /// Answers with a failure.
  void fail(const Failure& failure) { answer(failure_response(failure, api)); }

 private:
  Reply reply_;
};

using Call = std::shared_ptr<Exchange>;

}  // namespace embd::server
