#include "analysis/layout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/blocks.h"
#include "analysis/seeded_random.h"
#include "base/stopped.h"
#include "base/try.h"

namespace embd {
namespace {

/// The number of rows that push in an epoch.
constexpr std::size_t num_pushing = 128;
/// The number of partial sums, so that a compiler can use vector registers of any width.
constexpr std::size_t lanes = 8;
/// The pushing force for each unit of weight that pulls a row. UMAP uses 5; half as much again
/// keeps more neighbours near.
constexpr float push_of_pull = 7.5F;
/// Keeps the pushing force of rows at one place finite.
constexpr float softness = 0.1F;
constexpr float first_step = 0.5F;
constexpr std::uint64_t seed = 1;

struct Force {
  float x = 0;
  float y = 0;
};

/// The rows that push in an epoch, with their places.
class Pushing {
 public:
  /// Takes all rows if there are few; otherwise draws new rows in each call.
  void choose(const Places& places, Random& random) {
    const std::size_t num_rows = places.x.size();
    count_ = std::min(num_rows, num_pushing);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t row = num_rows <= num_pushing ? i : random.below(num_rows);
      x_[i] = places.x[row];
      y_[i] = places.y[row];
    }
    // Fills the last lanes with places so far away that they do not push.
    std::fill(x_.begin() + count_, x_.end(), far_away);
    std::fill(y_.begin() + count_, y_.end(), far_away);
  }

  /// Returns the mean pushing force on a place.
  Force push(float x, float y) const noexcept {
    std::array<float, lanes> sum_x = {};
    std::array<float, lanes> sum_y = {};
    for (std::size_t i = 0; i < num_pushing; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const float dx = x - x_[i + lane];
        const float dy = y - y_[i + lane];
        const float square = dx * dx + dy * dy;
        const float strength = 2 / ((softness + square) * (1 + square));
        sum_x[lane] += strength * dx;
        sum_y[lane] += strength * dy;
      }
    }
    Force force;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      force.x += sum_x[lane];
      force.y += sum_y[lane];
    }
    return {force.x / static_cast<float>(count_), force.y / static_cast<float>(count_)};
  }

 private:
  static constexpr float far_away = 1e9F;

  std::size_t count_ = 0;
  std::array<float, num_pushing> x_;
  std::array<float, num_pushing> y_;
};

/// The state of Adam (Kingma and Ba, 2014) for one coordinate of each row.
class Adam {
 public:
  explicit Adam(std::size_t num_rows) : means_(num_rows), squares_(num_rows) {}

  void begin_epoch(float step) noexcept {
    mean_share_ *= keep_mean;
    square_share_ *= keep_square;
    step_ = step;
  }
  /// Returns how far the row moves under a force.
  float move(std::size_t row, float force) noexcept {
    means_[row] = keep_mean * means_[row] + (1 - keep_mean) * force;
    squares_[row] = keep_square * squares_[row] + (1 - keep_square) * force * force;
    const float mean = means_[row] / (1 - mean_share_);
    const float square = squares_[row] / (1 - square_share_);
    return step_ * mean / (std::sqrt(square) + 1e-7F);
  }

 private:
  static constexpr float keep_mean = 0.9F;
  static constexpr float keep_square = 0.999F;

  std::vector<float> means_;
  std::vector<float> squares_;
  float mean_share_ = 1;
  float square_share_ = 1;
  float step_ = 0;
};

/// Returns the force on a row.
Force force_on(std::size_t row, std::span<const Edge> edges, const Places& places,
               const Pushing& pushing) noexcept {
  const float x = places.x[row];
  const float y = places.y[row];
  Force pull;
  float weight = 0;
  for (const Edge& edge : edges) {
    const float dx = places.x[edge.row] - x;
    const float dy = places.y[edge.row] - y;
    const float strength = 2 * edge.weight / (1 + dx * dx + dy * dy);
    pull.x += strength * dx;
    pull.y += strength * dy;
    weight += edge.weight;
  }
  const Force push = pushing.push(x, y);
  const float factor = push_of_pull * weight;
  return {pull.x + factor * push.x, pull.y + factor * push.y};
}

}  // namespace

Result<void> lay_out(const EdgeLists& edges, const LayoutOptions& options,
                     const std::stop_token& stop, Places& places) {
  const std::size_t num_rows = edges.num_rows();
  Places next = places;
  Adam adam_x(num_rows);
  Adam adam_y(num_rows);
  Random random(seed);
  Pushing pushing;
  for (std::uint32_t epoch = 0; epoch < options.epochs; ++epoch) {
    if (stop.stop_requested()) return fail_stopped();
    const float step = first_step * static_cast<float>(options.epochs - epoch) /
                       static_cast<float>(options.epochs);
    pushing.choose(places, random);
    adam_x.begin_epoch(step);
    adam_y.begin_epoch(step);
    EMBD_TRY(for_blocks(num_rows, options.threads, [&](const Block& block) -> Result<void> {
      for (std::size_t row = block.first; row < block.end; ++row) {
        const Force force = force_on(row, edges.of(row), places, pushing);
        next.x[row] = places.x[row] + adam_x.move(row, force.x);
        next.y[row] = places.y[row] + adam_y.move(row, force.y);
      }
      return {};
    }));
    std::swap(places, next);
  }
  return {};
}

}  // namespace embd
