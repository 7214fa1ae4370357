#include "index/hnsw/hnsw_index.h"

#include <cstring>

#include "base/parallel.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/usearch/usearch_scalar.h"
#include "index/chain.h"
#include "index/check_rows.h"
#include "index/hnsw/builders.h"
#include "index/hnsw/graph.h"

namespace embd::hnsw {
namespace {

/// The greatest number of slots. The greatest 32-bit number is not a slot.
constexpr std::size_t kMaxSlots = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMaxConnectivity = 1U << 16;
/// If fewer rows are added than this part (1 / kCodesShare) of the index, computing the codes of
/// all rows is not worth it.
constexpr std::size_t kCodesShare = 8;
/// If fewer rows are added than this part of the index, looking for unreachable rows is not worth
/// it.
constexpr std::size_t kConnectShare = 64;
/// Replacing the links to removed rows needs a look at all links. It is not worth it for fewer
/// removed rows than this part of the index.
constexpr std::size_t kPlacesShare = 256;

/// Returns the size of a row with padding. Rows begin at cache lines, so that none touches more
/// lines than it needs.
std::size_t padded(std::size_t row_bytes) noexcept {
  return (row_bytes + 63) / 64 * 64;
}

std::unexpected<Error> immutable() {
  return fail(ErrorCode::unsupported,
              "the index is a view of a file and cannot be changed: load it into memory instead");
}

}  // namespace

Result<std::unique_ptr<HnswIndex>> HnswIndex::create(const IndexOptions& options,
                                                     std::uint64_t dim) {
  if (options.connectivity < 2 || options.connectivity > kMaxConnectivity / 2) {
    return fail(ErrorCode::invalid_argument, "connectivity is {}, expected 2 to {}",
                options.connectivity, kMaxConnectivity / 2);
  }
  if (options.expansion_add < 1) {
    return fail(ErrorCode::invalid_argument, "expansion_add is 0, expected at least 1");
  }
  const Metric metric = metric_or_default(options);
  const ElementType scalar = scalar_or_default(options);
  const Distance distance = EMBD_TRY(Distance::create(metric, scalar, dim));
  auto index = std::unique_ptr<HnswIndex>(new HnswIndex(distance));
  index->header_.metric = metric;
  index->header_.scalar = scalar;
  index->header_.dimensions = dim;
  index->header_.multi = options.multi;
  index->header_.connectivity = options.connectivity;
  index->header_.connectivity_base = 2 * std::uint64_t{options.connectivity};
  index->builder_ = options.builder;
  index->expansion_add_ = options.expansion_add;
  index->stride_ = padded(distance.row_bytes());
  index->clear();
  return index;
}

Result<std::unique_ptr<HnswIndex>> HnswIndex::open(const std::filesystem::path& path,
                                                   const OpenOptions& options, bool mapped) {
  usearch::Reader reader = EMBD_TRY(usearch::Reader::open(path));
  const usearch::Header& header = reader.header();
  const auto in_file = [&](Error error) {
    return std::unexpected(std::move(error).in_file(text_of_path(path)));
  };
  auto distance = Distance::create(header.metric, header.scalar, header.dimensions);
  if (!distance) return in_file(std::move(distance).error());
  auto index = std::unique_ptr<HnswIndex>(new HnswIndex(*distance));
  index->builder_ = options.builder;
  index->expansion_add_ = std::max<std::uint32_t>(1, options.expansion_add);
  if (auto loaded = index->load(std::move(reader), options, mapped); !loaded) {
    return in_file(std::move(loaded).error());
  }
  return index;
}

Result<void> HnswIndex::load(usearch::Reader reader, const OpenOptions& options, bool mapped) {
  header_ = reader.header();
  const auto size = static_cast<std::size_t>(header_.size);
  if (!reader.has_rows() && size > 0) {
    if (options.vectors.rows() != size || options.vectors.cols() != header_.dimensions) {
      return fail(ErrorCode::invalid_argument,
                  "the index was saved without its vectors, expected {} rows of {} values to be "
                  "given beside it, found {} rows of {} values",
                  size, header_.dimensions, options.vectors.rows(), options.vectors.cols());
    }
    mapped = false;
  }
  // An empty file may state any connectivity, because nothing depends on it.
  header_.connectivity = std::clamp<std::uint64_t>(header_.connectivity, 2, kMaxConnectivity);
  header_.connectivity_base =
      std::clamp<std::uint64_t>(header_.connectivity_base, header_.connectivity, kMaxConnectivity);
  clear();
  load_graph(reader);

  stride_ = mapped ? distance_.row_bytes() : padded(distance_.row_bytes());
  if (!mapped) {
    owned_rows_.resize(size * stride_);
    for (std::uint32_t slot = 0; slot < size; ++slot) {
      if (reader.has_rows()) {
        std::memcpy(row(slot), reader.row(slot), distance_.row_bytes());
      } else {
        usearch::encode_row(header_.scalar, options.vectors.row(slot), row(slot));
      }
    }
    // From here on the index is written with its rows inside.
    if (!reader.has_rows()) header_.matrix = usearch::MatrixHead::u32;
    if (distance_.uses_norms()) {
      inverse_norms_.resize(size);
      for (std::uint32_t slot = 0; slot < size; ++slot) {
        inverse_norms_[slot] = distance_.inverse_norm(row(slot));
        if (is_of_zeros(slot)) zeros_.insert(slot);
      }
    }
    EMBD_TRY(CodeScreen::refresh(codes_, distance_, rows(), size, {}, 1));
  } else {
    mapped_ = std::make_unique<usearch::Reader>(std::move(reader));
  }
  // Graphs that are built as USearch does have no chains.
  if (builder_ == Builder::parallel) {
    find_followers(Links(&graph_), Positions(distance_, rows()), graph_.entry());
  }
  return {};
}

void HnswIndex::load_graph(const usearch::Reader& reader) {
  const auto size = static_cast<std::uint32_t>(header_.size);
  graph_.reserve(size);
  ids_.reserve(size);
  removed_.resize(size);
  for (std::uint32_t slot = 0; slot < size; ++slot) {
    ids_.push_back(reader.key(slot));
    if (ids_.back() == usearch::removed_key) {
      removed_[slot] = true;
      free_.push_back(slot);
    }
    const std::int16_t level = reader.level(slot);
    graph_.push(level);
    for (std::int16_t l = 0; l <= level; ++l) {
      const usearch::LinkList from = reader.links(slot, l);
      std::uint32_t* to = graph_.list(slot, l);
      *to = from.count();
      for (std::uint32_t i = 0; i < from.capacity(); ++i) {
        to[1 + i] = static_cast<std::uint32_t>(from[i]);
      }
    }
  }
  if (size > 0) {
    graph_.set_entry(static_cast<std::uint32_t>(header_.entry_slot),
                     static_cast<int>(header_.max_level));
  }
}

StoredRows HnswIndex::rows() const noexcept {
  const std::byte* data = mapped_ ? mapped_->row(0) : owned_rows_.data();
  return {data, stride_, inverse_norms_.empty() ? nullptr : inverse_norms_.data()};
}

IndexInfo HnswIndex::info() const {
  return {
      .format = "usearch",
      .kind = IndexKind::hnsw,
      .metric = distance_.metric(),
      .scalar = distance_.type(),
      .dim = distance_.dim(),
      .num_rows = num_slots() - free_.size(),
      .num_removed = free_.size(),
      .connectivity = graph_.connectivity(),
      .connectivity_base = graph_.connectivity_base(),
      .multi = header_.multi,
      .immutable = mapped_ != nullptr,
  };
}

std::uint64_t HnswIndex::num_unreached() const {
  // count_unreached() only reads the links, so the cast is safe.
  const Links links(const_cast<Graph*>(&graph_));
  return graph_.max_level() < 0 ? 0 : count_unreached(links, graph_.entry(), removed_);
}

void HnswIndex::read_slot(std::size_t slot, std::span<float> out) const {
  usearch::decode_row(distance_.type(), rows().row(slot), out);
}

// Searching.

template <AnySpace Space>
void HnswIndex::walk_to(const Distance::Query& query, const Space& space, std::size_t k,
                        const SearchOptions& options, const RowChoice& choice,
                        Scratch& scratch) const {
  const Walk walk{graph_, space, query, scratch};
  Neighbour closest = {distance_to(space, query, graph_.entry()), graph_.entry()};
  closest = descend(walk, closest, graph_.max_level(), 0);
  const std::size_t limit = std::max<std::size_t>(options.expansion, k);
  if (choice.removed == nullptr && choice.filter == nullptr) {
    explore<Followers::wait>(walk, closest, 0, limit, [](std::uint32_t) { return true; });
  } else {
    explore<Followers::wait>(walk, closest, 0, limit,
                             [&](std::uint32_t slot) { return choice.accepts(slot); });
  }
}

std::vector<Hit> HnswIndex::walk(const Distance::Query& query, std::size_t k,
                                 const SearchOptions& options, const RowChoice& choice) const {
  if (graph_.max_level() < 0) return {};
  const StoredRows stored = rows();
  const auto scratch = scratch_.lease();
  scratch->visited.prepare(num_slots());
  if (codes_ && codes_->num_rows() == num_slots()) {  // False if adding rows failed.
    scratch->screen.set(*codes_, distance_, query);
    walk_to(query, ScreenedSpace{{distance_, stored}, scratch->screen}, k, options, choice,
            *scratch);
  } else {
    walk_to(query, RowSpace{distance_, stored}, k, options, choice, *scratch);
  }
  std::vector<Neighbour> found(scratch->top.begin(),
                               scratch->top.begin() + std::min(k, scratch->top.size()));
  const std::uint64_t passing =
      options.filter != nullptr ? options.filter->size() : num_slots() - free_.size();
  if (found.size() < std::min<std::uint64_t>(k, passing)) {  // Some rows cannot be reached.
    return hits(exact_search({distance_, rows(), num_slots(), choice}, query, k));
  }
  return hits(found);
}

Result<std::vector<std::vector<Hit>>> HnswIndex::search(MatrixView queries, std::size_t k,
                                                        const SearchOptions& options,
                                                        const std::stop_token& stop) const {
  EMBD_TRY(check_range(distance_.type(), queries));
  const std::size_t stride = padded(distance_.row_bytes());
  AlignedVector<std::byte> encoded(queries.rows() * stride);
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    usearch::encode_row(distance_.type(), queries.row(q), encoded.data() + q * stride);
  }
  const StoredRows query_rows = {encoded.data(), stride, nullptr};
  const RowChoice choice = {.removed = free_.empty() ? nullptr : &removed_,
                            .filter = options.filter};
  const SearchedRows searched = {distance_, rows(), num_slots(), choice};
  std::vector<std::vector<Hit>> results(queries.rows());
  if (options.exact && options.filter == nullptr) {
    const auto found =
        EMBD_TRY(exact_search(searched, query_rows, queries.rows(), k, options.threads, stop));
    for (std::size_t q = 0; q < found.size(); ++q) results[q] = hits(found[q]);
    return results;
  }
  // If few rows pass the filter, comparing all of these is faster than a search in the graph, which
  // visits many other rows.
  const std::uint64_t passing = options.filter == nullptr ? num_slots() : options.filter->size();
  const bool compare_all =
      options.exact ||
      (options.filter != nullptr &&
       passing <=
           (16 * std::max<std::uint64_t>(options.expansion, k) * num_slots()) / (passing + 1));
  EMBD_TRY(parallel_for(queries.rows(), options.threads, [&](std::size_t q) -> Result<void> {
    if (stop.stop_requested()) return {};
    const Distance::Query query = distance_.query(query_rows.row(q));
    results[q] = compare_all ? hits(exact_search(searched, query, options.filter->slots(), k))
                             : walk(query, k, options, choice);
    return {};
  }));
  return results;
}

