// Any bytes as the body of a request to each of a reranker's routes. A seed is a body.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "faces/server/service.h"
#include "tests/support/cross_encoder.h"

namespace {

using namespace embd;
using namespace embd::server;

/// A cross-encoder with one label, whose folder is not needed once it is open.
Reranker open_reranker() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("embd-rerank-fuzzer-" + std::to_string(::getpid()));
  test::make_cross_encoder("bert_sigmoid", folder);
  Reranker reranker = Reranker::open(folder).value();
  std::filesystem::remove_all(folder);
  return reranker;
}

Service& service() {
  static Service* shared = [] {
    Models models;
    models.set_reranker(open_reranker());
    return new Service(std::move(models), {.workers = 1});
  }();
  return *shared;
}

Response answer_to(Request request) {
  std::promise<Response> promise;
  auto answer = promise.get_future();
  const auto match = service().match(request.head);
  service().handle(match, std::move(request), {}, Clock::now(),
                   [&](Response response) { promise.set_value(std::move(response)); });
  return answer.get();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  for (const char* path : {"/rerank", "/v1/rerank", "/v2/rerank", "/score", "/predict"}) {
    const Response response = answer_to({.head = {.method = "POST", .path = path}, .body = body});
    if (response.status >= 500 || !nlohmann::json::accept(response.joined_body())) std::abort();
  }
  return 0;
}
