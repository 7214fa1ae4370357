#include "formats/vectors/cvc/cvc_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/cvc/cvc_codec.h"
#include "formats/vectors/cvc/cvc_json.h"

namespace embd::cvc {

Result<Reader> Reader::open(const std::filesystem::path& path) {
  return guarded([&]() -> Result<Reader> {
    Reader reader(EMBD_TRY(MappedFile::open(path)));
    EMBD_TRY(in_file(path, reader.parse()));
    return reader;
  });
}

Result<void> Reader::parse() {
  header_ = EMBD_TRY(parse_header(file_.bytes()));
  EMBD_TRY(locate_chunks());
  verified_ = std::make_unique<std::atomic<bool>[]>(extents_.size());
  return {};
}

Result<void> Reader::locate_chunks() {
  const Bytes file = file_.bytes();
  data_end_ = header_.end();
  extents_.reserve(header_.chunks.size());
  for (std::size_t i = 0; i < header_.chunks.size(); ++i) {
    const std::uint64_t start = header_.chunks[i].file_offset.value_or(data_end_);
    if (start < header_.end() || start > file.size()) {
      return fail_at(header_.json_offset, ErrorCode::section_out_of_bounds,
                     "chunk {} begins at byte {}, expected {} (the end "
                     "of the header) to {} (the end of the file)",
                     i, start, header_.end(), file.size());
    }
    ByteReader reader(file.subspan(start), start);
    Extent extent;
    extent.size = EMBD_TRY(reader.u32(fmt::format("length of chunk {}", i)));
    if (header_.major > 0) extent.crc = EMBD_TRY(reader.u32(fmt::format("CRC-32 of chunk {}", i)));
    extent.offset = reader.offset();
    EMBD_TRY(reader.skip(extent.size, fmt::format("payload of chunk {}", i)));
    extents_.push_back(extent);
    data_end_ = std::max(data_end_, reader.offset());
    EMBD_TRY(check_slices(i));
  }
  return header_.mmap_optimized ? refuse_overlaps() : Result<void>{};
}

/// Refuses chunks that overlap. Chunks of a mapped layout state their places, so a small file could
/// claim any size with overlapping chunks.
Result<void> Reader::refuse_overlaps() const {
  std::vector<Extent> sorted = extents_;
  std::ranges::sort(sorted, {}, &Extent::offset);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].offset - preamble_bytes < sorted[i - 1].offset + sorted[i - 1].size) {
      return fail_at(sorted[i].offset - preamble_bytes, ErrorCode::sections_overlap,
                     "the chunk begins before the chunk at byte {} ends",
                     sorted[i - 1].offset - preamble_bytes);
    }
  }
  return {};
}

Result<void> Reader::check_slices(std::size_t chunk) {
  const std::uint64_t size = extents_[chunk].size;
  for (std::size_t c = 0; c < header_.columns.size(); ++c) {
    Slice& slice = header_.slices[chunk * header_.columns.size() + c];
    if (!header_.columnar) slice.size = size;
    if (slice.offset > size || slice.size > size - slice.offset) {
      return fail_at(extents_[chunk].offset, ErrorCode::section_out_of_bounds,
                     "column {:?} of chunk {} takes {} bytes from byte {} on, but the chunk "
                     "has {} bytes",
                     header_.columns[c].name, chunk, slice.size, slice.offset, size);
    }
    EMBD_TRY(check_slice(chunk, c));
  }
  return {};
}

Result<void> Reader::check_slice(std::size_t chunk, std::size_t column) const {
  const Slice& slice = header_.slice(chunk, column);
  const Column& schema = header_.columns[column];
  const std::uint64_t rows = header_.chunks[chunk].rows;
  const std::uint64_t offset = extents_[chunk].offset + slice.offset;
  if (slice.encoding == Encoding::lossless) {
    // A value takes at least four bits, so this bounds the product.
    if (rows > slice.size * 2 / schema.dim) {
      return fail_at(offset, ErrorCode::bad_count,
                     "chunk {} has {} bytes, too few for {} rows of {} values", chunk, slice.size,
                     rows, schema.dim);
    }
    const auto planes = split_lossless(stored(chunk, column), rows * schema.dim, offset);
    return planes ? Result<void>{} : std::unexpected(in_chunk(planes.error(), chunk));
  }
  const std::uint64_t row_bytes = schema.dim * value_bytes(slice.encoding, schema.type);
  if (rows > slice.size / row_bytes || rows * row_bytes != slice.size) {
    return fail_at(offset, ErrorCode::file_size_mismatch,
                   "chunk {} has {} bytes, expected {} rows of {} bytes ({} values as {})", chunk,
                   slice.size, rows, row_bytes, schema.dim,
                   name_of(slice.encoding, encoding_names));
  }
  return {};
}

