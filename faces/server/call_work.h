#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faces/server/exchange.h"
#include "faces/server/memory_budget.h"

namespace embd::server {

class Service;

/// The largest number of tokens in a slice. A worker computes one slice of a request, then takes
/// turns with other requests. 256 tokens take about 55 ms in float32.
constexpr std::uint64_t most_slice_tokens = 256;

/// Returns the value of an option as a part of a key that identifies a set of options; "-" if the
/// option is not set.
template <class T>
std::string key_part(const std::optional<T>& option) {
  return option ? fmt::to_string(static_cast<int>(*option)) : "-";
}

/// Returns an error of a model as the error of a request. If it is about a text, `number_of`
/// returns the number of the text in the request, given its number in the call of the model. `what`
/// is what the request calls it, such as "text".
template <class NumberOf>
Error in_request(const Error& error, std::string_view what, const NumberOf& number_of) {
  if (!error.line()) return error;
  return Error(error.code(),
               fmt::format("{} {}: {}", what, number_of(*error.line() - 1), error.what()));
}

/// A range of rows of a request, computed together as one slice: from `first` up to, not including,
/// `end`.
struct SliceRows {
  std::size_t first;
  std::size_t end;
};

/// The work of a request. Its answer goes to the call, with counts of characters and tokens and
/// with times in the header.
class CallWork : public Work {
 public:
  CallWork(Service& service, Call call);
  void end(Ending ending, const std::optional<Error>& error) noexcept final;

 protected:
  /// Called when all slices are done. Answers the call, or returns the failure to answer with.
  virtual Answerable<void> finish() = 0;
  /// The number of characters of the request, for the header of the answer.
  virtual std::size_t num_characters() const = 0;

  /// Counts the tokens of the next text or pair, after cutting. Refuses the request with
  /// too_many_tokens if it has more than Limits.request_tokens altogether.
  Answerable<void> add_tokens(std::uint32_t tokens, bool truncated);
  /// Reserves `answer_bytes` + `more` bytes of the server's memory budget until the answer is sent.
  /// Refuses the request with answer_too_large if the answer exceeds Limits.answer_bytes, and with
  /// overloaded if the budget is used up.
  Answerable<void> take_memory(std::size_t answer_bytes, std::size_t more);
  /// Divides `rows` rows into slices and sets `costs`. `cost` returns the cost of a row, given its
  /// number, in tokens.
  template <class Cost>
  void cut_slices(std::size_t rows, const Cost& cost) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < rows; ++i) total += cost(i);
    const std::uint64_t most = slice_tokens(total);
    for (std::size_t i = 0; i < rows; ++i) {
      if (slices_.empty() || costs.back() + cost(i) > most ||
          slices_.back().end - slices_.back().first == most_slice_rows) {
        slices_.push_back({i, i});
        costs.push_back(0);
      }
      slices_.back().end = i + 1;
      costs.back() += cost(i);
    }
  }
  /// Answers the call, after adding counts and times to the header of `response`.
  void answer(Response response);

  Service& service_;
  const Call call_;
  std::vector<std::uint32_t> tokens_;     ///< tokens of each text or pair, after cutting
  std::vector<std::uint32_t> truncated_;  ///< numbers of the texts or pairs that were cut
  std::uint64_t total_tokens_ = 0;
  std::vector<SliceRows> slices_;
  Clock::duration tokenizing_{};

 private:
  static constexpr std::size_t most_slice_rows = 128;
  std::uint64_t slice_tokens(std::uint64_t total) const;
  Failure failure(Ending ending, const std::optional<Error>& error) const;
  void add_headers(Response& response) const;

  MemoryBudget::Share memory_;
};

/// Puts a work into the queue. Refuses it with overloaded, and a time for Retry-After, if the queue
/// is full.
Answerable<void> submit(Service& service, std::shared_ptr<Work> work);

}  // namespace embd::server
