// Replaces the functions that build, change and write indexes in a WebAssembly module, which only
// searches them.
#include "base/try.h"
#include "index/hnsw/builders.h"
#include "index/hnsw/hnsw_index.h"
#include "index/vamana/vamana_builder.h"
#include "index/vamana/vamana_index.h"

namespace embd {
namespace {

std::unexpected<Error> unbuilt() {
  return fail(ErrorCode::unsupported,
              "this build of embd can search indexes, but it cannot build them");
}

}  // namespace

namespace hnsw {

Result<void> insert_in_batches(Graph& /*graph*/, const RowSpace& /*space*/,
                               std::span<const std::uint32_t> /*slots*/,
                               const BuildOptions& /*options*/, const std::stop_token& /*stop*/) {
  return unbuilt();
}
Result<void> insert_in_batches(Graph& /*graph*/, const RowSpace& /*rows*/, const Codes& /*space*/,
                               std::span<const std::uint32_t> /*slots*/,
                               const BuildOptions& /*options*/, const std::stop_token& /*stop*/) {
  return unbuilt();
}
Result<void> bypass(Graph& /*graph*/, const RowSpace& /*space*/, const std::vector<bool>& /*gone*/,
                    int /*threads*/) {
  return unbuilt();
}
void connect(Graph& /*graph*/, const RowSpace& /*space*/, const std::vector<bool>& /*left_out*/,
             std::uint32_t /*expansion*/) {}
void insert_sequentially(Graph& /*graph*/, const RowSpace& /*space*/, std::uint32_t /*slot*/,
                         std::uint32_t /*expansion*/, Scratch& /*scratch*/) {}

Result<void> HnswIndex::save(const std::filesystem::path& /*path*/) const {
  return unbuilt();
}

}  // namespace hnsw

namespace vamana {

std::uint32_t medoid(ElementType /*type*/, std::size_t /*dim*/, const StoredRows& /*rows*/,
                     std::size_t /*num_rows*/, const std::function<bool(std::size_t)>& /*suits*/) {
  return 0;
}
Result<Graph> build_graph(const GraphRows& /*rows*/, std::size_t /*num_rows*/,
                          std::uint32_t /*entry*/, const BuildOptions& /*options*/,
                          const std::stop_token& /*stop*/) {
  return unbuilt();
}
Result<void> extend_graph(Graph& /*graph*/, const GraphRows& /*rows*/, std::size_t /*first*/,
                          std::uint32_t /*entry*/, const BuildOptions& /*options*/,
                          const std::stop_token& /*stop*/) {
  return unbuilt();
}
void bypass_removed(Graph& /*graph*/, const RowSpace& /*rows*/,
                    const std::vector<bool>& /*removed*/, const BuildOptions& /*options*/) {}
void connect(Graph& /*graph*/, const RowSpace& /*rows*/, std::uint32_t /*entry*/,
             const std::vector<bool>& /*left_out*/, const BuildOptions& /*options*/) {}

Result<void> VamanaIndex::save(const std::filesystem::path& /*path*/) const {
  return unbuilt();
}

}  // namespace vamana

}  // namespace embd
