// Replaces the functions of analysis, and the jobs over them, in a build without this part
// (EMBD_ANALYSIS=OFF).

#include "analysis/map/files.h"
#include "analysis/map/map_parts.h"
#include "base/try.h"
#include "embd/cluster.h"
#include "embd/dedupe.h"
#include "embd/map.h"
#include "embd/neighbours.h"

namespace embd {
namespace {

std::unexpected<Error> left_out() {
  return fail(ErrorCode::unsupported,
              "this build of embd has no analysis: groups, near-duplicates, maps, neighbours");
}

using Path = std::filesystem::path;
using Paths = std::vector<std::filesystem::path>;

}  // namespace

Result<Clusters> cluster_rows(MatrixView, const ClusterOptions&, std::stop_token) {
  return left_out();
}
Result<std::vector<GroupName>> name_groups(const Clusters&, std::span<const std::string_view>,
                                           std::size_t, std::size_t) {
  return left_out();
}
Result<ClusterReport> cluster_file(const Model*, const Paths&, const Paths&,
                                   const ClusterFileOptions&, std::stop_token) {
  return left_out();
}

Result<Duplicates> find_duplicates(MatrixView, const DedupeOptions&, std::span<const std::uint64_t>,
                                   std::stop_token) {
  return left_out();
}
Result<Leaks> find_leaks(MatrixView, MatrixView, const DedupeOptions&, std::stop_token) {
  return left_out();
}
Result<DedupeReport> dedupe_file(const Model*, const Paths&, const Paths&, const DedupeFileOptions&,
                                 std::stop_token) {
  return left_out();
}

Result<RowMap> map_rows(MatrixView, const MapOptions&, std::stop_token) {
  return left_out();
}
std::uint32_t usual_groups(std::uint64_t) noexcept {
  return 0;
}
Result<void> group_map(RowMap&, MatrixView, const ClusterOptions&, std::stop_token) {
  return left_out();
}
Result<std::string> map_page(const RowMap&, const MapPageOptions&) {
  return left_out();
}
Result<std::string> map_picture(const RowMap&, const MapPictureOptions&) {
  return left_out();
}
Result<MapReport> map_file(const Model*, const Paths&, const Paths&, const MapFileOptions&,
                           std::stop_token) {
  return left_out();
}
std::vector<GroupMark> mark_groups(const RowMap&) {
  return {};
}

Result<NeighbourAgreement> compare_neighbours(MatrixView, MatrixView, const AgreementOptions&,
                                              std::stop_token) {
  return left_out();
}
Result<NeighbourAgreement> compare_neighbours_of(const Path&, const Path&, const ReadOptions&,
                                                 const AgreementOptions&, std::stop_token) {
  return left_out();
}

Result<Matrix> project(MatrixView, const ProjectOptions&, std::stop_token) {
  return left_out();
}

}  // namespace embd