std::vector<std::uint32_t> HnswIndex::slots_of(std::span<const std::uint64_t> sorted_ids) const {
  return slots_by_id_ ? slots_by_id_->slots_of(sorted_ids, ids_) : Impl::slots_of(sorted_ids);
}

// Changing.

Result<void> HnswIndex::check_new_ids(std::span<const std::uint64_t> ids) const {
  const std::uint64_t largest = header_.key == usearch::KeyKind::u64
                                    ? usearch::removed_key
                                    : std::numeric_limits<std::uint32_t>::max();
  for (const std::uint64_t id : ids) {
    if (id >= largest) {
      return fail(ErrorCode::bad_value,
                  "the id {} is too large for this index, expected an id below {}", id, largest);
    }
  }
  if (header_.multi) return {};
  std::vector<std::uint64_t> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return fail(ErrorCode::duplicate, "id {} was given twice, expected a different id for each row",
                *twice);
  }
  if (const auto known = slots_of(sorted); !known.empty()) {
    return fail(ErrorCode::duplicate, "id {} is in the index already, expected new ids",
                ids_[known.front()]);
  }
  return {};
}

/// Makes the table with which slots_of() looks up ids, before rows of an index are changed.
void HnswIndex::index_ids() {
  if (!slots_by_id_) slots_by_id_.emplace().rebuild(ids_);
}

