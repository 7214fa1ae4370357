#include "analysis/near_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "analysis/blocks.h"
#include "analysis/seeded_random.h"
#include "base/parallel.h"
#include "base/try.h"

namespace embd {
namespace {

/// The number of rows with which queries are compared at a time.
constexpr std::size_t rows_of_tile = 128;
/// The number of rows of a task.
constexpr std::size_t rows_of_segment = 2048;
/// The size of the queries of a stripe in bytes. They stay in the second-level cache.
constexpr std::size_t bytes_of_stripe = std::size_t{512} << 10;
/// The number of rows from which on bounds save time.
constexpr std::size_t least_bounded_rows = 4096;
/// If bounds leave more than this share of the pairs, comparing all pairs is faster.
constexpr std::size_t most_left = 6;

/// The greatest distance that rounding can make of 0. The dot product of a row and itself is the
/// square of its length, with the same bits; the inverse lengths and three products round.
constexpr float farthest_of_equal_rows = 1e-6F;

/// One of the two sets that are compared.
struct Side : ChosenRows {
  std::optional<CosineBounds> bounds = {};

  bool is_whole() const noexcept { return chosen.size() == rows.size(); }
};

/// A copy of some rows of a side, one after another.
class PackedBlock {
 public:
  PackedBlock(const Side& side, std::size_t first, std::size_t count) : stride_(side.rows.dim()) {
    if (side.is_whole()) {
      stored_ = side.rows.stored(first);
      return;
    }
    values_.reserve(count * stride_);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = side.rows.row(side.chosen[first + i]);
      values_.insert(values_.end(), row.begin(), row.end());
      norms_.push_back(side.rows.inverse_norm(side.chosen[first + i]));
    }
    stored_ = {reinterpret_cast<const std::byte*>(values_.data()), sizeof(float) * stride_,
               norms_.data()};
  }
  PackedBlock(const PackedBlock&) = delete;
  const StoredRows& stored() const noexcept { return stored_; }

 private:
  std::size_t stride_;
  std::vector<float> values_;
  std::vector<float> norms_;
  StoredRows stored_;
};

/// A stripe of queries, with their short rows (CosineBounds) negated.
struct Stripe {
  std::size_t first;
  std::size_t count;
  PackedBlock rows;
  std::vector<float> negated_bounds;  // [count, width]

  Stripe(const Side& side, std::size_t first_query, std::size_t num_queries)
      : first(first_query), count(num_queries), rows(side, first_query, num_queries) {
    if (!side.bounds) return;
    const float* bounds = side.bounds->rows(first);
    negated_bounds.assign(bounds, bounds + count * CosineBounds::width);
    for (float& value : negated_bounds) value = -value;
  }
};

class PairFinder {
 public:
  /// Finds pairs of two sides. `is_one_set` says that both sides are the same set; then each pair
  /// is found once.
  PairFinder(Side queries, Side others, bool is_one_set, float most, int threads,
             const std::stop_token& stop)
      : queries_(std::move(queries)),
        others_(std::move(others)),
        is_one_set_(is_one_set),
        rule_(most),
        bound_(std::nextafter(rule_.reach(), farthest_distance + 1)),
        bound_of_bounds_(rule_.reach() - 1 + CosineBounds::slack(queries_.rows.dim())),
        threads_(threads),
        stop_(stop) {}

  Result<void> run(const NearPairSink& sink) {
    EMBD_TRY(make_bounds());
    const std::size_t row_bytes = sizeof(float) * std::max<std::size_t>(1, queries_.rows.dim());
    const std::size_t stripe = std::clamp<std::size_t>(bytes_of_stripe / row_bytes, 48, 384);
    for (std::size_t first = 0; first < queries_.chosen.size(); first += stripe) {
      const std::size_t count = std::min(stripe, queries_.chosen.size() - first);
      std::vector<NearPair> pairs = EMBD_TRY(search(Stripe(queries_, first, count)));
      if (stop_.stop_requested()) return fail_stopped();
      std::ranges::sort(pairs);
      if (!pairs.empty()) EMBD_TRY(sink(pairs));
    }
    return {};
  }

 private:
  struct Scratch {
    std::vector<float> values;
    std::vector<std::uint32_t> left;     // The rows that bounds leave, of all queries.
    std::vector<std::size_t> left_ends;  // The end of each query's rows in `left`.
    std::vector<float> distances;
  };

  Result<void> make_bounds() {
    if (!CosineBounds::suits(queries_.rows.dim()) || others_.chosen.size() < least_bounded_rows)
      return {};
    const Matrix directions = long_directions(others_.rows, CosineBounds::width - 1);
    others_.bounds =
        EMBD_TRY(CosineBounds::create(others_.rows, others_.chosen, directions, threads_));
    queries_.bounds =
        is_one_set_
            ? others_.bounds
            : EMBD_TRY(CosineBounds::create(queries_.rows, queries_.chosen, directions, threads_));
    return {};
  }

