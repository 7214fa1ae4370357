#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/exchange.h"
#include "server/memory_budget.h"

namespace embd::server {

class Service;

/// A worker is held by one request for as long as this many tokens take: some 55 ms in float32.
constexpr std::uint64_t most_slice_tokens = 256;

/// Returns an option's number for a key of options: "-" where it is absent.
template <class T>
std::string key_part(const std::optional<T>& option) {
  return option ? fmt::to_string(static_cast<int>(*option)) : "-";
}

/// Rows of a request that are done together.
struct SliceRows {
  std::size_t first;
  std::size_t end;
};

/// The work of a request whose answer goes to its call, with what was counted on the way.
class CallWork : public Work {
 public:
  CallWork(Service& service, Call call);
  void end(Ending ending, const std::optional<Error>& error) noexcept final;

 protected:
  /// When all slices are done: answers, or says why not.
  virtual Answerable<void> finish() = 0;
  virtual std::size_t num_characters() const = 0;

  /// Adds the tokens of a text or a pair after its cut. Refuses what is more than a request may
  /// have.
  Answerable<void> add_tokens(std::uint32_t tokens, bool truncated);
  /// Takes what the request's answer may have and `more` of the memory of all, until the answer is
  /// sent.
  Answerable<void> take_memory(std::size_t answer_bytes, std::size_t more);
  /// Cuts the rows into slices and fills `costs`. `cost` is given a row's number.
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
  /// Answers with what is known of the work in the header.
  void answer(Response response);

  Service& service_;
  const Call call_;
  std::vector<std::uint32_t> tokens_;     ///< of each text or pair, after cuts
  std::vector<std::uint32_t> truncated_;  ///< places of those that were cut
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

/// Puts the work into the queue. Fails where that is full.
Answerable<void> submit(Service& service, std::shared_ptr<Work> work);

}  // namespace embd::server
