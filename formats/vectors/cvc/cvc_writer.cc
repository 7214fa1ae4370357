#include "formats/vectors/cvc/cvc_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/cvc/cvc_codec.h"
#include "formats/vectors/cvc/cvc_json.h"

namespace embd::cvc {
namespace {

/// Returns the greatest size of a chunk with this many rows.
std::uint64_t largest_payload(const std::vector<Column>& columns, std::uint64_t rows) {
  std::uint64_t size = 0;
  for (const Column& column : columns) {
    size += rows * column.dim * value_bytes(column.encoding, column.type);
    if (column.encoding == Encoding::lossless) size += max_lossless_overhead;
  }
  return size;
}

Result<std::uint64_t> rows_per_chunk(const std::vector<Column>& columns, std::uint64_t wanted) {
  const std::uint64_t overhead = largest_payload(columns, 0);
  const std::uint64_t row_bytes =
      std::max<std::uint64_t>(1, largest_payload(columns, 1) - overhead);
  const std::uint64_t most = (max_payload_bytes - overhead) / row_bytes;
  if (most == 0) {
    return fail(ErrorCode::invalid_argument,
                "a row takes {} bytes, expected at most {}, the size of a chunk", row_bytes,
                max_payload_bytes);
  }
  if (wanted > most) {
    return fail(ErrorCode::invalid_argument,
                "a chunk would have {} rows, expected at most {}, which take 4 GiB", wanted, most);
  }
  return wanted > 0 ? wanted : std::min(default_chunk_rows, most);
}

Result<void> check_columns(const std::vector<Column>& columns, bool columnar) {
  if (columns.empty())
    return fail(ErrorCode::invalid_argument, "no columns were given, expected at least one");
  for (const Column& column : columns) {
    if (column.dim == 0 || column.dim > max_payload_bytes)
      return fail(ErrorCode::invalid_argument,
                  "the dimension of a column is {}, expected at least 1 and at most as "
                  "many values as fit in a chunk",
                  column.dim);
    if (column.encoding == (columnar ? Encoding::lossless : Encoding::none)) {
      return fail(
          ErrorCode::invalid_argument, "the compression \"{}\" cannot be used in a {} CVC file",
          name_of(column.encoding, encoding_names), columnar ? "columnar" : "single-column");
    }
    if (!columnar) continue;
    if (name_of(column.type, dtype_names).empty()) {
      return fail(ErrorCode::invalid_argument,
                  "column {:?} has the type {}, which CVC cannot store", column.name,
                  element_name(column.type));
    }
    if (find_invalid_utf8(column.name) ||
        column.name.find_first_not_of(" \t\n\r\f\v") == std::string::npos)
      return fail(ErrorCode::invalid_argument,
                  "the name of a column is {:?}, expected valid UTF-8 that is not blank",
                  column.name);
    if (std::ranges::count(columns, column.name, &Column::name) > 1)
      return fail(ErrorCode::invalid_argument,
                  "two columns are named {:?}, expected a different name for each column",
                  column.name);
  }
  return {};
}

std::uint64_t row_bytes(const Column& column) {
  return column.dim * dtype_bytes(column.type);
}

/// Returns how a column's part of a chunk is to be stored, without its place. `values` has the
/// whole part.
Slice slice_of(const Column& column, Bytes values) {
  Slice slice{.encoding = column.encoding};
  if (column.encoding != Encoding::int8) return slice;
  const Quantizer quantizer = quantizer_of(column.type, values);
  slice.min = quantizer.min;
  slice.scale = quantizer.scale;
  return slice;
}

Result<std::string> metadata_text(std::string_view metadata) {
  if (has_mark(metadata)) {
    return fail(ErrorCode::unsupported,
                "a string of the metadata begins with U+FDD0, which is not a character and cannot "
                "be stored");
  }
  const Json json = EMBD_TRY(parse_json(as_bytes(metadata), 0));
  if (!json.is_object()) {
    return fail(ErrorCode::invalid_argument, "the metadata is {}, expected a JSON object",
                python_json(json));
  }
  return python_json(json);
}

constexpr std::uint64_t page_after(std::uint64_t offset) {
  return (offset + page_bytes - 1) / page_bytes * page_bytes;
}

ByteWriter preamble_of(std::uint32_t size, std::uint32_t crc) {
  ByteWriter preamble;
  preamble.u32(size);
  preamble.u32(crc);
  return preamble;
}

Result<void> pad_to(OutputFile& file, std::uint64_t offset) {
  static constexpr std::array<std::byte, page_bytes> zeros = {};
  while (file.size() < offset) {
    const std::uint64_t missing = std::min<std::uint64_t>(offset - file.size(), zeros.size());
    EMBD_TRY(file.write(Bytes(zeros).first(missing)));
  }
  return {};
}

}  // namespace

Result<Writer> Writer::create(const std::filesystem::path& path, std::uint64_t dim,
                              Encoding encoding, const WriterOptions& options) {
  return create(path, false, {Column{"", dim, ElementType::f32, encoding}}, options);
}

Result<Writer> Writer::create_columnar(const std::filesystem::path& path,
                                       std::vector<Column> columns, const WriterOptions& options) {
  if (options.mmap_optimized)
    return fail(ErrorCode::invalid_argument,
                "mmap_optimized was given, but no reader maps the chunks of a columnar file into "
                "memory: leave it out");
  return create(path, true, std::move(columns), options);
}

Result<Writer> Writer::create(const std::filesystem::path& path, bool columnar,
                              std::vector<Column> columns, const WriterOptions& options) {
  EMBD_TRY(check_columns(columns, columnar));
  const std::uint64_t chunk_rows = EMBD_TRY(rows_per_chunk(columns, options.chunk_rows));
  Writer writer(EMBD_TRY(OutputFile::create(path, WriteOrder::any)), SpillFile::beside(path));
  writer.options_ = options;
  writer.options_.chunk_rows = chunk_rows;
  writer.pending_.resize(columns.size());
  writer.header_.major = columnar ? 2 : 1;
  writer.header_.columnar = columnar;
  writer.header_.columns = std::move(columns);
  writer.header_.recipe = options.recipe;
  return writer;
}

Result<void> Writer::begin_section(std::string_view metadata) {
  if (planned_ || (header_.sections.empty() && num_rows_ > 0))
    return fail(ErrorCode::invalid_argument,
                "rows were appended before the first section was begun: begin the section first");
  std::string text = EMBD_TRY(metadata_text(metadata));
  header_.sections.push_back({num_rows_, num_rows_, std::move(text)});
  return {};
}

Result<void> Writer::begin_chunk(std::string_view metadata) {
  if (num_rows_ > 0 && !has_begun_chunks_)
    return fail(ErrorCode::invalid_argument,
                "rows were appended before the first chunk was begun: begin the chunk first");
  if (chunk_rows_ > 0) EMBD_TRY(guarded([&] { return finish_pending(); }));
  has_begun_chunks_ = true;
  next_metadata_ = metadata.empty() ? std::string() : EMBD_TRY(metadata_text(metadata));
  return {};
}

Result<void> Writer::append(MatrixView rows) {
  const std::uint64_t dim = header_.columns.front().dim;
  if (rows.cols() != dim) {
    return fail(ErrorCode::invalid_argument,
                "the rows that were appended have {} values, expected {}", rows.cols(), dim);
  }
  const Bytes values = std::as_bytes(rows.values());
  return append(rows.rows(), std::span(&values, 1));
}

Result<void> Writer::append(std::uint64_t rows, std::span<const Bytes> values) {
  return guarded([&] { return append_rows(rows, values); });
}

Result<void> Writer::finish() {
  return guarded([&] { return write_file(); });
}

Result<void> Writer::check_values(std::uint64_t rows, std::span<const Bytes> values) const {
  const auto& columns = header_.columns;
  if (values.size() != columns.size()) {
    return fail(ErrorCode::invalid_argument,
                "values of {} columns were given, expected values of {}", values.size(),
                columns.size());
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (values[c].size() == rows * row_bytes(columns[c])) continue;
    return fail(ErrorCode::invalid_argument,
                "{} bytes were given for column {}, expected {} rows of {} bytes", values[c].size(),
                c, rows, row_bytes(columns[c]));
  }
  if (options_.num_rows && rows > *options_.num_rows - num_rows_) {
    return fail(ErrorCode::bad_count,
                "at least {} rows were appended, but the number of rows was given as {}",
                num_rows_ + rows, *options_.num_rows);
  }
  return {};
}

/// Returns rows [first, first + count) of `values`.
std::vector<Bytes> Writer::rows_of(std::span<const Bytes> values, std::uint64_t first,
                                   std::uint64_t count) const {
  std::vector<Bytes> some;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const std::uint64_t size = row_bytes(header_.columns[c]);
    some.push_back(values[c].subspan(first * size, count * size));
  }
  return some;
}

