// Writing has a file of its own, because a WebAssembly module does not write.

#include <algorithm>

#include "base/elements.h"
#include "base/try.h"
#include "formats/vectors/svs/specification_layout.h"
#include "index/vamana/vamana_index.h"

namespace embd::vamana {
namespace {

svs::SpecificationDistance seed_distance_of(Metric metric) {
  return metric == Metric::l2sq ? svs::SpecificationDistance::squared_l2
         : metric == Metric::ip ? svs::SpecificationDistance::inner_product
                                : svs::SpecificationDistance::cosine;
}

}  // namespace

Result<void> VamanaIndex::save(const std::filesystem::path& path) const {
  if (num_removed_ == 0) return save_rows(path);
  VamanaIndex compacted(distance_, stored_, build_);
  EMBD_TRY(compacted.append(values_, ids_, 1));
  compacted.removed_ = removed_;
  compacted.num_removed_ = num_removed_;
  compacted.entry_ = entry_;
  compacted.graph_ = graph_;
  compacted.search_ = search_;
  compacted.recipe_ = recipe_;
  EMBD_TRY(compacted.compact());
  return compacted.save_rows(path);
}

bool VamanaIndex::is_numbered() const noexcept {
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    if (ids_[i] != i) return false;
  }
  return true;
}

Result<void> VamanaIndex::save_rows(const std::filesystem::path& path) const {
  std::vector<std::byte> stored;
  EMBD_TRY(elements_from_floats(stored_, values_, stored));
  const std::size_t row_bytes = dim() * element_bits(stored_) / 8;
  svs::VamanaContent content = {
      .type = stored_,
      .rows = num_slots(),
      .dim = dim(),
      .row = [&](std::uint64_t i) { return Bytes(stored).subspan(i * row_bytes, row_bytes); },
      .max_degree = build_.graph_max_degree,
      .neighbours =
          [&](std::uint64_t v) { return graph_.neighbours(static_cast<std::uint32_t>(v)); },
      .entry_point = entry_,
      .build = build_,
      .search = search_,
      .external_ids = {},
      .recipe = recipe_,
      .metric = distance_.metric()};
  if (!is_numbered()) content.external_ids = ids_;
  if (path.extension() != ".config") return svs::write_vamana(path, content);
  // The layout has no value for "unset".
  content.search.window_size = std::max<std::uint64_t>(content.search.window_size, 1);
  return svs::write_specification_index(path, content, seed_distance_of(distance_.metric()));
}

}  // namespace embd::vamana
