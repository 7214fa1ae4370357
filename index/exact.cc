#include "index/exact.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "base/try.h"

namespace embd {
namespace {

/// The number of rows that are compared with a block of queries at a time.
constexpr std::size_t kRowBlock = 64;
/// The size of a block of queries in bytes. The block stays in the second-level cache while all
/// rows are read. It is large, so that reading rows from memory takes little time compared with the
/// arithmetic.
constexpr std::size_t kQueryBlockBytes = std::size_t{512} << 10;
/// The smallest number of queries of a block; a multiple of what the kernels take at once.
constexpr std::size_t kMinQueryBlock = 12;
constexpr std::size_t kMaxQueryBlock = 384;
/// The smallest number of rows of a task.
constexpr std::size_t kMinSegment = 1024;
/// A filter with less than this part (1 / kSmallShare) of the rows is searched row by row. With a
/// larger filter, comparing all rows in blocks is faster.
constexpr std::size_t kSmallShare = 8;

std::size_t query_block(std::size_t row_bytes) noexcept {
  const std::size_t fitting = kQueryBlockBytes / row_bytes / kMinQueryBlock * kMinQueryBlock;
  return std::clamp(fitting, kMinQueryBlock, kMaxQueryBlock);
}

/// The k nearest rows seen so far, the farthest on top of a heap.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : k_(k) {}

  float bound() const noexcept {
    return heap_.size() < k_ ? std::numeric_limits<float>::infinity() : heap_.front().distance;
  }
  /// Adds a candidate. Its distance must be below bound(), and slots must come in ascending order.
  void push(FoundRow candidate) {
    if (heap_.size() == k_) {
      std::ranges::pop_heap(heap_);
      heap_.back() = candidate;
    } else {
      heap_.push_back(candidate);
    }
    std::ranges::push_heap(heap_);
  }
  void merge(const Nearest& other) {
    heap_.insert(heap_.end(), other.heap_.begin(), other.heap_.end());
    std::ranges::sort(heap_);
    if (heap_.size() > k_) heap_.resize(k_);
    std::ranges::make_heap(heap_);
  }
  std::vector<FoundRow> sorted() && {
    std::ranges::sort(heap_);
    return std::move(heap_);
  }

 private:
  std::size_t k_;
  std::vector<FoundRow> heap_;
};

/// Rows one after the other in memory.
struct RowsFrom {
  StoredRows rows;
  std::size_t count;
};

/// Returns the rows from number `row` on, as far as they lie one after the other.
RowsFrom rows_from(const SearchedRows& searched, std::uint64_t row) noexcept {
  const auto from = [](const StoredRows& rows, std::uint64_t i) {
    return StoredRows{rows.row(i), rows.stride, rows.inverse_norm(i)};
  };
  if (searched.pieces.empty()) return {from(searched.rows, row), searched.num_rows - row};
  const auto behind = std::ranges::upper_bound(searched.pieces, row, {}, &RowPiece::first);
  const std::uint64_t end = behind == searched.pieces.end() ? searched.num_rows : behind->first;
  const RowPiece& piece = *(behind - 1);
  return {from(piece.rows, row - piece.first), end - row};
}

struct Task {
  std::size_t first_query, num_queries, first_row, end_row;
};

/// Splits a search into tasks of queries × rows, enough of them to keep every thread busy to the
/// end.
std::vector<Task> split(std::size_t num_queries, std::size_t num_rows, std::size_t block,
                        int threads) {
  const std::size_t query_blocks = (num_queries + block - 1) / block;
  const std::size_t wanted = threads == 1 ? 1 : 4 * static_cast<std::size_t>(threads);
  const std::size_t segments =
      std::clamp<std::size_t>((wanted + query_blocks - 1) / query_blocks, 1,
                              std::max<std::size_t>(1, num_rows / kMinSegment));
  const std::size_t segment_rows =
      ((num_rows + segments - 1) / segments + kRowBlock - 1) / kRowBlock * kRowBlock;
  std::vector<Task> tasks;
  for (std::size_t q = 0; q < num_queries; q += block) {
    for (std::size_t r = 0; r < num_rows; r += segment_rows) {
      tasks.push_back(
          {q, std::min(block, num_queries - q), r, std::min(num_rows, r + segment_rows)});
    }
  }
  return tasks;
}

/// The working memory of a thread that compares a block of queries with blocks of rows.
struct Scratch {
  std::vector<float> distances;
  std::vector<float> norms;