Result<void> Writer::append_rows(std::uint64_t rows, std::span<const Bytes> values) {
  EMBD_TRY(check_values(rows, values));
  if (num_rows_ == 0 && can_plan(rows)) EMBD_TRY(begin_file(values));
  for (std::uint64_t first = 0; first < rows;) {
    const std::uint64_t count = std::min(rows - first, rows_left_in_chunk());
    EMBD_TRY(add_to_chunk(count, rows_of(values, first, count)));
    first += count;
  }
  return {};
}

/// Returns true if the header can be written from the first `rows` rows alone.
bool Writer::can_plan(std::uint64_t rows) const {
  const bool has_int8 = std::ranges::count(header_.columns, Encoding::int8, &Column::encoding) > 0;
  return rows > 0 && options_.num_rows && (!has_int8 || rows == *options_.num_rows) &&
         !options_.mmap_optimized && header_.sections.empty() && next_metadata_.empty() &&
         !has_begun_chunks_;
}

/// Writes the header for all rows, before they come. `values` has the first rows, or all rows if a
/// column is int8.
Result<void> Writer::begin_file(std::span<const Bytes> values) {
  header_.num_rows = *options_.num_rows;
  for (std::uint64_t first = 0; first < header_.num_rows; first += options_.chunk_rows) {
    const std::uint64_t rows = std::min(options_.chunk_rows, header_.num_rows - first);
    header_.chunks.push_back({.first_row = first, .rows = rows});
    std::uint64_t offset = 0;
    for (std::size_t c = 0; c < header_.columns.size(); ++c) {
      const Column& column = header_.columns[c];
      Slice slice{.encoding = column.encoding};
      if (column.encoding == Encoding::int8)
        slice = slice_of(column, rows_of(values, first, rows)[c]);
      slice.offset = offset;
      slice.size = rows * column.dim * value_bytes(column.encoding, column.type);
      offset += slice.size;
      header_.slices.push_back(slice);
    }
  }
  planned_ = true;
  return write_head(header_json(header_));
}

