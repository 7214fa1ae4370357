#include "formats/cvc/cvc_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/byte_writer.h"
#include "base/checksum.h"
#include "base/guard.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/cvc/cvc_codec.h"
#include "formats/cvc/cvc_json.h"
#include "formats/cvc/cvc_lossless.h"
#include "formats/recipe_json.h"

namespace embd::cvc {
namespace {

/// The most bytes that a chunk of so many rows can take.
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
  const std::uint64_t row_bytes = largest_payload(columns, 1) - overhead;
  const std::uint64_t most = (max_payload_bytes - overhead) / row_bytes;
  if (most == 0) {
    return fail(ErrorCode::invalid_argument, fmt::format("a row takes {} bytes, a chunk holds {}",
                                                         row_bytes, max_payload_bytes));
  }
  if (wanted > most) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("chunks of {} rows, expected at most {} (4 GiB)", wanted, most));
  }
  return wanted > 0 ? wanted : std::min(default_chunk_rows, most);
}

Result<void> check_columns(const std::vector<Column>& columns, bool columnar) {
  if (columns.empty()) return fail(ErrorCode::invalid_argument, "no columns");
  for (const Column& column : columns) {
    if (column.dim == 0 || column.dim > max_payload_bytes)
      return fail(ErrorCode::invalid_argument, fmt::format("a dimension of {}", column.dim));
    if (column.encoding == (columnar ? Encoding::lossless : Encoding::none)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} in a {} file", encoding_name(column.encoding),
                              columnar ? "columnar" : "single-column"));
    }
    if (!columnar) continue;
    if (dtype_name(column.type).empty()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("column {:?} of {}", column.name, element_name(column.type)));
    }
    if (find_invalid_utf8(column.name) ||
        column.name.find_first_not_of(" \t\n\r\f\v") == std::string::npos)
      return fail(ErrorCode::invalid_argument, fmt::format("column name {:?}", column.name));
    if (std::ranges::count(columns, column.name, &Column::name) > 1)
      return fail(ErrorCode::invalid_argument, fmt::format("two columns {:?}", column.name));
  }
  return {};
}

Result<std::string> metadata_text(std::string_view metadata) {
  const Json json = EMBD_TRY(parse_json(as_bytes(metadata), 0));
  if (!json.is_object()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("metadata is {}, expected a JSON object", python_json(json)));
  }
  return python_json(json);
}

std::string quoted(const std::string& text) {
  return python_json(Json(text));
}

/// The members that only an int8 slice has; others stand between them in the alphabet.
std::string min_member(const Slice& slice) {
  return slice.encoding == Encoding::int8
             ? fmt::format(R"(,"min":{})", python_float(static_cast<double>(slice.min)))
             : "";
}
std::string scale_member(const Slice& slice) {
  return slice.encoding == Encoding::int8
             ? fmt::format(R"(,"scale":{})", python_float(static_cast<double>(slice.scale)))
             : "";
}

std::string column_json(const Column& column) {
  return fmt::format(R"({{"compression":"{}","dimension":{},"dtype":"{}","name":{}}})",
                     encoding_name(column.encoding), column.dim, dtype_name(column.type),
                     quoted(column.name));
}

std::string section_json(const Section& section) {
  return fmt::format(R"({{"end_index":{},"metadata":{},"num_vectors":{},"start_index":{}}})",
                     section.end_row, section.metadata, section.end_row - section.first_row,
                     section.first_row);
}

std::string slices_json(const std::vector<Column>& columns, std::span<const Slice> slices) {
  std::vector<std::pair<std::string_view, std::string>> members;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Slice& slice = slices[c];
    members.emplace_back(
        columns[c].name,
        fmt::format(R"({}:{{"compression":"{}"{},"offset":{}{},"size":{}}})",
                    quoted(columns[c].name), encoding_name(slice.encoding), min_member(slice),
                    slice.offset, scale_member(slice), slice.size));
  }
  std::ranges::sort(members);
  std::string out;
  for (const auto& [name, text] : members) out += (out.empty() ? "" : ",") + text;
  return "{" + out + "}";
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
    return fail(ErrorCode::invalid_argument, "no reader maps the chunks of a columnar file");
  return create(path, true, std::move(columns), options);
}

