#include "jobs/embed/journal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/checksum.h"
#include "base/json.h"
#include "base/os/entries.h"
#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/temporary_files.h"
#include "base/try.h"

namespace embd {
namespace {

// Header: magic, u32 length and u32 CRC-32 of the conditions, which are a JSON object.
constexpr std::string_view header_magic = "EMBDJRN3";
constexpr std::size_t header_bytes = 16;
/// The size below which a file may be a header that was cut off. Conditions have a few kilobytes.
constexpr std::uint64_t most_cut_header_bytes = 1 << 20;

// Block: u32 magic, u32 CRC-32 of the payload, u64 its length, the payload.
constexpr std::uint32_t block_magic = 0x4B434C42;  // "BLCK"
constexpr std::size_t block_header_bytes = 16;

// Payload: the source, the notes, the ids, the texts, the files, the further fields, zeros up to a
// multiple of four, and the values.

/// Flags for the strings that a block has for each row.
constexpr std::uint8_t has_texts = 1;
constexpr std::uint8_t has_files = 2;

void put_strings(const std::vector<std::string>& strings, ByteWriter& out) {
  for (const std::string& string : strings) {
    out.u64(string.size());
    out.text(string);
  }
}

Result<std::vector<std::string>> get_strings(ByteReader& in, std::uint64_t count) {
  std::vector<std::string> strings;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t size = EMBD_TRY(in.u64("string length"));
    strings.emplace_back(as_text(EMBD_TRY(in.bytes(size, "string"))));
  }
  return strings;
}

void put_place(const TextPlace& place, ByteWriter& out) {
  for (const std::size_t value :
       {place.bytes.begin, place.bytes.end, place.characters.begin, place.characters.end})
    out.u64(value);
}

Result<TextPlace> get_place(ByteReader& in) {
  TextPlace place;
  for (std::size_t* value :
       {&place.bytes.begin, &place.bytes.end, &place.characters.begin, &place.characters.end})
    *value = EMBD_TRY(in.u64("place in the text"));
  return place;
}

void put_batch(const RowBatch& batch, const Journal::Source& source, ByteWriter& out) {
  out.u64(source.num_records);
  out.bytes(source.hash);
  out.u64(batch.notes.size());
  out.u8(static_cast<std::uint8_t>(batch.ids.index()));
  out.u8((batch.texts.empty() ? 0 : has_texts) | (batch.files.empty() ? 0 : has_files));
  out.u8(batch.fields.empty() ? 0 : 1);
  for (const RowNote& note : batch.notes) {
    out.u64(note.line);
    out.u32(note.tokens);
    out.u32(note.window);
    out.u32(note.windows);
    out.u8(note.truncated ? 1 : 0);
    out.u8(note.is_blank ? 1 : 0);
    out.u8(note.place ? 1 : 0);
    if (note.place) put_place(*note.place, out);
  }
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&batch.ids))
    for (const std::uint64_t number : *numbers) out.u64(number);
  if (const auto* strings = std::get_if<std::vector<std::string>>(&batch.ids))
    put_strings(*strings, out);
  put_strings(batch.texts, out);
  put_strings(batch.files, out);
  put_strings(batch.fields, out);
  out.zeros((4 - out.size() % 4) % 4);
}

Result<Ids> get_ids(ByteReader& in, std::uint8_t kind, std::uint64_t count) {
  if (kind == Ids(std::vector<std::string>()).index()) return EMBD_TRY(get_strings(in, count));
  if (kind == Ids(std::monostate()).index()) return Ids();
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(EMBD_TRY(in.u64("id")));
  return numbers;
}