std::uint64_t Writer::rows_left_in_chunk() const {
  const std::uint64_t whole = planned_ ? header_.chunks[stored_.size()].rows : options_.chunk_rows;
  return whole - chunk_rows_;
}

/// Begins a chunk with an empty place for its preamble, which is known only when the chunk is
/// complete.
Result<void> Writer::begin_chunk() {
  chunk_.offset = file_.size();
  const std::array<std::byte, preamble_bytes> preamble = {};
  return file_.write(preamble);
}

/// Adds rows to the current chunk. A chunk that comes whole in one call is encoded without a copy
/// of its values.
Result<void> Writer::add_to_chunk(std::uint64_t rows, std::span<const Bytes> values) {
  const bool comes_whole = chunk_rows_ == 0 && rows == rows_left_in_chunk();
  if (planned_ && chunk_rows_ == 0) EMBD_TRY(begin_chunk());
  chunk_rows_ += rows;
  num_rows_ += rows;
  if (!header_.sections.empty()) header_.sections.back().end_row = num_rows_;
  if (comes_whole) return finish_chunk(values);
  for (std::size_t c = 0; c < values.size(); ++c) EMBD_TRY(put_or_keep(c, values[c]));
  return rows_left_in_chunk() == 0 ? finish_pending() : Result<void>{};
}

/// Adds values of a column to the payload, or keeps them until the chunk is complete. The payload
/// begins with the first column, so its values can be added as they come. The exceptions are int8,
/// which needs the range of the whole chunk first, and lossless, which needs its dictionary.
Result<void> Writer::put_or_keep(std::size_t column, Bytes values) {
  const Column& schema = header_.columns[column];
  if (column == 0 && (schema.encoding == Encoding::fp16 || schema.encoding == Encoding::none))
    return put_column(column, {.encoding = schema.encoding}, values);
  // A large chunk gets room for all of its rows at once. Pages that are never touched cost nothing,
  // but copies to a larger place do.
  constexpr std::size_t large = 1 << 24;
  std::vector<std::byte>& pending = pending_[column];
  if (pending.size() + values.size() > large)
    pending.reserve(options_.chunk_rows * row_bytes(schema));
  pending.insert(pending.end(), values.begin(), values.end());
  return {};
}

/// Appends bytes to the payload of the current chunk.
Result<void> Writer::put(Bytes stored) {
  chunk_.crc = crc32(stored, chunk_.crc);
  chunk_.size += static_cast<std::uint32_t>(stored.size());  // rows_per_chunk() leaves room
  return planned_ ? file_.write(stored) : spill_.write(stored);
}

