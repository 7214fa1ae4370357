#include <algorithm>

#include "embd/cluster.h"
#include "embd/dedupe.h"
#include "embd/map.h"
#include "faces/c/fields.h"
#include "faces/c/support.h"
#include "jobs/options/job_lists.h"

namespace embd::c {
namespace {

Result<ClusterOptions> cluster_options(const embd_cluster_options* given) {
  using C = embd_cluster_options;
  using O = ClusterOptions;
  constexpr Fields<Field<&C::k, &O::k>, Field<&C::seed, &O::seed>,
                   Field<&C::min_size, &O::min_size>, Field<&C::min_samples, &O::min_samples>,
                   Field<&C::threads, &O::threads>>
      fields;
  // The method is a flag: HDBSCAN or not.
  static_assert(are_all<O>(fields, {"method", "exact_rows"}));
  const embd_cluster_options c = known(given, EMBD_CLUSTER_OPTIONS_INIT);
  ClusterOptions options;
  if (c.density != 0) options.method = ClusterMethod::density;
  EMBD_TRY(set_all(fields, c, options));
  return options;
}

}  // namespace
}  // namespace embd::c

using embd::option_of;
using embd::Result;
using namespace embd::c;

extern "C" {

embd_status embd_find_duplicates(const float* rows, size_t num_rows, size_t dim,
                                 double min_similarity, int threads, uint64_t* representatives,
                                 size_t* num_kept, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(representatives != nullptr || num_rows == 0, "representatives is NULL"));
    const embd::MatrixView matrix = EMBD_TRY(rows_of(rows, num_rows, dim));
    embd::DedupeOptions options = {.min_similarity = min_similarity};
    EMBD_TRY(set_number(option_of<&embd::DedupeOptions::threads>(), threads, options.threads));
    const embd::Duplicates found = EMBD_TRY(embd::find_duplicates(matrix, options));
    std::ranges::copy(found.representatives, representatives);
    if (num_kept != nullptr) *num_kept = found.num_kept();
    return {};
  });
}

embd_status embd_cluster_rows(const float* rows, size_t num_rows, size_t dim,
                              const embd_cluster_options* options, int32_t* groups,
                              float* distances, size_t* num_groups, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(groups != nullptr || num_rows == 0, "groups is NULL"));
    const embd::MatrixView matrix = EMBD_TRY(rows_of(rows, num_rows, dim));
    const embd::Clusters found =
        EMBD_TRY(embd::cluster_rows(matrix, EMBD_TRY(cluster_options(options))));
    std::ranges::copy(found.groups, groups);
    if (distances != nullptr) std::ranges::copy(found.distances, distances);
    if (num_groups != nullptr) *num_groups = found.sizes.size();
    return {};
  });
}

embd_status embd_project(const float* rows, size_t num_rows, size_t dim, uint32_t neighbours,
                         uint32_t epochs, int threads, float* places, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(places != nullptr || num_rows == 0, "places is NULL"));
    const embd::MatrixView matrix = EMBD_TRY(rows_of(rows, num_rows, dim));
    embd::ProjectOptions options;
    EMBD_TRY(set_number(option_of<&embd::ClusterOptions::threads>(), threads, options.threads));
    if (neighbours != 0) options.neighbours = neighbours;
    if (epochs != 0) options.epochs = epochs;
    const embd::Matrix plane = EMBD_TRY(embd::project(matrix, options));
    std::ranges::copy(plane.values(), places);
    return {};
  });
}

}  // extern "C"
