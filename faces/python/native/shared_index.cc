#include "faces/python/native/shared_index.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace embd::python {
namespace {

/// The number of rows that are added within milliseconds.
constexpr std::size_t short_add = 16;

std::uint64_t after_greatest(std::span<const std::uint64_t> keys) {
  return keys.empty() ? 0 : std::ranges::max(keys) + 1;
}

}  // namespace

/// Fills `keys` with the numbers after the greatest key so far. Called while no other thread uses
/// the index.
Result<void> SharedIndex::number(std::vector<std::uint64_t>& keys) {
  if (!next_key_) next_key_ = after_greatest(index_.ids());
  if (keys.size() > std::numeric_limits<std::uint64_t>::max() - *next_key_) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format(
            "no numbers are left for keys after the greatest key, {}: give the keys yourself",
            *next_key_ - 1));
  }
  std::iota(keys.begin(), keys.end(), *next_key_);
  return {};
}

std::vector<std::uint64_t> SharedIndex::add(MatrixView rows,
                                            std::optional<std::vector<std::uint64_t>> keys,
                                            int threads) {
  const bool numbered = !keys;
  std::vector<std::uint64_t> all = numbered ? std::vector<std::uint64_t>(rows.rows()) : *keys;
  if (all.size() != rows.rows())
    raise_invalid(fmt::format("{} keys were given for {} rows, expected one key for each row",
                              all.size(), rows.rows()));
  change(rows.rows() <= short_add, [&](Index& index, std::stop_token stop) -> Result<void> {
    if (numbered) EMBD_TRY(number(all));
    EMBD_TRY(index.add(rows, all, threads, std::move(stop)));
    if (next_key_) next_key_ = std::max(*next_key_, after_greatest(all));
    return {};
  });
  return all;
}

}  // namespace embd::python