Result<Writer> Writer::create(const std::filesystem::path& path, bool columnar,
                              std::vector<Column> columns, const WriterOptions& options) {
  EMBD_TRY(check_columns(columns, columnar));
  const std::uint64_t chunk_rows = EMBD_TRY(rows_per_chunk(columns, options.chunk_rows));
  Writer writer(EMBD_TRY(OutputFile::create(path)), SpillFile::beside(path));
  writer.columnar_ = columnar;
  writer.options_ = options;
  writer.options_.chunk_rows = chunk_rows;
  writer.pending_.resize(columns.size());
  writer.columns_ = std::move(columns);
  return writer;
}

Result<void> Writer::begin_section(std::string_view metadata) {
  if (file_begun_ || (sections_.empty() && num_rows_ > 0))
    return fail(ErrorCode::invalid_argument, "rows came before the first section");
  std::string text = EMBD_TRY(metadata_text(metadata));
  sections_.push_back({num_rows_, num_rows_, std::move(text)});
  return {};
}

Result<void> Writer::set_chunk_metadata(std::string_view metadata) {
  if (file_begun_)
    return fail(ErrorCode::invalid_argument, "rows came before the first chunk's metadata");
  chunk_.metadata = EMBD_TRY(metadata_text(metadata));
  return {};
}

Result<void> Writer::append(MatrixView rows) {
  if (rows.cols() != columns_.front().dim) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("rows of {}, expected {}", rows.cols(), columns_.front().dim));
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

/// True if the header says nothing that only the rows tell.
bool Writer::can_begin_file() const {
  const bool plain = std::ranges::none_of(
      columns_, [](const Column& column) { return column.encoding == Encoding::int8; });
  return plain && options_.num_rows && !options_.mmap_optimized && sections_.empty() &&
         chunk_.metadata.empty();
}

/// Writes the header of a file of so many rows, as if its chunks were there.
Result<void> Writer::begin_file(std::uint64_t num_rows) {
  for (std::uint64_t first = 0; first < num_rows; first += options_.chunk_rows) {
    const std::uint64_t rows = std::min(options_.chunk_rows, num_rows - first);
    finished_.push_back({.rows = rows});
    std::uint64_t offset = 0;
    for (const Column& column : columns_) {
      const std::uint64_t size = rows * column.dim * value_bytes(column.encoding, column.type);
      slices_.push_back({.encoding = column.encoding, .offset = offset, .size = size});
      offset += size;
    }
  }
  num_rows_ = num_rows;
  EMBD_TRY(write_head(header_json(std::nullopt)));
  num_rows_ = 0;
  finished_.clear();
  slices_.clear();
  file_begun_ = true;
  return {};
}

/// A place for the preamble, which is known when the chunk is whole.
Result<void> Writer::begin_chunk() {
  chunk_.offset = file_.size();
  const std::array<std::byte, preamble_bytes> preamble = {};
  return file_.write(preamble);
}

Result<void> Writer::append_rows(std::uint64_t rows, std::span<const Bytes> values) {
  if (values.size() != columns_.size()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} columns, expected {}", values.size(), columns_.size()));
  }
  std::vector<std::uint64_t> row_bytes;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    row_bytes.push_back(columns_[c].dim * dtype_bytes(columns_[c].type));
    if (values[c].size() != rows * row_bytes[c]) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} bytes for column {}, expected {} rows of {}", values[c].size(), c,
                              rows, row_bytes[c]));
    }
  }
  if (rows > 0 && num_rows_ == 0 && can_begin_file()) EMBD_TRY(begin_file(*options_.num_rows));
  if (options_.num_rows && rows > *options_.num_rows - num_rows_) {
    return fail(ErrorCode::bad_count,
                fmt::format("{} rows and more, expected {}", num_rows_ + rows, *options_.num_rows));
  }
  std::vector<Bytes> some(columns_.size());
  for (std::uint64_t first = 0; first < rows;) {
    const std::uint64_t count = std::min(rows - first, options_.chunk_rows - chunk_.rows);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      some[c] = values[c].subspan(first * row_bytes[c], count * row_bytes[c]);
    first += count;
    num_rows_ += count;
    if (!sections_.empty()) sections_.back().end_row = num_rows_;
    EMBD_TRY(add_to_chunk(count, some));
  }
  return {};
}

/// A chunk that comes whole is encoded where it lies.
Result<void> Writer::add_to_chunk(std::uint64_t rows, std::span<const Bytes> values) {
  if (file_begun_ && chunk_.rows == 0) EMBD_TRY(begin_chunk());
  chunk_.rows += rows;
  if (rows == options_.chunk_rows) return finish_chunk(values);
  for (std::size_t c = 0; c < columns_.size(); ++c) EMBD_TRY(put_or_keep(c, values[c]));
  return chunk_.rows == options_.chunk_rows ? finish_pending() : Result<void>{};
}

