#include "jobs/collect/file_table.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/try.h"
#include "formats/vectors/parquet/parquet_file.h"
#include "jobs/outputs/row_table.h"

namespace embd::collection {
namespace {

namespace fs = std::filesystem;

struct NumberMember {
  const char* column;
  std::int64_t FileEntry::* member;
};
constexpr NumberMember number_members[] = {{"size", &FileEntry::size},
                                           {"modified_ns", &FileEntry::modified},
                                           {"checked_ns", &FileEntry::checked},
                                           {"first_row", &FileEntry::first_row},
                                           {"num_rows", &FileEntry::num_rows}};
struct TextMember {
  const char* column;
  std::string FileEntry::* member;
};
constexpr TextMember text_members[] = {{"file", &FileEntry::name}, {"sha256", &FileEntry::sha256}};

std::vector<TableColumn> columns_of(std::span<const FileEntry> entries) {
  std::vector<TableColumn> columns;
  for (const auto& [column, member] : text_members) {
    std::vector<std::string> values;
    for (const FileEntry& entry : entries) values.push_back(entry.*member);
    columns.push_back({column, std::move(values)});
  }
  for (const auto& [column, member] : number_members) {
    std::vector<std::int64_t> values;
    for (const FileEntry& entry : entries) values.push_back(entry.*member);
    columns.push_back({column, std::move(values)});
  }
  return columns;
}

Result<void> read_numbers(const parquet::ParquetFile& file, const NumberMember& number,
                          std::vector<FileEntry>& entries) {
  const auto column = EMBD_TRY(file.open_column(number.column));
  if (!column->leaf().has_whole_numbers() || column->value_bytes() != sizeof(std::int64_t))
    return fail(ErrorCode::bad_type, "the column {:?} has no numbers of 64 bits", number.column);
  return column->read(0, entries.size(),
                      [&](const parquet::PageContent& page, std::uint64_t first,
                          std::uint64_t count, std::uint64_t row) {
                        for (std::uint64_t i = 0; i < count; ++i)
                          entries[row + i].*number.member = load<std::int64_t>(
                              page.numbers.subspan(sizeof(std::int64_t) * (first + i)));
                      });
}

Result<void> read_texts(const parquet::ParquetFile& file, const TextMember& text,
                        std::vector<FileEntry>& entries) {
  const auto column = EMBD_TRY(file.open_column(text.column));
  if (!column->leaf().has_strings())
    return fail(ErrorCode::bad_type, "the column {:?} has no strings", text.column);
  return column->read(0, entries.size(),
                      [&](const parquet::PageContent& page, std::uint64_t first,
                          std::uint64_t count, std::uint64_t row) {
                        for (std::uint64_t i = 0; i < count; ++i)
                          entries[row + i].*text.member =
                              std::string(page.strings.views[first + i]);
                      });
}

Result<void> check(std::span<const FileEntry> entries) {
  std::int64_t row = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FileEntry& entry = entries[i];
    if (i > 0 && entries[i - 1].name >= entry.name)
      return fail(ErrorCode::bad_value, "the file {:?} is not in order", entry.name);
    if (entry.first_row != row || entry.num_rows < 0 ||
        __builtin_add_overflow(row, entry.num_rows, &row))
      return fail(ErrorCode::bad_value, "the rows of {:?} do not follow those of the file before",
                  entry.name);
  }
  return {};
}

}  // namespace

std::int64_t nanoseconds_of(const FileTime& time) noexcept {
  constexpr std::uint64_t a_second = 1'000'000'000;
  // Wraps around for times beyond the year 2262, which only need to stay the same.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time.seconds) * a_second +
                                   static_cast<std::uint64_t>(time.nanoseconds));
}

Result<void> write_file_table(const fs::path& path, std::span<const FileEntry> entries) {
  const auto table = EMBD_TRY(create_table(path, columns_of({})));
  for (std::size_t first = 0; first < entries.size(); first += RowTable::rows_at_once) {
    const std::size_t count = std::min<std::size_t>(RowTable::rows_at_once, entries.size() - first);
    EMBD_TRY(table->append(columns_of(entries.subspan(first, count))));
  }
  EMBD_TRY(table->prepare());
  return table->finish();
}

Result<std::vector<FileEntry>> read_file_table(const fs::path& path) {
  const auto file = EMBD_TRY(parquet::ParquetFile::open(path));
  return in_file(path, [&]() -> Result<std::vector<FileEntry>> {
    std::vector<FileEntry> entries(file.metadata().num_rows);
    for (const NumberMember& number : number_members) EMBD_TRY(read_numbers(file, number, entries));
    for (const TextMember& text : text_members) EMBD_TRY(read_texts(file, text, entries));
    EMBD_TRY(check(entries));
    return entries;
  }());
}

}  // namespace embd::collection
