#include "formats/vectors/usearch/usearch_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/try.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd::usearch {
namespace {

constexpr std::pair<ElementType, std::uint8_t> scalar_codes[] = {
    {ElementType::b1, 1},   {ElementType::bf16, 4}, {ElementType::e5m2, 5}, {ElementType::e4m3, 6},
    {ElementType::e2m3, 7}, {ElementType::e3m2, 8}, {ElementType::f64, 10}, {ElementType::f32, 11},
    {ElementType::f16, 12}, {ElementType::u8, 17},  {ElementType::i8, 23},
};

constexpr std::pair<Metric, char> metric_codes[] = {
    {Metric::cos, 'c'},     {Metric::ip, 'i'},        {Metric::l2sq, 'e'},
    {Metric::pearson, 'p'}, {Metric::haversine, 'h'}, {Metric::divergence, 'd'},
    {Metric::hamming, 'b'}, {Metric::tanimoto, 't'},  {Metric::sorensen, 's'},
    {Metric::jaccard, 'j'},
};

/// The current code for each old code, which is the index: b1, u40, uuid, f64, f32, f16, f8, u64,
/// u32, u8, i64, i32, i16, i8.
constexpr std::array<std::uint8_t, 15> present_codes = {0,  1,  2,  3,  10, 11, 12, 5,
                                                        14, 15, 17, 20, 21, 22, 23};

/// The greatest number of slots. Unless it is built for 40-bit slots, USearch writes graphs of at
/// most 2^32 slots, and so does embd.
constexpr std::uint64_t max_size = std::numeric_limits<std::uint32_t>::max();
/// The greatest length of a list of neighbours.
constexpr std::uint64_t max_connectivity = std::uint64_t{1} << 16;

bool has_magic_at(Bytes bytes, std::uint64_t offset) noexcept {
  return offset <= bytes.size() && bytes.size() - offset >= magic.size() &&
         as_text(bytes.subspan(offset, magic.size())) == magic;
}

void put_list(std::span<const std::uint32_t> list, SlotKind kind, ByteWriter& out) {
  if (kind == SlotKind::u32) {
    out.bytes(std::as_bytes(list));
    return;
  }
  out.u32(list[0]);
  for (const std::uint32_t slot : list.subspan(1)) {
    out.u32(slot);
    out.u8(0);
  }
}

}  // namespace

char metric_code(Metric metric) noexcept {
  for (const auto& [known, code] : metric_codes) {
    if (known == metric) return code;
  }
  return 0;
}

std::optional<Metric> metric_from_code(char code) noexcept {
  for (const auto& [metric, known] : metric_codes) {
    if (known == code) return metric;
  }
  return std::nullopt;
}

std::uint8_t scalar_code(ElementType type) noexcept {
  for (const auto& [scalar, code] : scalar_codes) {
    if (scalar == type) return code;
  }
  return 0;
}

std::optional<ElementType> scalar_from_code(std::uint8_t code) noexcept {
  for (const auto& [scalar, known] : scalar_codes) {
    if (known == code) return scalar;
  }
  return std::nullopt;
}

std::uint8_t present_code(std::uint8_t old_code) noexcept {
  return old_code < present_codes.size() ? present_codes[old_code] : 0;
}

std::uint32_t LinkList::count() const noexcept {
  return load<std::uint32_t>({data_, 4});
}

std::uint64_t LinkList::operator[](std::uint32_t i) const noexcept {
  const std::byte* place = data_ + 4 + i * bytes_of(kind_);
  const std::uint64_t low = load<std::uint32_t>({place, 4});
  if (kind_ == SlotKind::u32) return low;
  return low | std::to_integer<std::uint64_t>(place[4]) << 32;
}

Result<Reader> Reader::open(const std::filesystem::path& path) {
  Reader reader;
  reader.file_ = std::make_unique<MappedFile>(EMBD_TRY(MappedFile::open(path)));
  EMBD_TRY(in_file(path, reader.read(reader.file_->bytes())));
  return reader;
}

Result<Reader> Reader::parse(Bytes bytes) {
  Reader reader;
  EMBD_TRY(reader.read(bytes));
  return reader;
}