/// Stores rows and ids, first in free slots, then in new ones. Their nodes have no links yet.
std::vector<std::uint32_t> HnswIndex::place(MatrixView new_rows,
                                            std::span<const std::uint64_t> ids) {
  const std::size_t size = num_slots() + new_rows.rows() - std::min(num_places_, new_rows.rows());
  graph_.reserve(std::max(size, num_slots()));
  owned_rows_.resize(size * stride_);
  if (distance_.uses_norms()) inverse_norms_.resize(size);
  reserve_more(ids_, size);
  reserve_more(removed_, size);
  std::vector<std::uint32_t> slots;
  slots.reserve(new_rows.rows());
  for (std::size_t i = 0; i < new_rows.rows(); ++i) {
    std::uint32_t slot = 0;
    if (num_places_ == 0) {
      slot = graph_.push(level_generator_.next());
      ids_.push_back(ids[i]);
      removed_.push_back(false);
    } else {
      slot = free_.front();
      free_.pop_front();
      --num_places_;
      ids_[slot] = ids[i];
      removed_[slot] = false;
    }
    usearch::encode_row(distance_.type(), new_rows.row(i), row(slot));
    if (distance_.uses_norms()) inverse_norms_[slot] = distance_.inverse_norm(row(slot));
    if (is_of_zeros(slot)) zeros_.insert(slot);
    if (slots_by_id_) slots_by_id_->add(ids_, slot);
    slots.push_back(slot);
  }
  return slots;
}

