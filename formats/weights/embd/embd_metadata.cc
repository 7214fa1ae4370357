#include "formats/weights/embd/embd_metadata.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {

namespace layout = embd_layout;

namespace {

class MetadataParser : private EmbdParser {
 public:
  MetadataParser(Bytes file, const EmbdSection& section) : EmbdParser(file), section_(section) {}

  Result<std::vector<MetadataEntry>> parse() {
    EMBD_TRY(read_entries());
    EMBD_TRY(check_keys_distinct());
    return std::move(entries_);
  }

 private:
  Result<void> read_entries();
  Result<std::uint64_t> read_entry(std::uint64_t at, std::uint32_t i);
  Result<void> check_keys_distinct() const;

  const EmbdSection section_;
  std::vector<MetadataEntry> entries_;
};

Result<void> MetadataParser::read_entries() {
  namespace m = layout::metadata;
  if (section_.size < layout::metadata_header_bytes) {
    return fail_at(ErrorCode::metadata_size, 0, layout::header::metadata_size,
                   fmt::format("the section has {} bytes, but its header alone takes {}",
                               section_.size, layout::metadata_header_bytes));
  }
  const std::uint64_t start = section_.start;
  const auto count = field<std::uint32_t>(start, m::entry_count);
  const auto total = field<std::uint32_t>(start, m::total_size);
  const std::uint64_t entries_bytes = section_.size - layout::metadata_header_bytes;
  if (total != entries_bytes) {
    return fail_at(ErrorCode::metadata_size, start, m::total_size,
                   fmt::format("{}, but the section has room for {}", total, entries_bytes));
  }
  if (count > total / layout::metadata_entry_header_bytes) {
    return fail_at(ErrorCode::metadata_size, start, m::entry_count,
                   fmt::format("{} entries do not fit in {} bytes", count, total));
  }
  entries_.reserve(count);
  std::uint64_t at = start + layout::metadata_header_bytes;
  for (std::uint32_t i = 0; i < count; ++i) at = EMBD_TRY(read_entry(at, i));
  if (at != section_.end()) {
    return fail_at(ErrorCode::metadata_size, start, m::entry_count,
                   fmt::format("after {} entries, {} bytes are left, expected none", count,
                               section_.end() - at));
  }
  return {};
}

Result<void> MetadataParser::check_keys_distinct() const {
  const auto key = [this](std::uint32_t i) { return entries_[i].key; };
  if (const auto repeated = find_repeated(sorted_by_name(entries_.size(), key), key)) {
    const MetadataEntry& entry = entries_[repeated->first];
    return std::unexpected(
        Error(ErrorCode::metadata_duplicate_key, fmt::format("key: '{}'", printable(entry.key)))
            .at_offset(entry.value_at - entry.key.size()));
  }
  return {};
}

/// Reads an entry and returns where the next one begins.
Result<std::uint64_t> MetadataParser::read_entry(std::uint64_t at, std::uint32_t i) {
  namespace e = layout::metadata_entry;
  std::uint64_t left = section_.end() - at;
  if (left < layout::metadata_entry_header_bytes) {
    return fail_at(ErrorCode::metadata_size, section_.start, layout::metadata::entry_count,
                   fmt::format("the section ends before entry {}", i));
  }
  left -= layout::metadata_entry_header_bytes;
  const std::uint64_t key_size = field<std::uint16_t>(at, e::key_length);
  const std::uint64_t value_size = field<std::uint16_t>(at, e::value_length);
  if (key_size > left) {
    return fail_at(ErrorCode::metadata_entry_out_of_bounds, at, e::key_length,
                   fmt::format("{} bytes in entry {}, {} remain", key_size, i, left));
  }
  if (value_size > left - key_size) {
    return fail_at(ErrorCode::metadata_entry_out_of_bounds, at, e::value_length,
                   fmt::format("{} bytes in entry {}, {} remain", value_size, i, left - key_size));
  }
  const std::uint64_t key_at = at + layout::metadata_entry_header_bytes;
  const std::uint64_t value_at = key_at + key_size;
  const MetadataEntry entry{text(key_at, key_size), text(value_at, value_size), value_at};
  for (const auto& [what, part, start] :
       {std::tuple("key", entry.key, key_at), std::tuple("value", entry.value, value_at)}) {
    if (const auto bad = find_invalid_utf8(part)) {
      return std::unexpected(
          Error(ErrorCode::invalid_utf8,
                fmt::format("{} of metadata entry {} from its byte {} on", what, i, *bad))
              .at_offset(start));
    }
  }
  entries_.push_back(entry);
  return value_at + value_size;
}

}  // namespace

Result<std::vector<MetadataEntry>> read_metadata(Bytes file, const EmbdSection& section) {
  return MetadataParser(file, section).parse();
}

}  // namespace embd
