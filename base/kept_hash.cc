#include "base/kept_hash.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/checksum.h"
#include "base/os/entries.h"
#include "base/os/file_status.h"
#include "base/os/process.h"
#include "base/paths.h"
#include "base/temporary_files.h"

namespace embd {
namespace {

constexpr std::size_t max_lines = 32;
/// The largest size of a record, more than `max_lines` lines take. A larger file is no record.
constexpr std::uint64_t max_bytes = 1 << 15;
constexpr std::size_t hash_digits = 64;

/// Returns a line "STAMP HASH CHECK", where the check is the SHA-256 of "STAMP HASH".
std::string make_line(const std::string& stamp, std::string_view hash) {
  const std::string line = stamp + ' ' + std::string(hash);
  const std::string check = sha256_hex(as_bytes(line));
  return line + ' ' + check;
}

/// Returns true if a file or folder belongs to this user and nobody else may write to it.
bool is_only_ours(const FileStatus& status) {
  constexpr unsigned others_may_write = 0022;
  return status.owner == os::user_number() && (status.permissions & others_may_write) == 0;
}

bool is_folder_ours(const std::filesystem::path& folder) {
  const auto status = os::status_of_name(folder);
  return status && status->kind == FileKind::folder && is_only_ours(*status);
}

/// Returns the lines of the record; none if there is no record, or if it may not be used.
std::vector<std::string> read_lines(const std::filesystem::path& record) {
  if (!is_folder_ours(directory_of(record))) return {};
  const auto file = FileDescriptor::try_open(record, Opening::read_entry);
  if (!file) return {};
  const auto status = os::status_of(*file);
  if (!status || status->kind != FileKind::file || !is_only_ours(*status) ||
      status->size > max_bytes)
    return {};
  std::string text(status->size, '\0');
  if (!file->read_at(0, std::as_writable_bytes(std::span(text)), record)) return {};
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::optional<std::string> find_hash(const std::vector<std::string>& lines,
                                     const std::string& stamp) {
  for (const std::string& line : lines) {
    if (line.size() < stamp.size() + 1 + hash_digits) continue;
    std::string hash = line.substr(stamp.size() + 1, hash_digits);
    if (line == make_line(stamp, hash)) return hash;
  }
  return std::nullopt;
}

/// Writes the record with a new line before the existing ones.
void write_down(const std::filesystem::path& record, const std::string& line) {
  const std::filesystem::path folder = directory_of(record);
  (void)os::make_folder(directory_of(folder), 0700);
  (void)os::make_folder(folder, 0700);
  if (!is_folder_ours(folder)) return;
  std::string text = line + '\n';
  std::vector<std::string> others = read_lines(record);
  others.resize(std::min(others.size(), max_lines - 1));
  for (const std::string& other : others) text += other + '\n';

  // The file is not synced. After a crash its lines are not used, because stamps name the start of
  // the system.
  const auto temporary = create_temporary_file(record);
  if (!temporary) return;
  const bool is_whole = temporary->descriptor.set_permissions(0600).has_value() &&
                        temporary->descriptor.write(as_bytes(text), record).has_value();
  if (!is_whole || !os::rename(temporary->path, record)) (void)os::remove_file(temporary->path);
}

}  // namespace

std::string kept_hash(const std::filesystem::path& record, const FileDescriptor& file,
                      const std::function<std::string()>& make_hash, std::string_view also) {
  const auto whole_stamp = [&] {
    std::optional<std::string> stamp = stamp_of(file);
    if (stamp && !also.empty()) *stamp += ' ' + std::string(also);
    return stamp;
  };
  const std::optional<std::string> stamp = whole_stamp();
  if (!stamp) return make_hash();
  if (auto known = find_hash(read_lines(record), *stamp)) return *std::move(known);
  // The file must be at rest before it is hashed. Whoever changes the file after that changes its
  // stamp.
  const bool at_rest = is_at_rest(file);
  std::string hash = make_hash();
  if (at_rest && whole_stamp() == stamp) write_down(record, make_line(*stamp, hash));
  return hash;
}

}  // namespace embd