/// Reads the payload of a block. The rows of the batch are a view of `payload`.
Result<RowBatch> get_batch(Bytes payload, std::uint64_t dim, Journal::Source& source) {
  ByteReader in(payload);
  source.num_records = EMBD_TRY(in.u64("records"));
  std::ranges::copy(EMBD_TRY(in.bytes(source.hash.size(), "hash")), source.hash.begin());
  const std::uint64_t num_rows = EMBD_TRY(in.u64("rows"));
  const std::uint8_t id_kind = EMBD_TRY(in.u8("kind of ids"));
  const std::uint8_t strings = EMBD_TRY(in.u8("texts"));
  const bool has_fields = EMBD_TRY(in.u8("fields")) != 0;
  RowBatch batch;
  for (std::uint64_t i = 0; i < num_rows; ++i) {
    RowNote note;
    note.line = EMBD_TRY(in.u64("line"));
    note.tokens = EMBD_TRY(in.u32("tokens"));
    note.window = EMBD_TRY(in.u32("window"));
    note.windows = EMBD_TRY(in.u32("windows"));
    note.truncated = EMBD_TRY(in.u8("truncated")) != 0;
    note.is_blank = EMBD_TRY(in.u8("blank")) != 0;
    if (EMBD_TRY(in.u8("has a place")) != 0) note.place = EMBD_TRY(get_place(in));
    batch.notes.push_back(note);
  }
  batch.ids = EMBD_TRY(get_ids(in, id_kind, num_rows));
  if ((strings & has_texts) != 0) batch.texts = EMBD_TRY(get_strings(in, num_rows));
  if ((strings & has_files) != 0) batch.files = EMBD_TRY(get_strings(in, num_rows));
  if (has_fields) batch.fields = EMBD_TRY(get_strings(in, num_rows));
  EMBD_TRY(in.skip((4 - in.offset() % 4) % 4, "padding"));
  const Bytes values = EMBD_TRY(in.array(num_rows, dim * sizeof(float), "values"));
  batch.rows = {reinterpret_cast<const float*>(values.data()), num_rows, dim};
  return batch;
}

