// Replaces Vamana indexes in a build without SVS (EMBD_SVS=OFF).

#include "base/try.h"
#include "index/vamana/vamana_index.h"

namespace embd::vamana {

Result<std::unique_ptr<Index::Impl>> VamanaIndex::build(MatrixView, std::span<const std::uint64_t>,
                                                        const IndexOptions&,
                                                        const std::stop_token&) {
  return fail(ErrorCode::unsupported, "this build of embd has no Vamana indexes");
}

Result<std::unique_ptr<Index::Impl>> VamanaIndex::open(const std::filesystem::path& path,
                                                       const OpenOptions&) {
  return fail_in(path, ErrorCode::unsupported, "this build of embd has no Vamana indexes");
}

}  // namespace embd::vamana