Result<void> Reader::read(Bytes bytes) {
  bytes_ = bytes;
  const std::uint64_t head = EMBD_TRY(find_head(bytes));
  EMBD_TRY(read_head(bytes, head));
  EMBD_TRY(check_counts(head, head + head_bytes));
  if (header_.size == 0) return {};
  EMBD_TRY(read_nodes(bytes, head + head_bytes + core_bytes));
  for (std::uint64_t slot = 0; slot < header_.size; ++slot) EMBD_TRY(check_node(slot));
  return check_keys();
}

/// Finds the head. It stands at the beginning, or after a matrix whose size is given in 32 or 64
/// bits; only the magic tells which.
Result<std::uint64_t> Reader::find_head(Bytes bytes) {
  if (has_magic_at(bytes, 0)) {
    header_.matrix = MatrixHead::absent;
    return 0;
  }
  if (bytes.size() < bytes_of(MatrixHead::u32)) {
    return fail_at(0, ErrorCode::file_too_short,
                   "the file has {} bytes, but a USearch index begins with the 8 bytes "
                   "of the size of a matrix or with the magic \"usearch\"",
                   bytes.size());
  }
  const std::uint64_t rows32 = load<std::uint32_t>(bytes);
  const std::uint64_t cols32 = load<std::uint32_t>(bytes.subspan(4));
  const std::uint64_t after32 = bytes.size() - bytes_of(MatrixHead::u32);
  // The product of two 32-bit numbers fits in 64.
  if (rows32 * cols32 <= after32) {
    const std::uint64_t offset = bytes_of(MatrixHead::u32) + rows32 * cols32;
    if (has_magic_at(bytes, offset)) {
      header_.matrix = MatrixHead::u32;
      rows_ = rows32;
      row_bytes_ = cols32;
      matrix_ = bytes.subspan(bytes_of(MatrixHead::u32), rows32 * cols32);
      return offset;
    }
  }
  if (bytes.size() >= bytes_of(MatrixHead::u64)) {
    const auto rows = load<std::uint64_t>(bytes);
    const auto cols = load<std::uint64_t>(bytes.subspan(8));
    const std::uint64_t after = bytes.size() - bytes_of(MatrixHead::u64);
    if (rows == 0 || cols <= after / rows) {
      const std::uint64_t offset = bytes_of(MatrixHead::u64) + rows * cols;
      if (has_magic_at(bytes, offset)) {
        header_.matrix = MatrixHead::u64;
        rows_ = rows;
        row_bytes_ = cols;
        matrix_ = bytes.subspan(bytes_of(MatrixHead::u64), rows * cols);
        return offset;
      }
    }
  }
  if (rows32 * cols32 > after32) {
    return fail_at(0, ErrorCode::section_out_of_bounds,
                   "no magic \"usearch\" at byte 0, and a matrix of {} rows of {} bytes "
                   "runs past the end, {} bytes",
                   rows32, cols32, bytes.size());
  }
  return fail_at(bytes_of(MatrixHead::u32) + rows32 * cols32, ErrorCode::bad_magic,
                 "no magic \"usearch\" here, after a matrix of {} rows of {} bytes, nor "
                 "at byte 0: not a USearch dense index",
                 rows32, cols32);
}