/// The first column's bytes begin the payload and are put as they come, unless int8 needs the
/// extremes or lossless the dictionary of the whole chunk first.
Result<void> Writer::put_or_keep(std::size_t column, Bytes values) {
  const Column& schema = columns_[column];
  if (column == 0 && (schema.encoding == Encoding::fp16 || schema.encoding == Encoding::none)) {
    EMBD_TRY(put_column(column, values));
    return {};
  }
  // A chunk that has become large gets room for all of its rows at once: pages that are never
  // touched cost nothing, copies to a larger place do.
  constexpr std::size_t large = 1 << 24;
  std::vector<std::byte>& pending = pending_[column];
  if (pending.size() + values.size() > large)
    pending.reserve(options_.chunk_rows * schema.dim * dtype_bytes(schema.type));
  pending.insert(pending.end(), values.begin(), values.end());
  return {};
}

/// Continues the payload of the chunk.
Result<void> Writer::put(Bytes stored) {
  chunk_.crc = crc32(stored, chunk_.crc);
  chunk_.size += static_cast<std::uint32_t>(stored.size());  // rows_per_chunk() leaves room
  return file_begun_ ? file_.write(stored) : spill_.write(stored);
}

/// Encodes and puts values of a column. The result lacks only the place.
Result<Slice> Writer::put_column(std::size_t column, Bytes values) {
  const auto& [name, dim, type, encoding] = columns_[column];
  Slice slice{.encoding = encoding};
  if (encoding == Encoding::lossless) {
    EMBD_TRY(put(encode_lossless(values)));
    return slice;
  }
  if (encoding == Encoding::none) {
    EMBD_TRY(put(values));
    return slice;
  }
  const Quantiser quantiser = encoding == Encoding::int8 ? quantiser_of(type, values) : Quantiser{};
  slice.min = quantiser.min;
  slice.scale = quantiser.scale;
  std::array<std::byte, 8192> stored;
  const std::size_t block = stored.size() / value_bytes(encoding, type);
  while (!values.empty()) {
    const std::size_t count = std::min(block, values.size() / dtype_bytes(type));
    const Bytes some = values.first(count * dtype_bytes(type));
    const auto out = std::span(stored).first(count * value_bytes(encoding, type));
    encoding == Encoding::int8 ? quantise(quantiser, type, some, out)
                               : encode_fp16(type, some, out);
    EMBD_TRY(put(out));
    values = values.subspan(some.size());
  }
  return slice;
}

Result<void> Writer::finish_pending() {
  const std::vector<Bytes> values(pending_.begin(), pending_.end());
  EMBD_TRY(finish_chunk(values));
  for (std::vector<std::byte>& pending : pending_) pending.clear();
  return {};
}

/// `values`: of the columns, what is not in the payload yet.
Result<void> Writer::finish_chunk(std::span<const Bytes> values) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::uint64_t offset = c == 0 ? 0 : chunk_.size;
    Slice slice = EMBD_TRY(put_column(c, values[c]));
    slice.offset = offset;
    slice.size = chunk_.size - offset;
    slices_.push_back(slice);
  }
  if (file_begun_) {
    EMBD_TRY(file_.write_at(chunk_.offset, preamble_of(chunk_.size, chunk_.crc).view()));
  } else {
    chunk_.offset = spill_.size() - chunk_.size;
  }
  finished_.push_back(std::move(chunk_));
  chunk_ = {};
  return {};
}

/// The sections that share rows with a chunk. `section`: the first that the chunk can touch; moved
/// on for the next chunk.
std::string Writer::chunk_sections(const Finished& chunk, std::uint64_t first_row,
                                   std::size_t& section) const {
  const std::uint64_t end_row = first_row + chunk.rows;
  while (section < sections_.size() && sections_[section].end_row <= first_row) ++section;
  std::string out;
  for (std::size_t i = section; i < sections_.size() && sections_[i].first_row < end_row; ++i) {
    const Section& s = sections_[i];
    if (s.end_row <= first_row) continue;
    out += fmt::format(
        R"({}{{"end_in_chunk":{},"metadata":{},"section_end":{},"section_start":{},"start_in_chunk":{}}})",
        out.empty() ? "" : ",", std::min(end_row, s.end_row) - first_row, s.metadata, s.end_row,
        s.first_row, std::max(first_row, s.first_row) - first_row);
  }
  return out;
}