  Result<std::vector<NearPair>> search(const Stripe& stripe) {
    const std::size_t end = is_one_set_ ? stripe.first + stripe.count : others_.chosen.size();
    const std::size_t num_segments = (end + rows_of_segment - 1) / rows_of_segment;
    std::vector<std::vector<NearPair>> found(num_segments);
    EMBD_TRY(parallel_for(num_segments, threads_, [&](std::size_t s) -> Result<void> {
      Scratch scratch;
      const std::size_t segment_end = std::min(end, (s + 1) * rows_of_segment);
      for (std::size_t first = s * rows_of_segment; first < segment_end; first += rows_of_tile) {
        if (stop_.stop_requested()) return {};
        const std::size_t count = std::min(rows_of_tile, segment_end - first);
        if (!rule_out(stripe, first, count, scratch))
          compare_all(stripe, first, count, scratch, found[s]);
        else
          compare_left(stripe, scratch, found[s]);
      }
      return {};
    }));
    std::vector<NearPair> pairs;
    for (const std::vector<NearPair>& some : found)
      pairs.insert(pairs.end(), some.begin(), some.end());
    return pairs;
  }

  /// Lists the pairs that bounds leave. Returns false if they leave too many, or if there are no
  /// bounds.
  bool rule_out(const Stripe& stripe, std::size_t first, std::size_t count, Scratch& scratch) {
    if (!others_.bounds) return false;
    constexpr std::size_t row_bytes = sizeof(float) * CosineBounds::width;
    scratch.values.resize(stripe.count * rows_of_tile);
    distances::kernels().f32.dot.tile({stripe.negated_bounds.data(), row_bytes}, stripe.count,
                                      {others_.bounds->rows(first), row_bytes}, count,
                                      CosineBounds::width, {scratch.values.data(), rows_of_tile});
    scratch.left.clear();
    scratch.left_ends.clear();
    std::array<std::uint32_t, rows_of_tile> kept;
    for (std::size_t q = 0; q < stripe.count; ++q) {
      const std::size_t num_kept = distances::kernels().below(
          scratch.values.data() + q * rows_of_tile, count, bound_of_bounds_, kept.data());
      for (std::size_t i = 0; i < num_kept; ++i) {
        const std::size_t other = first + kept[i];
        if (is_one_set_ && other >= stripe.first + q) break;
        scratch.left.push_back(others_.chosen[other]);
      }
      scratch.left_ends.push_back(scratch.left.size());
    }
    return scratch.left.size() * most_left <= stripe.count * count;
  }

  void compare_left(const Stripe& stripe, Scratch& scratch, std::vector<NearPair>& pairs) const {
    scratch.distances.resize(rows_of_tile);
    std::size_t begin = 0;
    for (std::size_t q = 0; q < stripe.count; begin = scratch.left_ends[q], ++q) {
      const auto slots = std::span(scratch.left).subspan(begin, scratch.left_ends[q] - begin);
      if (slots.empty()) continue;
      const Distance& distance = queries_.rows.distance();
      distance.gather(distance.query(stripe.rows.stored(), q), others_.rows.stored(), slots,
                      scratch.distances.data());
      for (std::size_t i = 0; i < slots.size(); ++i)
        add_if_near(queries_.chosen[stripe.first + q], slots[i], scratch.distances[i], pairs);
    }
  }

  void compare_all(const Stripe& stripe, std::size_t first, std::size_t count, Scratch& scratch,
                   std::vector<NearPair>& pairs) const {
    const PackedBlock rows(others_, first, count);
    scratch.values.resize(stripe.count * rows_of_tile);
    queries_.rows.distance().tile(stripe.rows.stored(), stripe.count, rows.stored(), 0, count,
                                  {scratch.values.data(), rows_of_tile});
    std::array<std::uint32_t, rows_of_tile> nearby;
    for (std::size_t q = 0; q < stripe.count; ++q) {
      const float* line = scratch.values.data() + q * rows_of_tile;
      const std::size_t num_near = distances::kernels().below(line, count, bound_, nearby.data());
      for (std::size_t i = 0; i < num_near; ++i) {
        const std::size_t other = first + nearby[i];
        if (is_one_set_ && other >= stripe.first + q) break;
        add_if_near(queries_.chosen[stripe.first + q], others_.chosen[other], line[nearby[i]],
                    pairs);
      }
    }
  }

  void add_if_near(std::uint32_t row, std::uint32_t other, float computed,
                   std::vector<NearPair>& pairs) const {
    if (const auto distance =
            rule_.distance(queries_.rows.row(row), others_.rows.row(other), computed))
      pairs.push_back({row, other, *distance});
  }

