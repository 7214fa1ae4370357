#include "embd/map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "analysis/blocks.h"
#include "analysis/cosine_rows.h"
#include "analysis/neighbour_graph.h"
#include "analysis/principal_components.h"
#include "analysis/seeded_random.h"
#include "base/parallel.h"
#include "base/try.h"

namespace embd {
namespace {

/// A connection of a row to another row, one of which is a nearest neighbour of the other.
struct Edge {
  std::uint32_t row = 0;  ///< the other row
  float weight = 0;       ///< how strongly the rows are connected, 0 to 1
};

float weight_at(std::size_t place, std::size_t k) {
  return static_cast<float>(k - place) / static_cast<float>(k);
}

/// Returns the weight of `row` among the neighbours of `of`; 0 if it is not one of them.
float weight_among(const NeighbourGraph& graph, std::size_t of, std::size_t row) {
  const auto neighbours = graph.rows_of(of);
  const auto found = std::ranges::find(neighbours, row);
  return found == neighbours.end()
             ? 0
             : weight_at(static_cast<std::size_t>(found - neighbours.begin()), graph.k);
}

/// The edges of each row. Every edge is listed at both of its rows.
class EdgeLists {
 public:
  /// Makes edges of neighbours. The nearest of a row's k neighbours has weight 1, each next one 1/k
  /// less. If two rows are neighbours of each other, their weights a and b become a + b − ab, the
  /// probability that at least one of two independent events occurs.
  explicit EdgeLists(const NeighbourGraph& graph) {
    const std::size_t num_rows = graph.k == 0 ? 0 : graph.rows.size() / graph.k;
    std::vector<std::uint64_t> counts(num_rows, graph.k);
    const auto for_edges = [&](const auto& function) {
      for (std::size_t row = 0; row < num_rows; ++row) {
        for (std::size_t place = 0; place < graph.k; ++place) {
          const std::uint32_t other = graph.rows_of(row)[place];
          function(row, place, other, weight_among(graph, other, row));
        }
      }
    };
    for_edges([&](std::size_t, std::size_t, std::uint32_t other, float back) {
      if (back == 0) ++counts[other];
    });
    begins_.assign(num_rows + 1, 0);
    for (std::size_t row = 0; row < num_rows; ++row) begins_[row + 1] = begins_[row] + counts[row];
    edges_.resize(begins_.back());
    std::vector<std::uint64_t> next(begins_.begin(), begins_.end() - 1);
    for_edges([&](std::size_t row, std::size_t place, std::uint32_t other, float back) {
      const float weight = weight_at(place, graph.k);
      edges_[next[row]++] = {other, weight + back - weight * back};
      if (back == 0) edges_[next[other]++] = {static_cast<std::uint32_t>(row), weight};
    });
  }

  std::size_t num_rows() const noexcept { return begins_.size() - 1; }
  std::span<const Edge> of(std::size_t row) const noexcept {
    return std::span(edges_).subspan(begins_[row], begins_[row + 1] - begins_[row]);
  }

 private:
  std::vector<std::uint64_t> begins_;  // [rows + 1]
  std::vector<Edge> edges_;
};

/// Points on a plane: a pair of coordinates for each row.
struct Places {
  std::vector<float> x;
  std::vector<float> y;
};

struct LayoutOptions {
  std::uint32_t epochs = 300;
  int threads = 1;
};

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

/// Moves points until rows that have an edge are close to each other and other rows are not.
///
/// The forces are those of UMAP with a = b = 1. An edge of weight w pulls its ends together by 2w ·
/// d / (1 + |d|²). Every row pushes every other row away by 2 · d / ((0.1 + |d|²)(1 + |d|²)); in
/// each epoch, 128 randomly drawn rows stand for all rows that push. All rows of an epoch move at
/// the same time, from the positions before it (Jacobi), by steps of Adam that shrink to 0. So any
/// thread can move any row, and sums have a fixed order. Only additions, multiplications, divisions
/// and square roots are used, which give the same bits on every machine.
///
/// Fails with cancelled.
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

/// The spread of the initial places along the longer axis. It is about that of the final places.
constexpr double first_spread = 5;
/// The greatest initial distance of equal rows. They begin at different places, because no force
/// could part them otherwise.
constexpr double jitter = 1e-3;

/// Returns the principal components, scaled to the spread that the forces are made for.
Places first_places(MatrixView rows) {
  const auto axes = principal_components(rows);
  double squares = 0;
  for (const float place : axes[0]) squares += static_cast<double>(place) * place;
  const double spread = std::sqrt(squares / static_cast<double>(rows.rows()));
  const double scale = spread > 1e-9 ? first_spread / spread : 0;
  Random random(0);
  Places places = {axes[0], axes[1]};
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    for (float* place : {&places.x[row], &places.y[row]})
      *place = static_cast<float>(*place * scale + jitter * (random.real() - 0.5));
  }
  return places;
}

}  // namespace

Result<NeighbourGraph> graph_to_project(MatrixView rows, const ProjectOptions& options,
                                        const std::stop_token& stop) {
  if (options.neighbours == 0 || options.epochs == 0)
    return fail(
        ErrorCode::invalid_argument,
        "neighbours or epochs is 0 in the options of the projection, expected at least 1 for each");
  const int threads = threads_for(options.threads);
  const CosineRows cosine_rows = EMBD_TRY(CosineRows::create(rows, threads));
  return neighbour_graph(cosine_rows, options.neighbours, {.threads = threads}, stop);
}

Result<Matrix> project_graph(MatrixView rows, const NeighbourGraph& graph,
                             const ProjectOptions& options, const std::stop_token& stop) {
  Matrix plane(rows.rows(), 2);
  if (rows.rows() < 2) return plane;
  Places places = first_places(rows);
  EMBD_TRY(lay_out(EdgeLists(graph),
                   {.epochs = options.epochs, .threads = threads_for(options.threads)}, stop,
                   places));
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    plane.row(row)[0] = places.x[row];
    plane.row(row)[1] = places.y[row];
  }
  return plane;
}

Result<Matrix> project(MatrixView rows, const ProjectOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<Matrix> {
    const NeighbourGraph graph = EMBD_TRY(graph_to_project(rows, options, stop));
    return project_graph(rows, graph, options, stop);
  });
}

}  // namespace embd
