// Any bytes as a request over HTTP: what is refused before the body, the routes and their bodies. A
// seed is a whole request.
#include "faces/server/connection.h"

#include <boost/asio/buffer.hpp>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <nlohmann/json.hpp>
#include <utility>

#include "faces/server/service.h"

namespace {

using namespace embd;
using namespace embd::server;

Service& service() {
  static Service* shared = [] {
    Models models;
    if (!models.add(Model::open(EMBD_TEST_DATA "/embd/plain.weights").value())) std::abort();
    return new Service(std::move(models), {.workers = 1});
  }();
  return *shared;
}

Response answer_to(const Service::Match& match, Request request) {
  std::promise<Response> promise;
  auto answer = promise.get_future();
  service().handle(match, std::move(request), {}, Clock::now(),
                   [&](Response response) { promise.set_value(std::move(response)); });
  return answer.get();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  RequestParser parser;
  parser.header_limit(8192);
  parser.body_limit(1 << 16);
  parser.eager(true);
  boost::system::error_code error;
  parser.put(boost::asio::buffer(data, size), error);
  if (!parser.is_header_done() || check_framing(parser.get())) return 0;
  Request request = {head_of(parser.get()), parser.get().body()};
  const auto match = service().match(request.head);
  if (const auto failure = service().screen(match, request.head)) {
    const Response refused = service().refusal(match, *failure, Clock::now());
    if (refused.status < 400 || !nlohmann::json::accept(refused.joined_body())) std::abort();
    return 0;
  }
  const Response response = answer_to(match, std::move(request));
  if (response.status >= 500) std::abort();
  if (response.content_type == "application/json" &&
      !nlohmann::json::accept(response.joined_body()))
    std::abort();
  return 0;
}