std::string Writer::chunk_json(std::size_t i, std::uint64_t first_row, std::size_t& section,
                               std::optional<std::uint64_t> file_offset) const {
  const Finished& chunk = finished_[i];
  const auto slices = std::span(slices_).subspan(i * columns_.size(), columns_.size());
  const std::string metadata =
      chunk.metadata.empty() ? "" : fmt::format(R"(,"metadata":{})", chunk.metadata);
  const std::string overlaps = chunk_sections(chunk, first_row, section);
  const std::string sections = overlaps.empty() ? "" : fmt::format(R"(,"sections":[{}])", overlaps);
  if (columnar_) {
    return fmt::format(R"({{"columns":{}{},"rows":{}{}}})", slices_json(columns_, slices), metadata,
                       chunk.rows, sections);
  }
  return fmt::format(R"({{"compression":"{}"{}{}{},"rows":{}{}{}}})",
                     encoding_name(slices[0].encoding),
                     file_offset ? fmt::format(R"(,"file_offset":{})", *file_offset) : "", metadata,
                     min_member(slices[0]), chunk.rows, scale_member(slices[0]), sections);
}

/// The header; with the place of each chunk if `first_chunk_offset` is given.
std::string Writer::header_json(std::optional<std::uint64_t> first_chunk_offset) const {
  std::string out = R"({"chunks":[)";
  std::uint64_t first_row = 0;
  std::size_t section = 0;
  std::optional<std::uint64_t> offset = first_chunk_offset;
  for (std::size_t i = 0; i < finished_.size(); ++i) {
    if (i > 0) out += ',';
    out += chunk_json(i, first_row, section, offset);
    first_row += finished_[i].rows;
    if (offset) offset = page_after(*offset + preamble_bytes + finished_[i].size);
  }
  out += ']';
  if (columnar_) {
    std::vector<std::string> columns;
    for (const Column& column : columns_) columns.push_back(column_json(column));
    out += fmt::format(R"(,"columns":[{}])", fmt::join(columns, ","));
  } else {
    out += fmt::format(R"(,"compression":"{}","dimension":{})", encoding_name(columns_[0].encoding),
                       columns_[0].dim);
  }
  if (options_.recipe)
    out += fmt::format(R"(,"{}":{})", recipe_key, recipe_to_json(*options_.recipe));
  if (columnar_) out += R"(,"format_type":"columnar")";
  if (first_chunk_offset) out += R"(,"mmap_optimized":true)";
  out += fmt::format(R"(,"num_vectors":{})", num_rows_);
  if (!sections_.empty()) {
    out += R"(,"sections":[)";
    for (const Section& s : sections_) out += (&s == &sections_[0] ? "" : ",") + section_json(s);
    out += ']';
  }
  out += '}';
  return out;
}

Result<void> Writer::write_head(std::string_view json) {
  if (json.size() > max_header_bytes) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the header takes {} bytes, at most {} are read; chunks of more rows "
                            "make it smaller",
                            json.size(), max_header_bytes));
  }
  ByteWriter head;
  head.text(magic);
  head.u16(columnar_ ? 2 : 1);
  head.u16(0);
  head.u32(static_cast<std::uint32_t>(json.size()));
  head.text(json);
  return file_.write(head.view());
}

Result<void> Writer::write_file() {
  if (chunk_.rows > 0) EMBD_TRY(finish_pending());
  if (options_.num_rows && num_rows_ != *options_.num_rows) {
    return fail(ErrorCode::bad_count,
                fmt::format("{} rows, expected {}", num_rows_, *options_.num_rows));
  }
  if (file_begun_) return file_.finish();
  std::string json = header_json(std::nullopt);
  std::uint64_t first_chunk = head_bytes + json.size();
  if (options_.mmap_optimized) {
    // Pages for the header as it is without the chunks' places, as the reference package reserves
    // them; more where the places would not fit, which it forgets.
    std::uint64_t header_end = first_chunk;
    do {
      first_chunk = page_after(header_end);
      json = header_json(first_chunk);
      header_end = head_bytes + json.size();
    } while (header_end > first_chunk);
  }
  EMBD_TRY(write_head(json));
  EMBD_TRY(pad_to(file_, first_chunk));
  for (const Finished& chunk : finished_) {
    if (options_.mmap_optimized) EMBD_TRY(pad_to(file_, page_after(file_.size())));
    EMBD_TRY(file_.write(preamble_of(chunk.size, chunk.crc).view()));
    EMBD_TRY(spill_.copy_to(file_, chunk.offset, chunk.size));
  }
  return file_.finish();
}

}  // namespace embd::cvc
