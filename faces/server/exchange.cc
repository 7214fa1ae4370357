#include "faces/server/exchange.h"

#include <fmt/format.h>

namespace embd::server {

Response failure_response(const Failure& failure, Api api) {
  Response response = {.status = status_of(failure.problem, api)};
  response.body.push_back(error_body(failure, api));
  if (failure.retry_after > 0)
    response.headers.add("Retry-After", fmt::to_string(failure.retry_after));
  if (failure.problem == Problem::unauthorized) response.headers.add("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace embd::server