/// Encodes values of a column and appends them to the payload.
Result<void> Writer::put_column(std::size_t column, const Slice& slice, Bytes values) {
  const ElementType type = header_.columns[column].type;
  if (slice.encoding == Encoding::lossless) return put(encode_lossless(values));
  if (slice.encoding == Encoding::none) return put(values);
  const Quantizer quantizer = {slice.min, slice.scale};
  std::array<std::byte, 8192> stored;
  const std::size_t block = stored.size() / value_bytes(slice.encoding, type);
  while (!values.empty()) {
    const std::size_t count = std::min(block, values.size() / dtype_bytes(type));
    const Bytes some = values.first(count * dtype_bytes(type));
    const auto out = std::span(stored).first(count * value_bytes(slice.encoding, type));
    slice.encoding == Encoding::int8 ? quantize(quantizer, type, some, out)
                                     : encode_fp16(type, some, out);
    EMBD_TRY(put(out));
    values = values.subspan(some.size());
  }
  return {};
}

Result<void> Writer::finish_pending() {
  const std::vector<Bytes> values(pending_.begin(), pending_.end());
  EMBD_TRY(finish_chunk(values));
  for (std::vector<std::byte>& pending : pending_) pending.clear();
  return {};
}

/// Completes the current chunk. `values` has the columns' values that are not in the payload yet.
Result<void> Writer::finish_chunk(std::span<const Bytes> values) {
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (planned_) {
      EMBD_TRY(put_column(c, header_.slice(stored_.size(), c), values[c]));
      continue;
    }
    Slice slice = slice_of(header_.columns[c], values[c]);
    slice.offset = c == 0 ? 0 : chunk_.size;
    EMBD_TRY(put_column(c, slice, values[c]));
    slice.size = chunk_.size - slice.offset;
    header_.slices.push_back(slice);
  }
  if (planned_) {
    EMBD_TRY(file_.write_at(chunk_.offset, preamble_of(chunk_.size, chunk_.crc).view()));
  } else {
    chunk_.offset = spill_.size() - chunk_.size;
    header_.chunks.push_back({.first_row = num_rows_ - chunk_rows_,
                              .rows = chunk_rows_,
                              .metadata = std::exchange(next_metadata_, {})});
  }
  stored_.push_back(std::exchange(chunk_, {}));
  chunk_rows_ = 0;
  return {};
}

Result<void> Writer::write_head(std::string_view json) {
  if (json.size() > max_header_bytes) {
    return fail(ErrorCode::invalid_argument,
                "the header takes {} bytes, but readers accept at most {}: make it "
                "smaller with more rows in each chunk",
                json.size(), max_header_bytes);
  }
  ByteWriter head;
  head.text(magic);
  head.u16(static_cast<std::uint16_t>(header_.major));
  head.u16(0);
  head.u32(static_cast<std::uint32_t>(json.size()));
  head.text(json);
  return file_.write(head.view());
}

/// Returns the header with each chunk on a page of its own. Like the reference package, it reserves
/// the pages that the header needs without the places of chunks. If the places do not fit into
/// these, it reserves more, which the reference package forgets.
std::string Writer::place_chunks() {
  std::string json = header_json(header_);
  header_.mmap_optimized = true;
  for (std::uint64_t first_chunk = 0; head_bytes + json.size() > first_chunk;) {
    first_chunk = page_after(head_bytes + json.size());
    std::uint64_t offset = first_chunk;
    for (std::size_t i = 0; i < stored_.size(); ++i) {
      header_.chunks[i].file_offset = offset;
      offset = page_after(offset + preamble_bytes + stored_[i].size);
    }
    json = header_json(header_);
  }
  return json;
}

Result<void> Writer::write_file() {
  if (chunk_rows_ > 0) EMBD_TRY(finish_pending());
  if (options_.num_rows && num_rows_ != *options_.num_rows) {
    return fail(ErrorCode::bad_count,
                "{} rows were appended, but the number of rows was given as {}", num_rows_,
                *options_.num_rows);
  }
  if (planned_) return file_.finish();
  header_.num_rows = num_rows_;
  EMBD_TRY(write_head(options_.mmap_optimized ? place_chunks() : header_json(header_)));
  if (options_.mmap_optimized) EMBD_TRY(pad_to(file_, page_after(file_.size())));
  for (std::size_t i = 0; i < stored_.size(); ++i) {
    const Stored& chunk = stored_[i];
    EMBD_TRY(pad_to(file_, header_.chunks[i].file_offset.value_or(0)));
    EMBD_TRY(file_.write(preamble_of(chunk.size, chunk.crc).view()));
    EMBD_TRY(spill_.copy_to(file_, chunk.offset, chunk.size));
  }
  return file_.finish();
}

}  // namespace embd::cvc