Result<void> Reader::read_head(Bytes bytes, std::uint64_t offset) {
  ByteReader reader(bytes.subspan(offset), offset);
  EMBD_TRY(reader.skip(magic.size(), "magic"));
  const std::uint64_t version_at = reader.offset();
  const std::uint16_t major = EMBD_TRY(reader.u16("major version"));
  header_.minor = EMBD_TRY(reader.u16("minor version"));
  header_.patch = EMBD_TRY(reader.u16("patch version"));
  if (major != major_version) {
    return fail_at(version_at, ErrorCode::unsupported_version,
                   "the version of the USearch format is {}, expected a dense index of version {}",
                   major, major_version);
  }
  const std::uint64_t kinds_at = reader.offset();
  const std::uint8_t metric_letter = EMBD_TRY(reader.u8("metric"));
  const auto metric = metric_from_code(static_cast<char>(metric_letter));
  if (!metric) {
    return fail_at(kinds_at, ErrorCode::bad_type,
                   "the code of the metric is {}, expected the letter of a metric", metric_letter);
  }
  header_.metric = *metric;
  const bool old_codes = header_.minor < first_minor_of_present_codes;
  const auto kind = [&](std::string_view field) -> Result<std::uint8_t> {
    const std::uint8_t code = EMBD_TRY(reader.u8(field));
    return old_codes ? present_code(code) : code;
  };
  const std::uint8_t scalar = EMBD_TRY(kind("scalar kind"));
  const std::uint8_t key = EMBD_TRY(kind("key kind"));
  const std::uint8_t slot = EMBD_TRY(kind("slot kind"));
  const auto type = scalar_from_code(scalar);
  if (!type) {
    return fail_at(
        kinds_at + 1, ErrorCode::bad_type,
        "the type of the stored values has the number {}, in which no rows can be stored", scalar);
  }
  header_.scalar = *type;
  if (key != static_cast<std::uint8_t>(KeyKind::u64) &&
      key != static_cast<std::uint8_t>(KeyKind::u32)) {
    return fail_at(kinds_at + 2, ErrorCode::bad_type,
                   "the type of the keys is {}, expected u64 (14) or u32 (15)", key);
  }
  header_.key = static_cast<KeyKind>(key);
  if (slot != static_cast<std::uint8_t>(SlotKind::u32) &&
      slot != static_cast<std::uint8_t>(SlotKind::u40)) {
    return fail_at(kinds_at + 3, ErrorCode::bad_type,
                   "the type of the slots is {}, expected u32 (15) or u40 (2)", slot);
  }
  header_.slot = static_cast<SlotKind>(slot);
  header_.present = EMBD_TRY(reader.u64("present vectors"));
  header_.deleted = EMBD_TRY(reader.u64("deleted vectors"));
  header_.dimensions = EMBD_TRY(reader.u64("dimensions"));
  const std::uint64_t multi_at = reader.offset();
  const std::uint8_t multi = EMBD_TRY(reader.u8("multi"));
  if (multi > 1) {
    return fail_at(multi_at, ErrorCode::bad_value, "multi is {}, expected 0 or 1", multi);
  }
  header_.multi = multi == 1;
  EMBD_TRY(reader.skip(head_bytes - (reader.offset() - offset), "rest of the head"));

  header_.size = EMBD_TRY(reader.u64("size"));
  header_.connectivity = EMBD_TRY(reader.u64("connectivity"));
  header_.connectivity_base = EMBD_TRY(reader.u64("base connectivity"));
  header_.max_level = EMBD_TRY(reader.u64("max level"));
  header_.entry_slot = EMBD_TRY(reader.u64("entry slot"));
  return {};
}

Result<void> Reader::check_counts(std::uint64_t head, std::uint64_t core) {
  constexpr std::uint64_t max_dimensions = std::uint64_t{1} << 32;
  if (header_.dimensions == 0 || header_.dimensions > max_dimensions) {
    return fail_at(head + 33, ErrorCode::bad_count, "{} dimensions", header_.dimensions);
  }
  const std::uint64_t bytes = usearch::row_bytes(header_.scalar, header_.dimensions);
  if (has_rows() && row_bytes_ != bytes) {
    return fail_at(
        head + 33, ErrorCode::bad_count,
        "rows of {} dimensions of type {} take {} bytes, but the rows of the matrix have {}",
        header_.dimensions, element_name(header_.scalar), bytes, row_bytes_);
  }
  row_bytes_ = bytes;
  if (has_rows() && header_.size != rows_) {
    return fail_at(
        core, ErrorCode::bad_count,
        "the graph has {} nodes, but the matrix has {} rows, expected one node for each row",
        header_.size, rows_);
  }
  if (header_.size > max_size) {
    return fail_at(core, ErrorCode::bad_count, "the graph has {} nodes, expected at most {}",
                   header_.size, max_size);
  }
  if (header_.present > header_.size || header_.deleted != header_.size - header_.present) {
    return fail_at(head + 17, ErrorCode::bad_count,
                   "there are {} present and {} deleted vectors, but {} nodes, "
                   "expected one node for each vector",
                   header_.present, header_.deleted, header_.size);
  }
  if (header_.size == 0) return {};
  if (header_.connectivity < 2 || header_.connectivity_base < header_.connectivity ||
      header_.connectivity_base > max_connectivity) {
    return fail_at(core + 8, ErrorCode::bad_value,
                   "connectivity is {}, and {} on the base level, expected at least 2, "
                   "at least as much on the base level, and at most {}",
                   header_.connectivity, header_.connectivity_base, max_connectivity);
  }
  if (header_.entry_slot >= header_.size) {
    return fail_at(core + 32, ErrorCode::bad_value,
                   "the entry node is {}, but there are {} nodes, counted from 0",
                   header_.entry_slot, header_.size);
  }
  return {};
}

