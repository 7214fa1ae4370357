#include "formats/vectors/parquet/foreign_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/byte_reader.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/parquet/codec.h"
#include "formats/vectors/parquet/hybrid.h"
#include "formats/vectors/parquet/page.h"

namespace embd::parquet {
namespace {

/// The greatest number of values of a page. No program writes more, and the levels of all entries
/// are in memory at once.
constexpr std::uint32_t most_page_values = std::uint32_t{1} << 26;

bool is_dictionary(Encoding encoding) noexcept {
  return encoding == Encoding::plain_dictionary || encoding == Encoding::rle_dictionary;
}

/// Removes the first `size` bytes from `bytes` and returns them.
Result<Bytes> take(Bytes& bytes, std::uint64_t size) {
  if (size > bytes.size())
    return fail(ErrorCode::bad_count, fmt::format("the repetition or definition levels of a page "
                                                  "need {} bytes, but the page has only {} left",
                                                  size, bytes.size()));
  const Bytes front = bytes.first(size);
  bytes = bytes.subspan(size);
  return front;
}

/// Removes the levels of a page of version 1, which follow their length, and returns them.
Result<Bytes> take_levels(Bytes& bytes) {
  const Bytes length = EMBD_TRY(take(bytes, sizeof(std::uint32_t)));
  return take(bytes, load<std::uint32_t>(length));
}

}  // namespace

Result<std::unique_ptr<ForeignColumnReader>> ForeignColumnReader::open(Bytes file,
                                                                       std::uint64_t data_end,
                                                                       const ForeignFooter& footer,
                                                                       std::size_t leaf,
                                                                       std::uint64_t values_a_row) {
  std::unique_ptr<ForeignColumnReader> reader(
      new ForeignColumnReader(file.first(data_end), footer.columns[leaf], values_a_row));
  for (const RowGroup& group : footer.row_groups)
    EMBD_TRY(reader->find_pages(group.chunks[leaf], group.num_rows));
  return reader;
}

std::size_t ForeignColumnReader::value_bytes() const noexcept {
  switch (column_.type) {
    case PhysicalType::int32:
    case PhysicalType::float32:
      return 4;
    case PhysicalType::int64:
    case PhysicalType::float64:
      return 8;
    case PhysicalType::fixed_bytes:
      return static_cast<std::size_t>(column_.type_length);
    default:
      return 0;
  }
}

std::unexpected<Error> ForeignColumnReader::bad(const Page& page, ErrorCode code,
                                                std::string what) const {
  return std::unexpected(Error(code, fmt::format("column {:?}: {}", column_.name, std::move(what)))
                             .at_offset(page.offset));
}

std::unexpected<Error> ForeignColumnReader::refuse(const Page& page,
                                                   const std::string& what) const {
  return std::unexpected(
      foreign(fmt::format("column {:?}: {}", column_.name, what)).at_offset(page.offset));
}

Result<void> ForeignColumnReader::find_pages(const ColumnChunk& chunk, std::uint64_t num_rows) {
  const Page start = {.offset = chunk.offset};
  if (num_rows == 0) return {};
  if (chunk.offset < magic.size() || chunk.offset > file_.size() ||
      chunk.bytes > file_.size() - chunk.offset)
    return bad(start, ErrorCode::section_out_of_bounds,
               fmt::format("the column takes {} bytes from byte {} on, but the data has {} bytes",
                           chunk.bytes, chunk.offset, file_.size()));
  if (!is_readable(chunk.codec)) {
    return refuse(start, fmt::format("compression by {}", codec_name(chunk.codec)));
  }
  // Compared by division, because the product could overflow.
  if (chunk.num_values % values_a_row_ != 0 || chunk.num_values / values_a_row_ != num_rows)
    return bad(start, ErrorCode::bad_count,
               fmt::format("there are {} values in {} rows, expected {} in each row",
                           chunk.num_values, num_rows, values_a_row_));
  std::uint64_t left = chunk.num_values;
  std::size_t dictionary = 0;
  const std::uint64_t end = chunk.offset + chunk.bytes;
  for (std::uint64_t offset = chunk.offset; left > 0;) {
    std::size_t header_bytes = 0;
    Page page = {.first_value = num_values_, .offset = offset, .codec = chunk.codec};
    if (offset == end)
      return bad(page, ErrorCode::bad_count, fmt::format("the pages have {} values too few", left));
    page.header =
        EMBD_TRY(parse_page_header(file_.subspan(offset, end - offset), offset, header_bytes));
    page.offset = offset + header_bytes;
    page.dictionary = dictionary;
    if (page.header.compressed_bytes > end - page.offset)
      return bad(page, ErrorCode::section_out_of_bounds,
                 fmt::format("a page takes {} bytes, but only {} are left of the column",
                             page.header.compressed_bytes, end - page.offset));
    offset = page.offset + page.header.compressed_bytes;
    if (page.header.type == PageType::index) continue;
    EMBD_TRY(check_page(page, left));
    if (page.header.type == PageType::dictionary) {
      dictionaries_.push_back(page);
      dictionary = dictionaries_.size();
      continue;
    }
    if (page.header.num_values == 0) continue;  // Some programs write empty pages.
    num_values_ += page.header.num_values;
    left -= page.header.num_values;
    pages_.push_back(page);
  }
  return {};
}

Result<void> ForeignColumnReader::check_page(const Page& page, std::uint64_t room) const {
  const PageHeader& header = page.header;
  const bool is_plausible =
      page.codec == Codec::uncompressed
          ? header.compressed_bytes == header.uncompressed_bytes
          : header.uncompressed_bytes / most_expansion(page.codec) <= header.compressed_bytes;
  if (!is_plausible)
    return bad(
        page, ErrorCode::bad_count,
        fmt::format("a page of {} bytes is stored in {} bytes, which its compression cannot give",
                    header.uncompressed_bytes, header.compressed_bytes));
  if (header.num_values > most_page_values)
    return refuse(page, fmt::format("a page of {} values", header.num_values));
  if (header.type == PageType::dictionary) return {};
  if (header.num_values > room)
    return bad(page, ErrorCode::bad_count,
               fmt::format("a page has {} values, but only {} are left of the column",
                           header.num_values, room));
  if (header.levels != Encoding::rle)
    return refuse(page, fmt::format("levels coded by {}", encoding_name(header.levels)));
  const bool is_known = header.encoding == Encoding::plain ||
                        (is_dictionary(header.encoding) && page.dictionary != 0) ||
                        (header.encoding == Encoding::byte_stream_split && value_bytes() != 0);
  if (is_known) return {};
  return refuse(page, fmt::format("values coded by {}", encoding_name(header.encoding)));
}

std::size_t ForeignColumnReader::page_of(std::uint64_t value) const {
  const auto behind = std::ranges::upper_bound(pages_, value, {}, &Page::first_value);
  return static_cast<std::size_t>(behind - pages_.begin()) - 1;
}

Result<ForeignColumnReader::Content> ForeignColumnReader::content_of(std::size_t place) const {
  {
    const std::lock_guard lock(mutex_);
    if (page_.place == place) return page_.content;
  }
  auto content = std::make_shared<const PageContent>(EMBD_TRY(decode(pages_[place])));
  const std::lock_guard lock(mutex_);
  page_ = {place, content};
  return content;
}

Result<ForeignColumnReader::Content> ForeignColumnReader::dictionary_of(std::size_t place) const {
  {
    const std::lock_guard lock(mutex_);
    if (dictionary_.place == place) return dictionary_.content;
  }
  const Page& page = dictionaries_[place - 1];
  const Parts parts = EMBD_TRY(parts_of(page));
  auto content = std::make_shared<const PageContent>(EMBD_TRY(plain(page, parts.values)));
  const std::lock_guard lock(mutex_);
  dictionary_ = {place, content};
  return content;
}

Result<PageContent> ForeignColumnReader::decode(const Page& page) const {
  const Parts parts = EMBD_TRY(parts_of(page));
  EMBD_TRY(check_levels(page, parts));
  if (is_dictionary(page.header.encoding)) return from_dictionary(page, parts.values);
  if (page.header.encoding != Encoding::byte_stream_split) return plain(page, parts.values);
  const std::uint64_t wanted = page.header.num_values * value_bytes();
  if (parts.values.size() < wanted)
    return bad(page, ErrorCode::bad_count,
               fmt::format("{} bytes of values, expected {}", parts.values.size(), wanted));
  return PageContent{.numbers = join_streams(parts.values.first(wanted), value_bytes())};
}

/// Returns the parts of a page of either version. The levels of version 2 are not compressed.
Result<ForeignColumnReader::Parts> ForeignColumnReader::parts_of(const Page& page) const {
  const PageHeader& header = page.header;
  Parts parts;
  const auto split = [&]() -> Result<void> {
    Bytes stored = file_.subspan(page.offset, header.compressed_bytes);
    const bool is_v2 = header.type == PageType::data_v2;
    if (is_v2) {
      parts.repetition = EMBD_TRY(take(stored, header.repetition_bytes));
      parts.definition = EMBD_TRY(take(stored, header.definition_bytes));
    }
    parts.values = stored;
    const std::uint64_t levels = is_v2 ? parts.repetition.size() + parts.definition.size() : 0;
    if (page.codec != Codec::uncompressed && header.is_compressed && !stored.empty()) {
      if (levels > header.uncompressed_bytes)
        return fail(ErrorCode::bad_count,
                    "the repetition and definition levels of a page are longer than the page");
      parts.owned =
          EMBD_TRY(decompress_page(page.codec, stored, header.uncompressed_bytes - levels));
      parts.values = parts.owned;
    }
    if (header.type == PageType::data) {
      if (column_.most_repetition > 0) parts.repetition = EMBD_TRY(take_levels(parts.values));
      if (column_.most_definition > 0) parts.definition = EMBD_TRY(take_levels(parts.values));
    }
    return {};
  };
  if (auto done = split(); !done)
    return bad(page, done.error().code(), std::string(done.error().what()));
  return parts;
}

/// Checks that all entries have a value, and that lists begin where rows begin.
Result<void> ForeignColumnReader::check_levels(const Page& page, const Parts& parts) const {
  const std::size_t count = page.header.num_values;
  const auto row_of = [&](std::size_t i) { return (page.first_value + i) / values_a_row_; };
  if (column_.most_definition > 0) {
    const auto definition = read_hybrid(parts.definition, bits_for(column_.most_definition), count);
    if (!definition) return bad(page, definition.error().code(), definition.error().what());
    for (std::size_t i = 0; i < count; ++i) {
      if ((*definition)[i] != column_.most_definition)
        return bad(page, ErrorCode::missing,
                   fmt::format("row {} has a missing value, expected none", row_of(i)));
    }
  }
  if (column_.most_repetition == 0) return {};
  const auto repetition = read_hybrid(parts.repetition, bits_for(column_.most_repetition), count);
  if (!repetition) return bad(page, repetition.error().code(), repetition.error().what());
  for (std::size_t i = 0; i < count; ++i) {
    const bool begins = (*repetition)[i] == 0;
    if (begins != ((page.first_value + i) % values_a_row_ == 0))
      return bad(page, ErrorCode::bad_count,
                 fmt::format("row {} does not have {} values, as is expected of all rows",
                             row_of(i), values_a_row_));
  }
  return {};
}

Result<PageContent> ForeignColumnReader::plain(const Page& page, Bytes values) const {
  const std::uint64_t count = page.header.num_values;
  PageContent content;
  if (const std::uint64_t wanted = count * value_bytes(); wanted > 0) {
    if (values.size() < wanted)
      return bad(page, ErrorCode::bad_count,
                 fmt::format("{} bytes of values, expected {}", values.size(), wanted));
    content.numbers.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(wanted));
    return content;
  }
  ByteReader reader(values);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto size = reader.u32("a string's length");
    const auto text = size ? reader.text(*size, "a string") : std::unexpected(size.error());
    if (!text) return bad(page, text.error().code(), text.error().what());
    content.strings.emplace_back(*text);
  }
  return content;
}

