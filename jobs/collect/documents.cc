#include "jobs/collect/documents.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/split.h"
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

namespace {

/// Returns true if `path` is `folder` or in it. Both are absolute and without symbolic links.
bool is_in(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// Returns the name of a document: that of its root, and its path in it.
std::string name_of(const CollectionRoot& root, const fs::path& path) {
  if (path == root.path) return root.name;
  const std::string inside =
      generic_text_of_path(path).substr(generic_text_of_path(root.path).size() + 1);
  return root.name.empty() ? inside : root.name + "/" + inside;
}

Result<CollectionRoot> root_at(const fs::path& named) {
  EMBD_TRY(result_of("open", named, os::status_of(named)));
  std::error_code error;
  CollectionRoot root;
  root.path = fs::canonical(named, error);
  if (error) return fail_in(named, ErrorCode::io_failed, error.message());
  root.name = generic_text_of_path(without_trailing_slash(named.lexically_normal()));
  if (root.name == ".") root.name.clear();
  if (!find_invalid_utf8(text_of_path(root.path)) && !find_invalid_utf8(root.name)) return root;
  return fail_in(named, ErrorCode::invalid_argument,
                 "the path is not UTF-8, which a collection records: rename the folder");
}

}  // namespace

Result<std::vector<CollectionRoot>> with_roots(std::vector<CollectionRoot> roots,
                                               std::span<const fs::path> named) {
  for (const fs::path& path : named) {
    CollectionRoot added = EMBD_TRY(root_at(path));
    if (std::ranges::find(roots, added.path, &CollectionRoot::path) != roots.end()) continue;
    for (const CollectionRoot& root : roots) {
      if (is_in(added.path, root.path) || is_in(root.path, added.path))
        return fail_in(path, ErrorCode::invalid_argument,
                       "one of this path and {} contains the other, so its documents would be in "
                       "the collection twice",
                       text_of_path(root.path));
      if (added.name == root.name)
        return fail_in(path, ErrorCode::invalid_argument,
                       "the collection has another root of this name, {}: name the absolute path",
                       text_of_path(root.path));
    }
    roots.push_back(std::move(added));
  }
  if (!roots.empty()) return roots;
  return fail(ErrorCode::invalid_argument,
              "no folder of documents was named, expected at least one for a new collection");
}

Result<std::vector<FoundDocument>> documents_in(std::span<const CollectionRoot> roots,
                                                const std::function<void(const Error&)>& on_skip) {
  std::vector<FoundDocument> found;
  for (const CollectionRoot& root : roots) {
    EMBD_TRY(result_of("open", root.path, os::status_of(root.path)));
    auto files = document_files({&root.path, 1}, on_skip);
    // A folder without documents, which is no mistake if it had some before.
    if (!files && files.error().code() == ErrorCode::missing) continue;
    for (fs::path& path : EMBD_TRY(std::move(files))) {
      const auto status = os::status_of(path);
      if (!status) continue;  // It was removed meanwhile.
      FileEntry entry = {.name = name_of(root, path),
                         .size = static_cast<std::int64_t>(status->size),
                         .modified = nanoseconds_of(status->modified)};
      if (find_invalid_utf8(entry.name)) {
        if (on_skip)
          on_skip(
              fail_in(path, ErrorCode::unsupported, "the name of the file is not UTF-8").error());
        continue;
      }
      found.push_back({std::move(entry), std::move(path)});
    }
  }
  std::ranges::sort(
      found, {}, [](const FoundDocument& file) -> const std::string& { return file.entry.name; });
  return found;
}

fs::path path_of(const std::string& name, std::span<const CollectionRoot> roots) {
  const CollectionRoot* best = nullptr;
  for (const CollectionRoot& root : roots) {
    const bool has_it = root.name.empty() || name == root.name || name.starts_with(root.name + "/");
    if (has_it && (best == nullptr || best->name.size() < root.name.size())) best = &root;
  }
  if (best == nullptr) return {};
  if (name == best->name) return best->path;
  const fs::path inside = path_of_text(name.substr(best->name.empty() ? 0 : best->name.size() + 1));
  const bool leads_out = inside.has_root_path() || std::ranges::find(inside, "..") != inside.end();
  return leads_out ? fs::path() : best->path / inside;
}

Result<fs::path> checked_path_of(const std::string& name, std::span<const CollectionRoot> roots) {
  const fs::path path = path_of(name, roots);
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  if (path.empty() || error)
    return fail_in(name, ErrorCode::not_found, "the document is gone since it was collected");
  for (const CollectionRoot& root : roots)
    if (is_in(real, root.path)) return real;
  return fail_in(name, ErrorCode::invalid_argument,
                 "a symbolic link leads the document out of the folders of the collection");
}

}  // namespace embd::collection