std::string as_json(const Conditions& conditions) {
  return nlohmann::json(conditions).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::filesystem::path journal_path(const std::filesystem::path& output) {
  return path_beside(output, ".journal");
}

Result<Journal> Journal::open(const std::filesystem::path& path, const Conditions& conditions,
                              std::uint64_t dim, bool force) {
  Journal journal(
      path,
      EMBD_TRY(open_locked(path, Opening::update,
                           "another process is using this journal: wait until it ends, or end it")),
      dim);
  const FileStatus status = EMBD_TRY(result_of("stat", path, os::status_of(journal.file_)));
  if (status.kind != FileKind::file)
    return fail_in(
        path, ErrorCode::io_failed,
        "the path does not name a regular file: name a file, not a directory, device or pipe");
  journal.end_ = status.size;
  if (force || EMBD_TRY(journal.ends_in_header())) {
    EMBD_TRY(journal.begin(conditions));
  } else {
    EMBD_TRY(journal.check_header(conditions));
    EMBD_TRY(journal.take_stock());
  }
  return journal;
}

Result<void> Journal::begin(const Conditions& conditions) {
  const std::string json = as_json(conditions);
  ByteWriter header;
  header.text(header_magic);
  header.u32(static_cast<std::uint32_t>(json.size()));
  header.u32(crc32(as_bytes(json)));
  header.text(json);
  EMBD_TRY(result_of("cut", path_, file_.resize(0)));
  EMBD_TRY(file_.write_at(0, header.view(), path_));
  first_block_ = end_ = header.size();
  return {};
}

Result<bool> Journal::ends_in_header() const {
  if (end_ > most_cut_header_bytes) return false;
  std::vector<std::byte> bytes(end_);
  EMBD_TRY(file_.read_at(0, bytes, path_));
  const std::string_view text = as_text(bytes);
  if (text.size() < header_magic.size()) return header_magic.starts_with(text);
  if (!text.starts_with(header_magic)) return false;
  if (text.size() < header_bytes) return true;
  const auto json_bytes = load<std::uint32_t>(Bytes(bytes).subspan(header_magic.size()));
  // If the length itself is damaged, blocks may follow. They can be told from conditions, because
  // they have bytes that are not printable.
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  return json_bytes > end_ - header_bytes &&
         std::ranges::all_of(text.substr(header_bytes), is_printable);
}

Result<void> Journal::check_header(const Conditions& conditions) const {
  const auto refuse = [this](ErrorCode code, const std::string& what) {
    return fail_in(path_, code, what);
  };
  const std::string expected = as_json(conditions);
  std::vector<std::byte> bytes(std::min<std::uint64_t>(header_bytes, end_));
  EMBD_TRY(file_.read_at(0, bytes, path_));
  if (!as_text(bytes).starts_with(header_magic) || bytes.size() < header_bytes)
    return refuse(ErrorCode::bad_magic, "the file is not a journal that embd wrote");
  ByteReader in(Bytes(bytes).subspan(header_magic.size()));
  const std::uint32_t json_bytes = EMBD_TRY(in.u32("length"));
  const std::uint32_t crc = EMBD_TRY(in.u32("checksum"));
  if (json_bytes > end_ - header_bytes)
    return refuse(ErrorCode::file_too_short, "the file ends inside the conditions of the journal");
  bytes.resize(json_bytes);
  EMBD_TRY(file_.read_at(header_bytes, bytes, path_));
  if (crc32(bytes) != crc) return refuse(ErrorCode::checksum_mismatch, "the conditions");
  if (as_text(bytes) == expected) return {};
  Conditions theirs;
  const auto json = parse_json(as_text(bytes));
  if (!json) return refuse(ErrorCode::bad_json, json.error().what());
  for (const auto& [name, value] : json->items())
    if (value.is_string()) theirs[name] = value.get<std::string>();
  return refuse(ErrorCode::recipe_mismatch,
                fmt::format("the journal was begun with another {}",
                            fmt::join(differing_names(theirs, conditions), ", ")));
}

Result<void> Journal::take_stock() {
  std::byte length[4];
  EMBD_TRY(file_.read_at(header_magic.size(), length, path_));
  first_block_ = header_bytes + load<std::uint32_t>(length);
  end_ = EMBD_TRY(scan([this](Bytes payload) -> Result<void> {
    Source source;
    const RowBatch batch = EMBD_TRY(parse(payload, source));
    sources_.push_back(source);
    num_rows_ += batch.notes.size();
    if (!batch.notes.empty()) last_ = batch.notes.back();
    return {};
  }));
  return result_of("cut", path_, file_.resize(end_));
}

std::uint32_t Journal::windows_of_unfinished_text() const noexcept {
  if (num_rows_ == 0 || last_.window + 1 >= last_.windows) return 0;
  return last_.window + 1;
}

Result<void> Journal::append(const RowBatch& batch, const Source& source) {
  ByteWriter head;
  put_batch(batch, source, head);
  const Bytes rows = std::as_bytes(batch.rows.values());
  ByteWriter block;
  block.u32(block_magic);
  block.u32(crc32(rows, crc32(head.view())));
  block.u64(head.size() + rows.size());
  block.bytes(head.view());
  EMBD_TRY(file_.write_at(end_, block.view(), path_));
  EMBD_TRY(file_.write_at(end_ + block.size(), rows, path_));
  end_ += block.size() + rows.size();
  return {};
}

Result<std::uint64_t> Journal::scan(const std::function<Result<void>(Bytes)>& use) const {
  std::vector<std::byte> payload;
  std::uint64_t offset = first_block_;
  while (end_ >= offset + block_header_bytes) {
    std::byte header[block_header_bytes];
    EMBD_TRY(file_.read_at(offset, header, path_));
    const auto size = load<std::uint64_t>(Bytes(header).subspan(8));
    if (load<std::uint32_t>(header) != block_magic || size > end_ - offset - block_header_bytes)
      break;
    payload.resize(size);
    EMBD_TRY(file_.read_at(offset + block_header_bytes, payload, path_));
    if (crc32(payload) != load<std::uint32_t>(Bytes(header).subspan(4))) break;
    EMBD_TRY(use(payload));
    offset += block_header_bytes + size;
  }
  return offset;
}

Result<RowBatch> Journal::parse(Bytes payload, Source& source) const {
  return in_file(path_, get_batch(payload, dim_, source));
}

Result<void> Journal::for_each(const std::function<Result<void>(const RowBatch&)>& use) {
  const std::uint64_t end = EMBD_TRY(scan([&](Bytes payload) -> Result<void> {
    Source source;
    return use(EMBD_TRY(parse(payload, source)));
  }));
  if (end == end_) return {};
  return std::unexpected(
      Error(ErrorCode::checksum_mismatch, "the journal was changed after it was written")
          .at_offset(end)
          .in_file(text_of_path(path_)));
}

Result<void> Journal::remove() {
  return result_of("remove", path_, os::remove_file(path_));
}

}  // namespace embd