Result<PageContent> ForeignColumnReader::from_dictionary(const Page& page, Bytes values) const {
  const Content dictionary = EMBD_TRY(dictionary_of(page.dictionary));
  const std::size_t width = value_bytes();
  const std::size_t size =
      width == 0 ? dictionary->strings.size() : dictionary->numbers.size() / width;
  constexpr unsigned most_bits = 32;
  if (values.empty() || static_cast<unsigned>(values[0]) > most_bits)
    return bad(page, ErrorCode::bad_count,
               "a page of references to a dictionary does not begin with their number of bits");
  const auto places =
      read_hybrid(values.subspan(1), static_cast<unsigned>(values[0]), page.header.num_values);
  if (!places) return bad(page, places.error().code(), places.error().what());
  PageContent content;
  content.numbers.reserve(places->size() * width);
  for (const std::uint32_t place : *places) {
    if (place >= size)
      return bad(page, ErrorCode::bad_value,
                 fmt::format("a value refers to entry {} of a dictionary, but the dictionary has "
                             "{} entries, counted from 0",
                             place, size));
    if (width == 0) {
      content.strings.push_back(dictionary->strings[place]);
    } else {
      const Bytes value = Bytes(dictionary->numbers).subspan(place * width, width);
      content.numbers.insert(content.numbers.end(), value.begin(), value.end());
    }
  }
  return content;
}

}  // namespace embd::parquet