Bytes Reader::payload(std::size_t chunk) const {
  return file_.bytes().subspan(extents_[chunk].offset, extents_[chunk].size);
}

Bytes Reader::stored(std::size_t chunk, std::size_t column) const {
  const Slice& slice = header_.slice(chunk, column);
  return payload(chunk).subspan(slice.offset, slice.size);
}

Error Reader::in_chunk(const Error& error, std::size_t chunk) const {
  const Chunk& rows = header_.chunks[chunk];
  Error full(error.code(), fmt::format("chunk {} (rows {} to {}): {}", chunk, rows.first_row,
                                       rows.first_row + rows.rows, error.what()));
  return std::move(full)
      .at_offset(error.offset().value_or(extents_[chunk].offset))
      .in_file(text_of_path(path()));
}

Result<void> Reader::check_crc(std::size_t chunk) const {
  if (header_.major == 0 || verified_[chunk].load(std::memory_order_relaxed)) return {};
  const std::uint32_t found = crc32(payload(chunk));
  if (found != extents_[chunk].crc) {
    return std::unexpected(
        in_chunk(Error(ErrorCode::checksum_mismatch,
                       fmt::format("the CRC-32 of the data is {:08x}, but the file says {:08x}",
                                   found, extents_[chunk].crc)),
                 chunk));
  }
  verified_[chunk].store(true, std::memory_order_relaxed);
  return {};
}

Result<void> Reader::check_rows(std::size_t column, std::uint64_t first,
                                std::uint64_t count) const {
  if (column >= header_.columns.size()) {
    return fail(ErrorCode::invalid_argument,
                "column {} was asked for, but there are {} columns, counted from 0", column,
                header_.columns.size());
  }
  if (first > header_.num_rows || count > header_.num_rows - first) {
    return fail(ErrorCode::invalid_argument,
                "{} rows were asked for, beginning with row {}, but there are {} rows", count,
                first, header_.num_rows);
  }
  return {};
}

/// Returns the rows from `first` on, at most `count`, that are in the chunk of row `first`.
Reader::Piece Reader::piece_at(std::uint64_t first, std::uint64_t count) const {
  const auto next = std::ranges::upper_bound(header_.chunks, first, {}, &Chunk::first_row);
  const auto chunk = static_cast<std::size_t>(next - header_.chunks.begin()) - 1;
  const Chunk& rows = header_.chunks[chunk];
  const std::uint64_t skipped = first - rows.first_row;
  return {chunk, skipped, std::min(count, rows.rows - skipped)};
}

Result<void> Reader::decode(const Piece& piece, std::size_t column, std::span<float> out) const {
  EMBD_TRY(check_crc(piece.chunk));
  const Slice& slice = header_.slice(piece.chunk, column);
  const Column& schema = header_.columns[column];
  const Bytes bytes = stored(piece.chunk, column);
  const std::uint64_t first_value = piece.first * schema.dim;
  if (slice.encoding != Encoding::lossless) {
    const std::uint64_t size = value_bytes(slice.encoding, schema.type);
    decode_values(slice, schema.type, bytes.subspan(first_value * size, out.size() * size), out);
    return {};
  }
  const std::uint64_t values = header_.chunks[piece.chunk].rows * schema.dim;
  const auto planes = split_lossless(bytes, values, extents_[piece.chunk].offset);
  const Result<void> decoded =
      planes ? decode_lossless(*planes, first_value, out) : std::unexpected(planes.error());
  return decoded ? decoded : std::unexpected(in_chunk(decoded.error(), piece.chunk));
}