Result<void> Reader::read_nodes(Bytes bytes, std::uint64_t offset) {
  ByteReader reader(bytes.subspan(offset), offset);
  levels_ = EMBD_TRY(reader.array(header_.size, level_bytes, "levels"));
  if (header_.size > reader.remaining() / header_.node_bytes(0)) {
    return fail_at(reader.offset(), ErrorCode::file_too_short,
                   "{} nodes of at least {} bytes do not fit in the {} bytes that are left",
                   header_.size, header_.node_bytes(0), reader.remaining());
  }
  nodes_.reserve(header_.size);
  for (std::uint64_t slot = 0; slot < header_.size; ++slot) {
    const std::int16_t node_level = level(slot);
    const std::uint64_t level_at = offset + slot * level_bytes;
    if (node_level < 0) {
      return fail_at(level_at, ErrorCode::bad_value, "level {} of node {}", node_level, slot);
    }
    if (static_cast<std::uint64_t>(node_level) > header_.max_level) {
      return fail_at(level_at, ErrorCode::bad_value,
                     "the level {} of node {} is above the highest level, {}", node_level, slot,
                     header_.max_level);
    }
    nodes_.push_back(reader.offset());
    EMBD_TRY(reader.skip(header_.node_bytes(static_cast<std::uint64_t>(node_level)), "node"));
  }
  const auto entry_level = static_cast<std::uint64_t>(level(header_.entry_slot));
  if (entry_level != header_.max_level) {
    return fail_at(offset - core_bytes + 24, ErrorCode::bad_value,
                   "the highest level is {}, but the entry node {} is on level {}",
                   header_.max_level, header_.entry_slot, entry_level);
  }
  return {};
}

Result<void> Reader::check_node(std::uint64_t slot) const {
  const std::int16_t node_level = level(slot);
  const std::uint64_t level_at = nodes_[slot] + bytes_of(header_.key);
  const auto own_level = load<std::int16_t>(bytes_.subspan(level_at, level_bytes));
  if (own_level != node_level) {
    return fail_at(level_at, ErrorCode::bad_value,
                   "node {} records the level {}, but the list of levels says {}", slot, own_level,
                   node_level);
  }
  std::uint64_t list_at = level_at + level_bytes;
  for (std::int16_t l = 0; l <= node_level; ++l) {
    const LinkList list = links(slot, l);
    const std::uint32_t count = list.count();
    if (count > list.capacity()) {
      return fail_at(list_at, ErrorCode::bad_count,
                     "there are {} links of node {} on level {}, expected at most {}", count, slot,
                     l, list.capacity());
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t neighbour = list[i];
      if (neighbour >= header_.size || level(neighbour) < l) {
        return fail_at(list_at + 4 + i * bytes_of(header_.slot), ErrorCode::bad_value,
                       "node {} links to slot {} on level {}, which is {}", slot, neighbour, l,
                       neighbour >= header_.size ? "not a node" : "above that node");
      }
    }
    list_at += header_.list_bytes(l == 0);
  }
  return {};
}

