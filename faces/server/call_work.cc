#include "faces/server/call_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "faces/server/service.h"

namespace embd::server {
namespace {

/// The smallest number of tokens in a slice, unless the request has fewer. Smaller slices would
/// divide a small request among more workers and take more time altogether.
constexpr std::uint64_t least_slice_tokens = 128;

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

CallWork::CallWork(Service& service, Call call) : service_(service), call_(std::move(call)) {
  gone = call_->gone;
  deadline = call_->deadline;
}

Answerable<void> CallWork::add_tokens(std::uint32_t tokens, bool truncated) {
  if (truncated) truncated_.push_back(static_cast<std::uint32_t>(tokens_.size()));
  tokens_.push_back(tokens);
  total_tokens_ += tokens;
  const std::uint64_t most = service_.limits().request_tokens;
  if (total_tokens_ <= most) return {};
  return refuse(
      Problem::too_many_tokens,
      fmt::format("the texts have {} tokens or more together, expected at most {} in a request",
                  total_tokens_, most));
}

Answerable<void> CallWork::take_memory(std::size_t answer_bytes, std::size_t more) {
  if (answer_bytes > service_.limits().answer_bytes) {
    return refuse(Problem::answer_too_large,
                  fmt::format("the answer may take up to {} bytes, expected at most {}: send fewer "
                              "texts in a request",
                              answer_bytes, service_.limits().answer_bytes));
  }
  auto memory = service_.memory().take(answer_bytes + more);
  if (!memory)
    return std::unexpected(Failure{
        Problem::overloaded,
        "the answers that are being computed take all the memory for answers: try again later",
        {},
        1});
  memory_ = std::move(*memory);
  return {};
}

std::uint64_t CallWork::slice_tokens(std::uint64_t total) const {
  const auto workers = static_cast<std::uint64_t>(std::max(1, service_.scheduler().workers()));
  return std::clamp((total + workers - 1) / workers, least_slice_tokens, most_slice_tokens);
}

Failure CallWork::failure(Ending ending, const std::optional<Error>& error) const {
  if (ending == Ending::failed && error) return failure_of(*error);
  if (ending == Ending::late)
    return {Problem::late,
            "the time for the request was over before its turn came: try again later",
            {},
            1};
  return {Problem::gone, "the client closed the connection"};
}

void CallWork::add_headers(Response& response) const {
  const auto add = [&](const char* name, auto value) {
    response.headers.add(name, fmt::format("{}", value));
  };
  const auto add_time = [&](const char* name, Clock::duration time) {
    response.headers.add(name, fmt::format("{:.3f}", milliseconds(time)));
  };
  add("x-compute-type", "cpu");
  add("x-compute-characters", num_characters());
  add("x-compute-tokens", total_tokens_);
  add_time("x-total-time", Clock::now() - call_->arrived);
  add_time("x-tokenization-time", tokenizing_);
  add_time("x-queue-time", time_in_queue());
  add_time("x-inference-time", time_of_workers());
  if (!truncated_.empty()) add("x-embd-truncated", truncated_.size());
}

void CallWork::answer(Response response) {
  add_headers(response);
  response.memory = std::move(memory_);
  call_->answer(std::move(response));
}

void CallWork::end(Ending ending, const std::optional<Error>& error) noexcept {
  const auto answered = guarded([&]() -> Result<void> {
    if (ending != Ending::done) {
      call_->fail(failure(ending, error));
      return {};
    }
    Metrics& metrics = service_.metrics();
    metrics.queue_seconds.observe(milliseconds(time_in_queue()) / 1000);
    metrics.model_seconds.observe(milliseconds(time_of_workers()) / 1000);
    if (const auto finished = finish(); !finished) call_->fail(finished.error());
    return {};
  });
  if (!answered) call_->fail(failure_of(answered.error()));
}

Answerable<void> submit(Service& service, std::shared_ptr<Work> work) {
  const auto taken = service.scheduler().submit(std::move(work));
  if (taken) return {};
  Failure full{Problem::overloaded,
               "too many requests are waiting: send the whole request again after the seconds that "
               "the header field Retry-After says"};
  full.retry_after = taken.error();
  return std::unexpected(std::move(full));
}

}  // namespace embd::server