Result<void> Reader::read(std::size_t column, std::uint64_t first, std::uint64_t count,
                          std::span<float> out) const {
  EMBD_TRY(check_rows(column, first, count));
  const std::uint64_t dim = header_.columns[column].dim;
  if (count > out.size() / dim || count * dim != out.size()) {
    return fail(ErrorCode::invalid_argument,
                "the output has room for {} values, expected room for {} rows of {} values",
                out.size(), count, dim);
  }
  while (count > 0) {
    const Piece piece = piece_at(first, count);
    EMBD_TRY(decode(piece, column, out.first(piece.count * dim)));
    out = out.subspan(piece.count * dim);
    first += piece.count;
    count -= piece.count;
  }
  return {};
}

std::optional<ElementType> Reader::raw_type(std::size_t column) const noexcept {
  std::optional<Encoding> encoding;
  for (std::size_t i = 0; i < header_.chunks.size(); ++i) {
    const Encoding found = header_.slice(i, column).encoding;
    if (encoding.value_or(found) != found) return std::nullopt;
    encoding = found;
  }
  const Column& schema = header_.columns[column];
  switch (encoding.value_or(schema.encoding)) {
    case Encoding::none:
      return schema.type;
    case Encoding::fp16:
      return ElementType::f16;
    default:
      return std::nullopt;
  }
}

Result<void> Reader::read_raw(std::size_t column, std::uint64_t first, std::uint64_t count,
                              std::vector<std::byte>& out) const {
  EMBD_TRY(check_rows(column, first, count));
  const std::optional<ElementType> type = raw_type(column);
  if (!type)
    return fail(ErrorCode::invalid_argument,
                "the values of the column are quantized, so they cannot be read as plain numbers: "
                "read them as floats");
  const std::uint64_t row_bytes = header_.columns[column].dim * dtype_bytes(*type);
  while (count > 0) {
    const Piece piece = piece_at(first, count);
    EMBD_TRY(check_crc(piece.chunk));
    const Bytes rows =
        stored(piece.chunk, column).subspan(piece.first * row_bytes, piece.count * row_bytes);
    EMBD_TRY(guarded([&]() -> Result<void> {
      out.insert(out.end(), rows.begin(), rows.end());
      return {};
    }));
    first += piece.count;
    count -= piece.count;
  }
  return {};
}

Result<void> Reader::verify() const {
  std::array<float, 4096> values;
  for (std::size_t i = 0; i < header_.chunks.size(); ++i) {
    EMBD_TRY(check_crc(i));
    if (header_.columnar || header_.slice(i, 0).encoding != Encoding::lossless) continue;
    const std::uint64_t count = header_.chunks[i].rows * header_.columns[0].dim;
    const LosslessPlanes planes = EMBD_TRY(split_lossless(payload(i), count, extents_[i].offset));
    for (std::uint64_t v = 0; v < count; v += values.size()) {
      const std::size_t some = std::min<std::uint64_t>(values.size(), count - v);
      if (auto decoded = decode_lossless(planes, v, std::span(values).first(some)); !decoded)
        return std::unexpected(in_chunk(decoded.error(), i));
    }
  }
  return {};
}

std::string Reader::describe() const {
  Json out = {{"format", "cvc"}, {"file_bytes", file_.bytes().size()}};
  out["version"] = header_.major == 0 ? "0" : fmt::format("{}.{}", header_.major, header_.minor);
  out["header_offset"] = header_.json_offset;
  out["header_bytes"] = header_.json_bytes;
  out["trailing_bytes"] = file_.bytes().size() - data_end_;
  out["num_chunks"] = header_.chunks.size();
  // open() has parsed the same bytes.
  Json header = printable(*parse_json(header_.json(file_.bytes()), header_.json_offset));
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    Json& chunk = header["chunks"][i];
    chunk["payload_offset"] = extents_[i].offset;
    chunk["payload_bytes"] = extents_[i].size;
    if (header_.major > 0) chunk["crc32"] = fmt::format("{:08x}", extents_[i].crc);
  }
  out["header"] = std::move(header);
  return out.dump();
}

}  // namespace embd::cvc