  Side queries_;
  Side others_;
  bool is_one_set_;
  NearRule rule_;
  float bound_;            // The distances of near pairs are below this.
  float bound_of_bounds_;  // The negated bounds of near pairs are below this.
  int threads_;
  const std::stop_token& stop_;
};

/// The number of rows from which the basis is computed.
constexpr std::size_t basis_sample = 1024;
/// The number of times that a basis is turned towards the directions in which the sample has large
/// components.
constexpr int turns = 3;
/// The length of the rest for a row whose bounds must rule out nothing. Its product with the
/// shortest rest is still greater than any cosine.
constexpr float unbounded_rest = 1e4F;

/// Returns by how much rounding may reduce a square that is at most 1.
double lost_square(std::size_t dim) noexcept {
  return 1e-5 + 2e-7 * static_cast<double>(dim);
}

using Vectors = std::vector<std::vector<double>>;

/// Makes the vectors orthonormal, one after another. A vector that depends on those before becomes
/// 0.
void orthonormalize(Vectors& vectors) {
  for (std::size_t j = 0; j < vectors.size(); ++j) {
    std::vector<double>& vector = vectors[j];
    for (int time = 0; time < 2; ++time) {  // Twice, to remove what rounding leaves.
      for (std::size_t i = 0; i < j; ++i) {
        const double along = dot(vector, vectors[i]);
        for (std::size_t d = 0; d < vector.size(); ++d) vector[d] -= along * vectors[i][d];
      }
    }
    const double length = std::sqrt(dot(vector, vector));
    for (double& value : vector) value = length > 1e-9 ? value / length : 0;
  }
}

Vectors sample_of(const CosineRows& rows) {
  const std::size_t count = std::min(basis_sample, rows.size());
  Vectors sample(count, std::vector<double>(rows.dim()));
  for (std::size_t i = 0; i < count; ++i) unit_row(rows.row(i * rows.size() / count), sample[i]);
  return sample;
}

/// Turns vectors towards the directions in which the sample has large components.
Vectors turned(const Vectors& vectors, const Vectors& sample) {
  Vectors next(vectors.size(), std::vector<double>(vectors.front().size()));
  for (const std::vector<double>& row : sample) {
    for (std::size_t j = 0; j < vectors.size(); ++j) {
      const double along = dot(vectors[j], row);
      for (std::size_t d = 0; d < row.size(); ++d) next[j][d] += along * row[d];
    }
  }
  return next;
}

/// Replaces the dot products of a row and the directions by the short row.
void shorten(std::span<float> dots, float inverse_norm, std::size_t dim) {
  if (std::isnan(inverse_norm) || inverse_norm == 0) {
    std::ranges::fill(dots, 0.0F);
    dots.back() = unbounded_rest;
    return;
  }
  double squares = 0;
  for (float& value : dots.first(dots.size() - 1)) {
    value *= inverse_norm;
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  dots.back() = static_cast<float>(std::sqrt(std::max(0.0, 1 - squares) + lost_square(dim)));
}

}  // namespace

float NearRule::reach() const noexcept {
  return std::max(most_, farthest_of_equal_rows);
}

std::optional<float> NearRule::distance(std::span<const float> row, std::span<const float> other,
                                        float computed) const noexcept {
  if (computed > 0 && computed <= farthest_of_equal_rows &&
      std::memcmp(row.data(), other.data(), row.size_bytes()) == 0)
    computed = 0;
  return computed <= most_ ? std::optional(computed) : std::nullopt;
}

Result<void> find_near_pairs(const ChosenRows& rows, float most, int threads,
                             const NearPairSink& sink, const std::stop_token& stop) {
  return PairFinder({rows}, {rows}, true, most, threads, stop).run(sink);
}

Result<void> find_near_pairs_between(const ChosenRows& rows, const CosineRows& others, float most,
                                     int threads, const NearPairSink& sink,
                                     const std::stop_token& stop) {
  std::vector<std::uint32_t> all(others.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  return PairFinder({rows}, {{others, all}}, false, most, threads, stop).run(sink);
}

Matrix long_directions(const CosineRows& rows, std::size_t num_directions) {
  Random random(0);
  Vectors vectors(num_directions, std::vector<double>(rows.dim()));
  for (std::vector<double>& vector : vectors)
    for (double& value : vector) value = random.real() - 0.5;
  orthonormalize(vectors);
  const Vectors sample = sample_of(rows);
  for (int turn = 0; turn < turns; ++turn) {
    vectors = turned(vectors, sample);
    orthonormalize(vectors);
  }
  Matrix directions(num_directions, rows.dim());
  for (std::size_t j = 0; j < num_directions; ++j)
    std::ranges::transform(vectors[j], directions.row(j).begin(),
                           [](double value) { return static_cast<float>(value); });
  return directions;
}

float CosineBounds::slack(std::size_t dim) noexcept {
  return 1e-4F + 2e-7F * static_cast<float>(dim);
}

Result<CosineBounds> CosineBounds::create(const CosineRows& rows,
                                          std::span<const std::uint32_t> chosen,
                                          MatrixView directions, int threads) {
  CosineBounds bounds;
  bounds.rows_.resize(chosen.size() * width);
  const std::size_t stride = sizeof(float) * rows.dim();
  EMBD_TRY(for_blocks(chosen.size(), threads, [&](Block block) -> Result<void> {
    for (std::size_t i = block.first; i < block.end; ++i) {
      const auto row = std::span(bounds.rows_).subspan(i * width, width);
      distances::kernels().f32.dot.tile({rows.row(chosen[i]).data(), stride}, 1,
                                        {directions.data(), stride}, directions.rows(), rows.dim(),
                                        {row.data(), width});
      shorten(row, rows.inverse_norm(chosen[i]), rows.dim());
    }
    return {};
  }));
  return bounds;
}

}  // namespace embd