Result<void> HnswIndex::add(MatrixView new_rows, std::span<const std::uint64_t> ids, int threads,
                            const std::stop_token& stop) {
  if (mapped_) return immutable();
  EMBD_TRY(check_kept_lengths(new_rows, metric(), distance_.type()));
  if (num_slots() > 0) {
    index_ids();
    return insert(new_rows, ids, threads, {});
  }
  auto done = insert(new_rows, ids, threads, stop);
  if (!done) clear();
  return done;
}

void HnswIndex::clear() {
  const auto connectivity = static_cast<std::uint32_t>(header_.connectivity);
  level_generator_ = LevelGenerator(connectivity);
  graph_ = Graph(connectivity, static_cast<std::uint32_t>(header_.connectivity_base));
  owned_rows_.clear();
  inverse_norms_.clear();
  codes_.reset();
  ids_.clear();
  removed_.clear();
  free_.clear();
  num_places_ = 0;
  zeros_.clear();
  slots_by_id_.reset();
}

Result<void> HnswIndex::insert(MatrixView new_rows, std::span<const std::uint64_t> ids, int threads,
                               const std::stop_token& stop) {
  if (new_rows.rows() > kMaxSlots - num_slots()) {
    return fail(ErrorCode::bad_count, "an index holds at most {} rows, but more were added",
                kMaxSlots);
  }
  EMBD_TRY(check_new_ids(ids));
  EMBD_TRY(check_range(distance_.type(), new_rows));
  const std::size_t num_before = num_slots();
  if (builder_ == Builder::usearch) {
    Scratch scratch;
    num_places_ = free_.size();  // USearch does not replace links to removed rows.
    for (std::size_t i = 0; i < new_rows.rows(); ++i) {
      if (stop.stop_requested()) return fail_stopped();
      const std::uint32_t slot = place(new_rows.slice(i, 1), ids.subspan(i, 1)).front();
      const StoredRows stored = rows();
      insert_sequentially(graph_, {distance_, stored}, slot, expansion_add_, scratch);
      EMBD_TRY(CodeScreen::refresh(codes_, distance_, rows(), num_slots(), {&slot, 1}, threads));
    }
    return {};
  }
  EMBD_TRY(make_places(new_rows.rows(), threads));
  const std::vector<std::uint32_t> slots = place(new_rows, ids);
  const StoredRows stored = rows();
  const RowSpace space = {distance_, stored};
  if (Codes::suits(distance_) && slots.size() >= num_before / kCodesShare) {
    Codes codes = EMBD_TRY(Codes::create(distance_, stored, num_slots(), threads));
    EMBD_TRY(insert_in_batches(graph_, space, codes, slots, {expansion_add_, threads}, stop));
    if (CodeScreen::suits(distance_)) codes_ = std::move(codes);
  } else {
    EMBD_TRY(insert_in_batches(graph_, space, slots, {expansion_add_, threads}, stop));
    EMBD_TRY(CodeScreen::refresh(codes_, distance_, stored, num_slots(), slots, threads));
  }
  if (slots.size() >= num_slots() / kConnectShare) connect(graph_, space, removed_, expansion_add_);
  lead_to_zeros();
  return {};
}

