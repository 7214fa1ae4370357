// Writing has a file of its own, because a WebAssembly module does not write.

#include "base/try.h"
#include "formats/vectors/usearch/usearch_file.h"
#include "index/hnsw/hnsw_index.h"

namespace embd::hnsw {

Result<void> HnswIndex::save(const std::filesystem::path& path) const {
  usearch::Header header = header_;
  header.size = num_slots();
  header.deleted = free_.size();
  header.present = header.size - header.deleted;
  header.max_level =
      graph_.max_level() < 0 ? usearch::no_level : static_cast<std::uint64_t>(graph_.max_level());
  header.entry_slot = graph_.entry();
  usearch::Writer writer = EMBD_TRY(usearch::Writer::create(path, header));
  const StoredRows stored = rows();
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    EMBD_TRY(writer.rows({stored.row(slot), distance_.row_bytes()}));
  }
  EMBD_TRY(writer.graph(graph_.levels()));
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    const int level = graph_.level(slot);
    const std::size_t upper_size = static_cast<std::size_t>(level) * (1 + graph_.connectivity());
    EMBD_TRY(writer.node(ids_[slot], static_cast<std::int16_t>(level),
                         {graph_.list(slot, 0), 1 + std::size_t{graph_.connectivity_base()}},
                         {level == 0 ? nullptr : graph_.list(slot, 1), upper_size}));
  }
  return writer.finish();
}

}  // namespace embd::hnsw