Result<void> Reader::check_keys() const {
  std::vector<std::uint64_t> keys;
  keys.reserve(header_.size);
  for (std::uint64_t slot = 0; slot < header_.size; ++slot) {
    if (const std::uint64_t k = key(slot); k != removed_key) keys.push_back(k);
  }
  if (keys.size() != header_.present) {
    return fail_at(nodes_[0], ErrorCode::bad_count,
                   "{} nodes have a key, but the header says that {} vectors are present",
                   keys.size(), header_.present);
  }
  if (header_.multi) return {};
  if (!std::ranges::is_sorted(keys)) std::ranges::sort(keys);
  if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end()) {
    std::uint64_t slot = header_.size - 1;
    while (key(slot) != *twice) --slot;
    return fail_at(nodes_[slot], ErrorCode::duplicate,
                   "the key {} of node {} occurs twice, but multi is 0, so the index "
                   "has one row for each key",
                   *twice, slot);
  }
  return {};
}

std::uint64_t Reader::key(std::uint64_t slot) const noexcept {
  const Bytes node = bytes_.subspan(nodes_[slot]);
  if (header_.key == KeyKind::u64) return load<std::uint64_t>(node);
  const auto key = load<std::uint32_t>(node);
  return key == std::numeric_limits<std::uint32_t>::max() ? removed_key : key;
}

std::int16_t Reader::level(std::uint64_t slot) const noexcept {
  return load<std::int16_t>(levels_.subspan(slot * level_bytes, level_bytes));
}

LinkList Reader::links(std::uint64_t slot, std::int16_t level) const noexcept {
  std::uint64_t offset = nodes_[slot] + bytes_of(header_.key) + level_bytes;
  if (level > 0) {
    offset += header_.list_bytes(true) +
              static_cast<std::uint64_t>(level - 1) * header_.list_bytes(false);
  }
  const std::uint64_t capacity = level == 0 ? header_.connectivity_base : header_.connectivity;
  return {bytes_.data() + offset, header_.slot, static_cast<std::uint32_t>(capacity)};
}

Result<Writer> Writer::create(const std::filesystem::path& path, const Header& header) {
  Writer writer(EMBD_TRY(OutputFile::create(path)), header);
  const std::uint64_t cols = row_bytes(header.scalar, header.dimensions);
  ByteWriter head;
  if (header.matrix == MatrixHead::u32) {
    head.u32(static_cast<std::uint32_t>(header.size));
    head.u32(static_cast<std::uint32_t>(cols));
  } else if (header.matrix == MatrixHead::u64) {
    head.u64(header.size);
    head.u64(cols);
  }
  EMBD_TRY(writer.file_.write(head.view()));
  return writer;
}

Result<void> Writer::rows(Bytes bytes) {
  return file_.write(bytes);
}

Result<void> Writer::graph(std::span<const std::int16_t> levels) {
  ByteWriter out;
  out.text(magic);
  out.u16(major_version);
  out.u16(written_minor);
  out.u16(written_patch);
  out.u8(static_cast<std::uint8_t>(metric_code(header_.metric)));
  out.u8(scalar_code(header_.scalar));
  out.u8(static_cast<std::uint8_t>(header_.key));
  out.u8(static_cast<std::uint8_t>(header_.slot));
  out.u64(header_.present);
  out.u64(header_.deleted);
  out.u64(header_.dimensions);
  out.u8(header_.multi ? 1 : 0);
  out.zeros(head_bytes - out.size());
  out.u64(header_.size);
  out.u64(header_.connectivity);
  out.u64(header_.connectivity_base);
  out.u64(header_.max_level);
  out.u64(header_.entry_slot);
  EMBD_TRY(file_.write(out.view()));
  return file_.write(std::as_bytes(levels));
}

Result<void> Writer::node(std::uint64_t key, std::int16_t level,
                          std::span<const std::uint32_t> base,
                          std::span<const std::uint32_t> upper) {
  ByteWriter out;
  if (header_.key == KeyKind::u64) {
    out.u64(key);
  } else {
    out.u32(static_cast<std::uint32_t>(key));
  }
  out.i16(level);
  put_list(base, header_.slot, out);
  const std::size_t list_size = 1 + header_.connectivity;
  for (std::size_t l = 0; l < static_cast<std::size_t>(level); ++l) {
    put_list(upper.subspan(l * list_size, list_size), header_.slot, out);
  }
  return file_.write(out.view());
}

Result<void> Writer::finish() {
  return file_.finish();
}

}  // namespace embd::usearch
