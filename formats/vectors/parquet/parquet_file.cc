#include "formats/vectors/parquet/parquet_file.h"

#include <fmt/format.h>

#include <cstring>

#include "base/checksum.h"
#include "base/messages.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/parquet/compact_protocol.h"

namespace embd::parquet {
namespace {

bool is_dictionary(Encoding encoding) noexcept {
  return encoding == Encoding::plain_dictionary || encoding == Encoding::rle_dictionary;
}

/// Removes the first `size` bytes from `bytes` and returns them.
Result<Bytes> take(Bytes& bytes, std::uint64_t size) {
  if (size > bytes.size())
    return fail(ErrorCode::bad_count,
                "the repetition or definition levels of a page "
                "need {} bytes, but the page has only {} left",
                size, bytes.size());
  const Bytes front = bytes.first(size);
  bytes = bytes.subspan(size);
  return front;
}

/// Removes the levels of a page of version 1, which follow their length, and returns them.
Result<Bytes> take_levels(Bytes& bytes) {
  const Bytes length = EMBD_TRY(take(bytes, sizeof(std::uint32_t)));
  return take(bytes, load<std::uint32_t>(length));
}

/// Returns true if the repetition levels are those of `num_rows` rows as embd writes them: in each
/// row a run of one 0 and a run of ones. This is a comparison of bytes, and so takes a fraction of
/// the time in which runs are decoded.
bool are_uniform_rows(Bytes levels, std::uint64_t num_rows, std::uint64_t values_a_row) {
  ByteWriter row;
  write_varint(row, 1 << 1);
  row.u8(0);
  write_varint(row, (values_a_row - 1) << 1);
  row.u8(1);
  return values_a_row > 1 && levels.size() == num_rows * row.size() &&
         std::ranges::equal(levels.first(row.size()), row.view()) &&
         std::memcmp(levels.data(), levels.data() + row.size(), levels.size() - row.size()) == 0;
}

/// Returns UUIDs of 16 bytes in their usual form: 8-4-4-4-12 hex digits.
Strings uuid_texts(Bytes uuids) {
  constexpr std::size_t bytes = 16;
  constexpr std::size_t characters = 36;
  Strings texts;
  texts.owned.reserve(uuids.size() / bytes * characters);
  for (; !uuids.empty(); uuids = uuids.subspan(bytes)) {
    std::string text = to_hex(uuids.first(bytes));
    for (const std::size_t at : {8U, 13U, 18U, 23U}) text.insert(at, 1, '-');
    const Bytes added = as_bytes(text);
    texts.owned.insert(texts.owned.end(), added.begin(), added.end());
  }
  for (Bytes rest = texts.owned; !rest.empty(); rest = rest.subspan(characters))
    texts.views.push_back(as_text(rest.first(characters)));
  return texts;
}

/// Returns where the footer of a file begins.
Result<std::uint64_t> find_footer(Bytes file) {
  const auto bad = [](std::uint64_t offset, ErrorCode code, std::string what) {
    return fail_at(offset, code, std::move(what));
  };
  if (file.size() < magic.size() + tail_bytes)
    return bad(0, ErrorCode::file_too_short,
               fmt::format("the file has {} bytes, too few for a Parquet file", file.size()));
  if (as_text(file.first(magic.size())) != magic)
    return bad(0, ErrorCode::bad_magic, "the file does not begin with PAR1");
  const std::uint64_t tail = file.size() - tail_bytes;
  if (as_text(file.subspan(tail + 4)) != magic)
    return bad(tail + 4, ErrorCode::bad_magic, "the file does not end with PAR1");
  const std::uint64_t size = load<std::uint32_t>(file.subspan(tail));
  if (size > tail - magic.size())
    return bad(
        tail, ErrorCode::section_out_of_bounds,
        fmt::format("the footer takes {} bytes, but the file has only {}", size, file.size()));
  return tail - size;
}

std::vector<std::string> names_of(const std::vector<Leaf>& leaves) {
  std::vector<std::string> names;
  for (const Leaf& leaf : leaves)
    if (names.empty() || names.back() != leaf.column) names.push_back(leaf.column);
  return names;
}

/// Returns true if the column is read: it has a text or a number in each row.
bool is_readable(const Leaf& leaf) noexcept {
  const bool is_float = leaf.kind == ValueKind::float16 || leaf.kind == ValueKind::float32 ||
                        leaf.kind == ValueKind::float64;
  return leaf.has_single_values() && (leaf.has_strings() || leaf.has_whole_numbers() || is_float);
}

}  // namespace

Result<std::unique_ptr<ColumnReader>> ColumnReader::open(const PagesOfFile& file, std::size_t leaf,
                                                         std::uint64_t values_a_row) {
  std::unique_ptr<ColumnReader> reader(
      new ColumnReader(file, file.metadata.leaves[leaf], values_a_row));
  for (const RowGroup& group : file.metadata.row_groups)
    EMBD_TRY(reader->find_pages(group.chunks[leaf], group.num_rows));
  return reader;
}

std::size_t ColumnReader::value_bytes() const noexcept {
  switch (leaf_.type) {
    case PhysicalType::int32:
    case PhysicalType::float32:
      return 4;
    case PhysicalType::int64:
    case PhysicalType::float64:
      return 8;
    case PhysicalType::fixed_bytes:
      return leaf_.type_length;
    default:
      return 0;
  }
}

std::unexpected<Error> ColumnReader::bad(const Page& page, ErrorCode code,
                                         const std::string& what) const {
  return fail_at(page.offset, code, "column {:?}: {}", leaf_.column, what);
}

/// Returns `result`. If it is an error, it is marked as found in the page.
template <class T>
Result<T> ColumnReader::at(const Page& page, Result<T> result) const {
  if (!result) return bad(page, result.error().code(), result.error().what());
  return result;
}

/// Returns the error for a feature that embd does not read; `what` names it.
std::unexpected<Error> ColumnReader::refuse(const Page& page, const std::string& what) const {
  return std::unexpected(
      of_sound_file(page, not_read(fmt::format("column {:?}: {}", leaf_.column, what))));
}

/// Returns the error for a row that is not as all rows must be.
std::unexpected<Error> ColumnReader::bad_row(const Page& page, std::uint64_t value, ErrorCode code,
                                             std::string_view what) const {
  return std::unexpected(
      of_sound_file(page, Error(code, fmt::format("column {:?}: row {} {}", leaf_.column,
                                                  value / values_a_row_, what))));
}

/// Returns an error about something that files of other programs may have, so no place in them is
/// at fault. A file of embd that has it is damaged, and the error gets its place.
Error ColumnReader::of_sound_file(const Page& page, Error error) const {
  return is_own_ ? std::move(error).at_offset(page.offset) : error;
}

Result<void> ColumnReader::check_chunk(const ColumnChunk& chunk, std::uint64_t num_rows) const {
  const Page start = {.offset = chunk.offset};
  if (chunk.offset < magic.size() || chunk.offset > file_.size() ||
      chunk.bytes > file_.size() - chunk.offset)
    return bad(start, ErrorCode::section_out_of_bounds,
               fmt::format("the column takes {} bytes from byte {} on, but the data has {} bytes",
                           chunk.bytes, chunk.offset, file_.size()));
  if (most_expansion(chunk.codec) == 0)
    return refuse(start, fmt::format("compression by {}", name_of(chunk.codec)));
  // Compared by division, because the product could overflow.
  if (chunk.num_values % values_a_row_ == 0 && chunk.num_values / values_a_row_ == num_rows)
    return {};
  return bad(start, ErrorCode::bad_count,
             fmt::format("there are {} values in {} rows, expected {} in each row",
                         chunk.num_values, num_rows, values_a_row_));
}

Result<void> ColumnReader::find_pages(const ColumnChunk& chunk, std::uint64_t num_rows) {
  if (num_rows == 0) return {};
  EMBD_TRY(check_chunk(chunk, num_rows));
  std::size_t dictionary = 0;
  const std::uint64_t end = chunk.offset + chunk.bytes;
  std::uint64_t offset = chunk.offset;
  for (std::uint64_t left = chunk.num_values; left > 0;) {
    if (offset == end)
      return bad({.offset = end}, ErrorCode::bad_count,
                 fmt::format("the pages have {} values too few", left));
    Page page = EMBD_TRY(read_header(offset, end));
    page.first_value = num_values_;
    page.codec = chunk.codec;
    page.dictionary = dictionary;
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
  if (!is_own_ || offset == end) return {};
  return bad({.offset = offset}, ErrorCode::trailing_bytes,
             fmt::format("{} bytes follow the last page, expected none", end - offset));
}

/// Reads the header of the page at `offset`, of which the pages of the column end at `end`.
Result<ColumnReader::Page> ColumnReader::read_header(std::uint64_t offset,
                                                     std::uint64_t end) const {
  Page page = {.offset = offset};
  std::size_t header_bytes = 0;
  page.header =
      EMBD_TRY(parse_page_header(file_.subspan(offset, end - offset), offset, header_bytes));
  page.offset = offset + header_bytes;
  if (page.header.compressed_bytes <= end - page.offset) return page;
  return bad(page, ErrorCode::section_out_of_bounds,
             fmt::format("a page takes {} bytes, but only {} are left of the column",
                         page.header.compressed_bytes, end - page.offset));
}

/// Checks what the header of a page says before anything is allocated for it. `room` is the number
/// of values that are left of the column's chunk.
Result<void> ColumnReader::check_page(const Page& page, std::uint64_t room) const {
  const PageHeader& header = page.header;
  const bool is_stored = page.codec == Codec::uncompressed;
  const bool is_plausible =
      is_stored ? header.compressed_bytes == header.uncompressed_bytes
                : header.uncompressed_bytes / most_expansion(page.codec) <= header.compressed_bytes;
  if (!is_plausible)
    return bad(
        page, ErrorCode::bad_count,
        fmt::format("a page of {} bytes is stored in {} bytes, which its compression cannot give",
                    header.uncompressed_bytes, header.compressed_bytes));
  if (!is_stored && header.uncompressed_bytes > most_page_bytes)
    return refuse(page, fmt::format("a page has {} bytes after decompression, expected at most {}",
                                    header.uncompressed_bytes, most_page_bytes));
  if (header.type == PageType::dictionary) {
    if (header.encoding == Encoding::plain || is_dictionary(header.encoding)) return {};
    return refuse(page, fmt::format("a dictionary coded by {}", name_of(header.encoding)));
  }
  if (header.num_values <= room) return check_coding(page);
  return bad(page, ErrorCode::bad_count,
             fmt::format("a page has {} values, but only {} are left of the column",
                         header.num_values, room));
}

/// Checks that the levels and values of a data page are coded in a way that is read.
Result<void> ColumnReader::check_coding(const Page& page) const {
  const PageHeader& header = page.header;
  const auto check_levels_of = [&](std::uint32_t most, Encoding encoding) -> Result<void> {
    // Writers name any encoding for levels that a column does not have.
    if (most == 0 || encoding == Encoding::rle) return {};
    return refuse(page, fmt::format("levels coded by {}", name_of(encoding)));
  };
  EMBD_TRY(check_levels_of(leaf_.most_definition, header.definition));
  EMBD_TRY(check_levels_of(leaf_.most_repetition, header.repetition));
  const bool has_bytes = leaf_.type == PhysicalType::byte_array;
  const bool has_fixed_bytes = leaf_.type == PhysicalType::fixed_bytes;
  const bool has_integers = leaf_.type == PhysicalType::int32 || leaf_.type == PhysicalType::int64;
  const bool is_known =
      header.encoding == Encoding::plain ||
      (is_dictionary(header.encoding) && page.dictionary != 0) ||
      (header.encoding == Encoding::byte_stream_split && value_bytes() != 0) ||
      (header.encoding == Encoding::delta_binary_packed && has_integers) ||
      (header.encoding == Encoding::delta_length_byte_array && has_bytes) ||
      (header.encoding == Encoding::delta_byte_array && (has_bytes || has_fixed_bytes));
  if (!is_known) return refuse(page, fmt::format("values coded by {}", name_of(header.encoding)));
  // Values of these encodings take bytes; a few bytes can stand for any number of others.
  const bool takes_bytes = !has_bytes && (header.encoding == Encoding::plain ||
                                          header.encoding == Encoding::byte_stream_split);
  constexpr std::uint32_t most_page_values = std::uint32_t{1} << 26;  // No program writes more.
  if (takes_bytes || header.num_values <= most_page_values) return {};
  return refuse(page, fmt::format("a page of {} values", header.num_values));
}

/// Returns true for the pages of plain numbers in a file of embd. They are read as they lie in the
/// mapped file, and only verify() compares their checksums, which would take longer than reading.
bool ColumnReader::is_mapped(const Page& page) const noexcept {
  return is_own_ && page.codec == Codec::uncompressed && page.header.encoding == Encoding::plain &&
         !leaf_.has_strings();
}

Result<void> ColumnReader::check_checksum(const Page& page) const {
  const std::optional<std::uint32_t> expected = page.header.crc;
  if (!expected || crc32(file_.subspan(page.offset, page.header.compressed_bytes)) == *expected)
    return {};
  return bad(page, ErrorCode::checksum_mismatch,
             "the CRC-32 of a page differs from that in the file");
}

Result<void> ColumnReader::verify() const {
  for (std::size_t place = 0; place < pages_.size(); ++place) {
    if (is_mapped(pages_[place])) EMBD_TRY(check_checksum(pages_[place]));
    EMBD_TRY(content_of(place));
  }
  return {};
}

Result<ColumnReader::PageValues> ColumnReader::page_with(std::uint64_t value) const {
  const auto behind = std::ranges::upper_bound(pages_, value, {}, &Page::first_value);
  const auto place = static_cast<std::size_t>(behind - pages_.begin()) - 1;
  Content content = EMBD_TRY(content_of(place));
  return PageValues{std::move(content), pages_[place].first_value, pages_[place].header.num_values};
}

Result<ColumnReader::Content> ColumnReader::content_of(std::size_t place) const {
  {
    const std::lock_guard lock(mutex_);
    if (page_.place == place) return page_.content;
  }
  auto content = std::make_shared<const PageContent>(EMBD_TRY(decode(pages_[place])));
  const std::lock_guard lock(mutex_);
  page_ = {place, content};
  return content;
}

Result<ColumnReader::Content> ColumnReader::dictionary_of(std::size_t place) const {
  {
    const std::lock_guard lock(mutex_);
    if (dictionary_.place == place) return dictionary_.content;
  }
  Page page = dictionaries_[place - 1];
  page.header.encoding = Encoding::plain;  // Older programs call it PLAIN_DICTIONARY.
  Parts parts = EMBD_TRY(parts_of(page));
  auto content =
      std::make_shared<const PageContent>(EMBD_TRY(decode_values(page, std::move(parts))));
  const std::lock_guard lock(mutex_);
  dictionary_ = {place, content};
  return content;
}

Result<PageContent> ColumnReader::decode(const Page& page) const {
  Parts parts = EMBD_TRY(parts_of(page));
  EMBD_TRY(check_levels(page, parts));
  return decode_values(page, std::move(parts));
}

/// Returns the parts of a page of either version.
Result<ColumnReader::Parts> ColumnReader::parts_of(const Page& page) const {
  if (!is_mapped(page)) EMBD_TRY(check_checksum(page));
  Parts parts;
  EMBD_TRY(at(page, split(page, parts)));
  return parts;
}

/// Decompresses a page and separates its levels, which are not compressed in version 2.
Result<void> ColumnReader::split(const Page& page, Parts& parts) const {
  const PageHeader& header = page.header;
  Bytes stored = file_.subspan(page.offset, header.compressed_bytes);
  std::uint64_t size = header.uncompressed_bytes;
  if (header.type == PageType::data_v2) {
    parts.repetition = EMBD_TRY(take(stored, header.repetition_bytes));
    parts.definition = EMBD_TRY(take(stored, header.definition_bytes));
    const std::uint64_t levels = parts.repetition.size() + parts.definition.size();
    if (levels > size)
      return fail(ErrorCode::bad_count,
                  "the repetition and definition levels of a page are longer than the page");
    size -= levels;
  }
  parts.values = stored;
  if (page.codec != Codec::uncompressed && header.is_compressed && !stored.empty()) {
    parts.decompressed = EMBD_TRY(decompress_page(page.codec, stored, size));
    parts.values = parts.decompressed;
  }
  if (header.type != PageType::data) return {};
  if (leaf_.most_repetition > 0) parts.repetition = EMBD_TRY(take_levels(parts.values));
  if (leaf_.most_definition > 0) parts.definition = EMBD_TRY(take_levels(parts.values));
  return {};
}

Result<void> ColumnReader::check_levels(const Page& page, const Parts& parts) const {
  if (leaf_.most_definition > 0) EMBD_TRY(check_definition(page, parts.definition));
  if (leaf_.most_repetition > 0) EMBD_TRY(check_repetition(page, parts.repetition));
  return {};
}

/// Checks that all entries have a value.
Result<void> ColumnReader::check_definition(const Page& page, Bytes levels) const {
  HybridReader in(levels, bits_for(leaf_.most_definition));
  for (std::uint64_t i = 0; i < page.header.num_values;) {
    const HybridReader::Run run = EMBD_TRY(at(page, in.next()));
    if (run.value != leaf_.most_definition)
      return bad_row(page, page.first_value + i, ErrorCode::missing,
                     "has a missing value (rows are counted from 0), expected none: leave such "
                     "rows out, or give them a value");
    i += run.length;
  }
  return {};
}

/// Checks that lists begin where rows begin.
Result<void> ColumnReader::check_repetition(const Page& page, Bytes levels) const {
  std::uint64_t place = page.first_value % values_a_row_;  // of the next value in its row
  if (place == 0 && page.header.num_values % values_a_row_ == 0 && leaf_.most_repetition == 1 &&
      are_uniform_rows(levels, page.header.num_values / values_a_row_, values_a_row_))
    return {};
  HybridReader in(levels, bits_for(leaf_.most_repetition));
  for (std::uint64_t i = 0; i < page.header.num_values;) {
    const HybridReader::Run run = EMBD_TRY(at(page, in.next()));
    const std::uint64_t length = std::min(run.length, page.header.num_values - i);
    const bool begins = run.value == 0;
    const bool fits = begins ? place == 0 && (length == 1 || values_a_row_ == 1)
                             : place != 0 && length <= values_a_row_ - place;
    if (!fits)
      return bad_row(
          page, page.first_value + i, ErrorCode::bad_count,
          fmt::format("does not have {} values, as is expected of all rows", values_a_row_));
    place = (place + length) % values_a_row_;
    i += length;
  }
  return {};
}

Result<PageContent> ColumnReader::decode_values(const Page& page, Parts parts) const {
  PageContent content;
  content.decompressed = std::move(parts.decompressed);
  if (is_dictionary(page.header.encoding)) {
    EMBD_TRY(decode_references(page, parts.values, content));
  } else if (leaf_.kind == ValueKind::text) {
    EMBD_TRY(decode_strings(page, parts.values, content));
  } else {
    EMBD_TRY(decode_numbers(page, parts.values, content));
    if (leaf_.kind == ValueKind::uuid) content.strings = uuid_texts(content.numbers);
  }
  return content;
}

Result<void> ColumnReader::decode_numbers(const Page& page, Bytes values,
                                          PageContent& content) const {
  const std::size_t width = value_bytes();
  const std::uint64_t count = page.header.num_values;
  if (page.header.encoding == Encoding::delta_binary_packed) {
    ByteReader in(values);
    const auto numbers = EMBD_TRY(at(page, read_differences(in, count)));
    content.decoded.reserve(count * width);
    for (const std::int64_t number : numbers) {
      const Bytes bytes = std::as_bytes(std::span(&number, 1)).first(width);
      content.decoded.insert(content.decoded.end(), bytes.begin(), bytes.end());
    }
    values = content.decoded;
  } else if (page.header.encoding == Encoding::delta_byte_array) {
    Strings strings = EMBD_TRY(at(page, read_strings_with_prefixes(values, count)));
    const auto has_width = [&](std::string_view value) { return value.size() == width; };
    if (!std::ranges::all_of(strings.views, has_width))
      return bad(page, ErrorCode::bad_count, fmt::format("a value does not have {} bytes", width));
    content.decoded = std::move(strings.owned);
    values = content.decoded;
  }
  if (values.size() != count * width)
    return bad(page, ErrorCode::bad_count,
               fmt::format("{} bytes of values, expected {}", values.size(), count * width));
  if (page.header.encoding == Encoding::byte_stream_split) {
    content.decoded = join_streams(values, width);
    values = content.decoded;
  }
  content.numbers = values;
  return {};
}

Result<void> ColumnReader::decode_strings(const Page& page, Bytes values,
                                          PageContent& content) const {
  const auto read = page.header.encoding == Encoding::delta_byte_array ? read_strings_with_prefixes
                    : page.header.encoding == Encoding::delta_length_byte_array
                        ? read_strings_with_lengths
                        : read_plain_strings;
  content.strings = EMBD_TRY(at(page, read(values, page.header.num_values)));
  const auto is_bad = [](std::string_view text) { return find_invalid_utf8(text).has_value(); };
  const auto& views = content.strings.views;
  const auto found = std::ranges::find_if(views, is_bad);
  if (found != views.end())
    return bad(page, ErrorCode::invalid_utf8,
               fmt::format("string {} of a page is not valid UTF-8 (counted from 0)",
                           found - views.begin()));
  return {};
}

/// Decodes values that are references to a dictionary.
Result<void> ColumnReader::decode_references(const Page& page, Bytes values,
                                             PageContent& content) const {
  content.dictionary = EMBD_TRY(dictionary_of(page.dictionary));
  const std::size_t width = value_bytes();
  const auto& strings = content.dictionary->strings.views;
  const Bytes numbers = content.dictionary->numbers;
  const std::size_t size = leaf_.has_strings() ? strings.size() : numbers.size() / width;
  constexpr unsigned most_bits = 32;
  if (values.empty() || static_cast<unsigned>(values[0]) > most_bits)
    return bad(page, ErrorCode::bad_count,
               "a page of references to a dictionary does not begin with their number of bits");
  HybridReader in(values.subspan(1), static_cast<unsigned>(values[0]));
  for (std::uint64_t i = 0; i < page.header.num_values;) {
    const HybridReader::Run run = EMBD_TRY(at(page, in.next()));
    if (run.value >= size)
      return bad(page, ErrorCode::bad_value,
                 fmt::format("a value refers to entry {} of a dictionary, but the dictionary has "
                             "{} entries, counted from 0",
                             run.value, size));
    const std::uint64_t length = std::min(run.length, page.header.num_values - i);
    i += length;
    if (leaf_.has_strings()) {
      content.strings.views.insert(content.strings.views.end(), length, strings[run.value]);
      continue;
    }
    const Bytes value = numbers.subspan(run.value * width, width);
    for (std::uint64_t j = 0; j < length; ++j)
      content.decoded.insert(content.decoded.end(), value.begin(), value.end());
  }
  content.numbers = content.decoded;
  return {};
}

Result<ParquetFile> ParquetFile::open(const std::filesystem::path& path) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  const Bytes bytes = file.bytes();
  const std::uint64_t data_end = EMBD_TRY(in_file(path, find_footer(bytes)));
  const Bytes footer = bytes.subspan(data_end, bytes.size() - tail_bytes - data_end);
  FileMetadata metadata = EMBD_TRY(in_file(path, parse_footer(footer, data_end)));
  return ParquetFile(std::move(file), data_end, std::move(metadata));
}

Result<std::size_t> ParquetFile::leaf_of(std::string_view name) const {
  const auto& leaves = metadata_.leaves;
  const auto found = std::ranges::find(leaves, name, &Leaf::column);
  if (found == leaves.end())
    return fail(ErrorCode::missing, "no column is named {:?}, expected one of {}", name,
                quoted_names(names_of(leaves)));
  const auto num_leaves = std::ranges::count(leaves, name, &Leaf::column);
  if (static_cast<std::size_t>(num_leaves) > found->leaves)
    return fail(ErrorCode::duplicate,
                "two columns are named {:?}, expected a different name for each column", name);
  if (!is_readable(*found))
    return fail(ErrorCode::bad_type,
                "column {:?} does not hold one text or one number in each row, "
                "expected such a column: its type is {}",
                name, found->type_name());
  return static_cast<std::size_t>(found - leaves.begin());
}

Result<std::unique_ptr<ColumnReader>> ParquetFile::open_column(std::string_view name) const {
  const auto open = [&]() -> Result<std::unique_ptr<ColumnReader>> {
    return open_leaf(EMBD_TRY(leaf_of(name)), 1);
  };
  return in_file(path(), open());
}

Result<std::unique_ptr<ColumnReader>> ParquetFile::open_ids(std::string_view name) const {
  const auto found = std::ranges::find(metadata_.leaves, name, &Leaf::column);
  if (found == metadata_.leaves.end() ||
      (found->has_single_values() && (found->has_strings() || found->has_whole_numbers())))
    return open_column(name);
  return fail_in(path(), ErrorCode::bad_type,
                 "column {:?} has values of the type {}, expected ids: whole numbers, "
                 "texts or UUIDs",
                 name, found->type_name());
}

Result<std::unique_ptr<ColumnReader>> ParquetFile::open_leaf(std::size_t leaf,
                                                             std::uint64_t values_a_row) const {
  return ColumnReader::open({.bytes = bytes().first(data_end_), .metadata = metadata_}, leaf,
                            values_a_row);
}

}  // namespace embd::parquet