/// Links rows of zeros into the graph. Under the cosine, all other rows are equally far from a
/// query of zeros, so a search would not find the way to rows of zeros.
void HnswIndex::lead_to_zeros() {
  if (graph_.max_level() < 0) return;
  for (const std::uint32_t slot : zeros_) {
    if (removed_[slot] || graph_.is_follower(slot) || !is_of_zeros(slot)) continue;
    lead_to(Links(&graph_), graph_.entry(), slot);
    return;
  }
}

/// Replaces the links to removed rows, if that is worth it by now, so that `count` new rows can
/// take their places.
Result<void> HnswIndex::make_places(std::size_t count, int threads) {
  const std::size_t enough = num_slots() / kPlacesShare;
  if (count <= num_places_ || free_.size() == num_places_) return {};
  if (count < enough && free_.size() - num_places_ < enough) return {};
  const StoredRows stored = rows();
  EMBD_TRY(bypass(graph_, {distance_, stored}, removed_, threads));
  num_places_ = free_.size();
  return {};
}

Result<std::uint64_t> HnswIndex::remove(std::span<const std::uint64_t> sorted_ids) {
  if (mapped_) return immutable();
  index_ids();
  const std::vector<std::uint32_t> slots = slots_of(sorted_ids);
  slots_by_id_->remove(sorted_ids, ids_);
  for (const std::uint32_t slot : slots) {
    ids_[slot] = usearch::removed_key;
    removed_[slot] = true;
    free_.push_back(slot);
  }
  return slots.size();
}

Result<void> HnswIndex::compact() {
  if (mapped_) return immutable();
  if (builder_ == Builder::parallel) {
    const StoredRows stored = rows();
    const RowSpace space = {distance_, stored};
    const std::uint32_t entry = graph_.entry();
    EMBD_TRY(bypass(graph_, space, removed_, 1));
    num_places_ = free_.size();
    if (graph_.max_level() < 0 && num_slots() > 0) graph_.set_entry(entry, graph_.level(entry));
    connect(graph_, space, removed_, expansion_add_);
    lead_to_zeros();
    return {};
  }
  for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
    for (int level = 0; level <= graph_.level(slot); ++level) {
      // Unused places of a list keep their content, as in USearch.
      std::uint32_t* list = graph_.list(slot, level);
      std::uint32_t kept = 0;
      for (std::uint32_t i = 0; i < list[0]; ++i) {
        if (!removed_[list[1 + i]]) list[1 + kept++] = list[1 + i];
      }
      list[0] = kept;
    }
  }
  return {};
}

}  // namespace embd::hnsw
