#include "jobs/search/search_shard.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/cpu.h"
#include "base/output_set.h"
#include "base/parallel.h"
#include "base/path_text.h"
#include "base/try.h"
#include "index/check_rows.h"
#include "jobs/sets/format_table.h"
#include "jobs/sets/index_sets.h"

namespace embd {
namespace {

StoredRows stored(MatrixView matrix) {
  return {reinterpret_cast<const std::byte*>(matrix.data()), 4 * matrix.cols(), nullptr};
}

/// Returns the rows of a set in memory, where they lie in its file if possible.
Result<RowBlocks> rows_in_memory(const VectorReader& set) {
  if (const PlainRowSource* plain = set.plain_rows(); plain != nullptr)
    if (auto blocks = EMBD_TRY(plain->blocks())) return std::move(*blocks);
  RowBlocks rows;
  rows.copies.push_back(EMBD_TRY(all_rows(set)));
  rows.blocks.emplace_back(rows.copies.front());
  return rows;
}

std::vector<RowPiece> pieces_of(const RowBlocks& rows) {
  std::vector<RowPiece> pieces;
  std::uint64_t first = 0;
  for (const MatrixView block : rows.blocks) {
    pieces.push_back({first, stored(block)});
    first += block.rows();
  }
  return pieces;
}

/// Checks that all rows have distances.
Result<void> check_pieces(const RowBlocks& rows, const std::vector<RowPiece>& pieces,
                          Metric metric) {
  // A single block is checked by several threads as it is.
  const int threads = pieces.size() > 1 ? available_threads() : 1;
  return parallel_for(pieces.size(), threads, [&](std::size_t i) {
    return check_rows(rows.blocks[i], metric, pieces[i].first);
  });
}

}  // namespace

Result<Matrix> all_rows(const VectorReader& set) {
  Matrix rows(set.info().num_rows, set.info().dim);
  EMBD_TRY(set.read(0, set.info().num_rows, rows.values()));
  return rows;
}

Result<SearchShard> SearchShard::open(const std::filesystem::path& path,
                                      const SearcherOptions& options, const Passages* passages) {
  SearchShard shard;
  shard.path_ = path;
  if (passages != nullptr) {
    EMBD_TRY(passages->index.empty() ? shard.open_vectors(options, /*is_checked=*/false)
                                     : shard.open_index_over(passages->index, options));
    return shard;
  }
  const Format* format = EMBD_TRY(format_of_input(path, options.read.format));
  EMBD_TRY(format->is_index(path) ? shard.open_index(options)
                                  : shard.open_vectors(options, /*is_checked=*/true));
  return shard;
}

Result<void> SearchShard::open_index(const SearcherOptions& options) {
  OpenOptions open;
  open.metric = options.metric;
  open.of_codes = true;
  const auto opener = options.in_memory ? Index::open : Index::view;
  EMBD_TRY(finish_exchange(path_));
  const SetSnapshot snapshot = SetSnapshot::begin(path_);
  index_ = std::make_shared<const Index>(EMBD_TRY(opener(path_, open)));
  metric_ = index_->info().metric;
  scalar_ = index_->info().scalar;
  slot_rows_ = SlotRows(index_->slots());
  vectors_ = EMBD_TRY(index_vectors(index_, path_));
  codes_ = EMBD_TRY(stored_codes(*vectors_));
  is_of_directions_ = index_->info().kind == IndexKind::hnsw && loses_lengths(metric_, scalar_) &&
                      !EMBD_TRY(vectors_->recipe());
  if (!snapshot.is_current()) {
    return fail_in(path_, ErrorCode::io_failed,
                   "another program replaced the file while it was being opened: try again");
  }
  return {};
}

Result<void> SearchShard::open_index_over(const std::filesystem::path& path,
                                          const SearcherOptions& options) {
  vectors_ = EMBD_TRY(embd::open_vectors(path_, options.read));
  const auto opener = options.in_memory ? Index::open : Index::view;
  codes_ = EMBD_TRY(stored_codes(*vectors_));
  index_ = std::make_shared<const Index>(EMBD_TRY(opener(path, {})));
  metric_ = index_->info().metric;
  scalar_ = index_->info().scalar;
  const std::vector<std::uint32_t> slots = index_->slots();
  const bool is_whole = slots.size() == num_rows() && !slots.empty() &&
                        slots.back() + std::uint64_t{1} == num_rows() &&
                        index_->info().dim == vectors_->info().dim;
  if (is_whole) return {};
  return fail_in(path, ErrorCode::bad_count,
                 "the index has {} rows, but {} has {}, expected the index of these rows",
                 slots.size(), text_of_path(path_), num_rows());
}

Result<void> SearchShard::open_vectors(const SearcherOptions& options, bool is_checked) {
  vectors_ = EMBD_TRY(embd::open_vectors(path_, options.read));
  codes_ = EMBD_TRY(stored_codes(*vectors_));
  if (codes_.type == OutputType::binary) {
    metric_ = options.metric.value_or(Metric::hamming);
    EMBD_TRY(in_file(path_, Distance::create(metric_, ElementType::b1, 8)));
    bits_ = bits_of(EMBD_TRY(all_rows(*vectors_)));
    return {};
  }
  metric_ = options.metric.value_or(Metric::cos);
  rows_ = EMBD_TRY(rows_in_memory(*vectors_));
  pieces_ = pieces_of(rows_);
  return is_checked ? in_file(path_, check_pieces(rows_, pieces_, metric_)) : Result<void>();
}

std::string SearchShard::length_note() const {
  if (!is_of_directions_) return {};
  return fmt::format(
      "{}: the elements of this index are of type {}, which stores only the direction of a row, "
      "and its metric {} depends on lengths: queries are scaled and cut as USearch does it, and "
      "the "
      "rows may have been",
      text_of_path(path_), element_name(scalar_), metric_name(metric_));
}

Result<void> SearchShard::check_queries(MatrixView queries) const {
  EMBD_TRY(check_rows(queries, metric_));
  if (index_ == nullptr || index_->info().kind != IndexKind::hnsw || is_of_directions_) return {};
  return check_kept_lengths(queries, metric_, scalar_);
}

std::shared_ptr<const IdFilter> SearchShard::filter(std::span<const std::uint64_t> rows) const {
  return std::make_shared<const IdFilter>(slot_rows_.filter(rows, num_rows()));
}

Result<RowHits> SearchShard::search(MatrixView queries, std::size_t k, const SearchOptions& options,
                                    const std::stop_token& stop) const {
  // A search can find at most all rows, and keep at most all rows as candidates.
  const std::uint64_t most = num_rows();
  if (most == 0) return RowHits(queries.rows());  // It may not say its dimension.
  k = std::min<std::uint64_t>(k, most);
  if (index_ == nullptr) return search_rows(queries, k, options);
  SearchOptions fitting = options;
  for (std::uint32_t* size : {&fitting.expansion, &fitting.window, &fitting.capacity})
    *size = static_cast<std::uint32_t>(std::min<std::uint64_t>(*size, most));
  return search_index(queries, k, fitting, stop);
}

Result<RowHits> SearchShard::search_index(MatrixView queries, std::size_t k,
                                          const SearchOptions& options,
                                          const std::stop_token& stop) const {
  const auto found = EMBD_TRY(index_->search(queries, k, options, stop));
  RowHits hits(found.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (const Hit& hit : found[q]) {
      hits[q].push_back({slot_rows_.row(hit.slot), distance_of_values(hit.distance)});
    }
  }
  return hits;
}

/// Converts a distance of the index to the distance of the values that the rows stand for. USearch
/// stores values from -1 to 1 as integers and computes distances between the integers.
float SearchShard::distance_of_values(float distance) const noexcept {
  if (index_->info().kind != IndexKind::hnsw) return distance;
  const float steps = scalar_ == ElementType::i8 ? 127 : scalar_ == ElementType::u8 ? 255 : 1;
  if (metric_ == Metric::l2sq) return distance / (steps * steps);
  if (metric_ == Metric::ip) return 1 - (1 - distance) / (steps * steps);
  return distance;
}

Result<std::vector<std::vector<FoundRow>>> SearchShard::compare(MatrixView queries, std::size_t k,
                                                                const RowChoice& choice,
                                                                int threads) const {
  if (codes_.type != OutputType::binary) {
    const Distance distance =
        EMBD_TRY(Distance::create(metric_, ElementType::f32, vectors_->info().dim));
    return exact_search({distance, {}, num_rows(), choice, pieces_}, stored(queries),
                        queries.rows(), k, threads);
  }
  const std::size_t row_bytes = queries.cols();
  const Distance distance = EMBD_TRY(Distance::create(metric_, ElementType::b1, 8 * row_bytes));
  const std::vector<std::byte> query_bits = bits_of(queries);
  return exact_search({distance, {bits_.data(), row_bytes, nullptr}, num_rows(), choice},
                      {query_bits.data(), row_bytes, nullptr}, queries.rows(), k, threads);
}

Result<RowHits> SearchShard::search_rows(MatrixView queries, std::size_t k,
                                         const SearchOptions& options) const {
  const int threads = threads_for(options.threads);
  const auto found = EMBD_TRY(compare(queries, k, {.filter = options.filter}, threads));
  RowHits hits(found.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (const auto& [d, slot] : found[q]) hits[q].push_back({slot, d});
  }
  return hits;
}

}  // namespace embd