  explicit Scratch(std::size_t query_block)
      : distances(query_block * kRowBlock), norms(kRowBlock) {}
};

void run(const Task& task, const SearchedRows& searched, const StoredRows& queries,
         std::span<Nearest> nearest, Scratch& scratch, const std::stop_token& stop) {
  const Distance& distance = searched.distance;
  const StoredRows some_queries = {queries.row(task.first_query), queries.stride,
                                   queries.inverse_norm(task.first_query)};
  std::array<std::uint32_t, kRowBlock> found;
  std::size_t count = 0;
  for (std::size_t first = task.first_row; first < task.end_row; first += count) {
    if (stop.stop_requested()) return;
    auto [some_rows, num_together] = rows_from(searched, first);
    count = std::min({kRowBlock, task.end_row - first, num_together});
    if (distance.uses_norms() && some_rows.inverse_norms == nullptr) {
      for (std::size_t i = 0; i < count; ++i)
        scratch.norms[i] = distance.inverse_norm(some_rows.row(i));
      some_rows.inverse_norms = scratch.norms.data();
    }
    distance.tile(some_queries, task.num_queries, some_rows, 0, count,
                  {scratch.distances.data(), kRowBlock});
    for (std::size_t q = 0; q < task.num_queries; ++q) {
      const float* line = scratch.distances.data() + q * kRowBlock;
      const std::size_t num_found =
          distances::kernels().below(line, count, nearest[q].bound(), found.data());
      for (std::size_t i = 0; i < num_found; ++i) {
        const std::uint64_t slot = first + found[i];
        // The bound gets smaller while rows are added.
        if (line[found[i]] < nearest[q].bound() && searched.choice.accepts(slot)) {
          nearest[q].push({line[found[i]], slot});
        }
      }
    }
  }
}

/// Searches the rows of the filter exactly, one after another.
Result<std::vector<std::vector<FoundRow>>> search_filtered(const SearchedRows& searched,
                                                           const StoredRows& queries,
                                                           std::size_t num_queries, std::size_t k,
                                                           int threads,
                                                           const std::stop_token& stop) {
  std::vector<std::vector<FoundRow>> results(num_queries);
  EMBD_TRY(parallel_for(num_queries, threads, [&](std::size_t q) -> Result<void> {
    if (stop.stop_requested()) return {};
    results[q] = exact_search(searched, searched.distance.query(queries, q),
                              searched.choice.filter->slots(), k);
    return {};
  }));
  return results;
}

}  // namespace

Result<std::vector<std::vector<FoundRow>>> exact_search(const SearchedRows& searched,
                                                        StoredRows queries, std::size_t num_queries,
                                                        std::size_t k, int threads,
                                                        std::stop_token stop) {
  const Distance& distance = searched.distance;
  const std::size_t num_rows = searched.num_rows;
  k = std::min(k, num_rows);
  if (k == 0 || num_queries == 0) return std::vector<std::vector<FoundRow>>(num_queries);
  const IdFilter* filter = searched.choice.filter;
  if (filter != nullptr && filter->size() < num_rows / kSmallShare)
    return search_filtered(searched, queries, num_queries, k, threads, stop);

  const std::size_t block = query_block(distance.row_bytes());
  const std::vector<Task> tasks = split(num_queries, num_rows, block, threads);
  threads = std::min(threads, static_cast<int>(tasks.size()));
  std::vector<std::vector<Nearest>> found(tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) found[t].assign(tasks[t].num_queries, Nearest(k));
  std::vector<float> query_norms;
  if (distance.uses_norms() && queries.inverse_norms == nullptr) {
    for (std::size_t q = 0; q < num_queries; ++q) {
      query_norms.push_back(distance.inverse_norm(queries.row(q)));
    }
    queries.inverse_norms = query_norms.data();
  }
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads), Scratch(block));
  EMBD_TRY(
      parallel_for(tasks.size(), threads, [&](std::size_t t, std::size_t worker) -> Result<void> {
        run(tasks[t], searched, queries, found[t], scratch[worker], stop);
        return {};
      }));

  std::vector<std::vector<FoundRow>> results(num_queries);
  for (std::size_t t = 0; t < tasks.size();) {
    const std::size_t first = t;
    while (++t < tasks.size() && tasks[t].first_query == tasks[first].first_query) {
      for (std::size_t q = 0; q < found[first].size(); ++q) found[first][q].merge(found[t][q]);
    }
    for (std::size_t q = 0; q < found[first].size(); ++q) {
      results[tasks[first].first_query + q] = std::move(found[first][q]).sorted();
    }
  }
  return results;
}

std::vector<FoundRow> exact_search(const SearchedRows& searched, const Distance::Query& query,
                                   std::size_t k) {
  std::vector<std::uint64_t> slots(searched.num_rows);
  std::iota(slots.begin(), slots.end(), std::uint64_t{0});
  return exact_search(searched, query, slots, k);
}

std::vector<FoundRow> exact_search(const SearchedRows& searched, const Distance::Query& query,
                                   std::span<const std::uint64_t> slots, std::size_t k) {
  Nearest nearest(std::min(k, slots.size()));
  if (k == 0 || slots.empty()) return {};
  std::array<std::uint32_t, kRowBlock> places;
  std::array<float, kRowBlock> distances;
  while (!slots.empty()) {
    // Kernels take 32-bit slots, so rows are counted from the first row of the block.
    const std::uint64_t base = slots.front();
    const auto [from_base, num_together] = rows_from(searched, base);
    const std::uint64_t most =
        std::min<std::uint64_t>(num_together - 1, std::numeric_limits<std::uint32_t>::max());
    std::size_t count = 0;
    for (; count < std::min(kRowBlock, slots.size()); ++count) {
      if (slots[count] - base > most) break;
      places[count] = static_cast<std::uint32_t>(slots[count] - base);
    }
    searched.distance.gather(query, from_base, std::span(places).first(count), distances.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (distances[i] < nearest.bound() && searched.choice.accepts(slots[i]))
        nearest.push({distances[i], slots[i]});
    }
    slots = slots.subspan(count);
  }
  return std::move(nearest).sorted();
}

}  // namespace embd
