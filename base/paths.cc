#include "base/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/os/entries.h"
#include "base/os/file_descriptor.h"
#include "base/os/open_files.h"
#include "base/path_text.h"
#include "base/system_error.h"
#include "base/temporary_files.h"
#include "base/try.h"

namespace embd {
namespace {

bool is_listed_as_open(const std::filesystem::path& path) {
  std::error_code error;
  const auto parent = std::filesystem::canonical(directory_of(path), error);
  return !error && os::lists_open_files(parent);
}

namespace fs = std::filesystem;

std::vector<FileIdentity> folders_of(const fs::path& path) {
  std::vector<FileIdentity> folders;
  std::error_code error;
  fs::path folder = fs::canonical(directory_of(path), error);
  while (!error) {
    if (const auto identity = identity_of(folder)) folders.push_back(*identity);
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return folders;
}

}  // namespace

std::filesystem::path without_trailing_slash(const std::filesystem::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

std::filesystem::path path_beside(const std::filesystem::path& path, std::string_view suffix) {
  std::filesystem::path beside = without_trailing_slash(path);
  return beside += path_of_text(suffix);
}

std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // as the system follows
  std::error_code error;
  for (int i = 0; i < most_links; ++i) {
    const auto parent = std::filesystem::canonical(directory_of(path), error);
    if (error || os::lists_open_files(parent)) break;
    const auto target = std::filesystem::read_symlink(parent / path.filename(), error);
    if (error) break;
    path = parent / target;
  }
  return path;
}

bool is_written_in_place(const std::filesystem::path& path) {
  const auto status = os::status_of(path);
  if (!status || status->kind == FileKind::folder) return false;
  return status->kind != FileKind::file || is_listed_as_open(follow_links(path));
}

std::optional<int> open_file_number(const std::filesystem::path& path) {
  const std::filesystem::path last = follow_links(path);
  std::error_code error;
  const auto parent = std::filesystem::canonical(directory_of(last), error);
  if (error) return std::nullopt;
  return os::open_file_number(parent, last.filename());
}

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

Result<void> sync_directory_of(const std::filesystem::path& path) {
  const FileDescriptor directory =
      EMBD_TRY(FileDescriptor::open(directory_of(path), Opening::read_folder));
  // Some file systems cannot sync a directory; the rename itself has happened.
  (void)directory.sync();
  return {};
}

Result<void> exchange_directory(const std::filesystem::path& to,
                                const std::filesystem::path& from) {
  const auto exchanged = os::exchange(from, to);
  if (exchanged) return {};
  // Nothing is there, or the file system cannot exchange two names: what is there, a directory or a
  // file, is moved aside into a directory.
  TemporaryFolder aside;
  if (exchanged.error() != std::errc::no_such_file_or_directory) {
    aside = EMBD_TRY(TemporaryFolder::create(to));
    const auto moved = os::rename(to, aside.path() / "old");
    EMBD_TRY(result_of("replace", to, moved));
  }
  const auto moved = os::rename(from, to);
  // The old output must not be removed with the folder if it cannot have its name back.
  if (!moved && !aside.empty() && !os::rename(aside.path() / "old", to)) (void)aside.release();
  return result_of("rename", to, moved);
}

void remove_if_possible(const std::filesystem::path& path) noexcept {
  (void)os::remove_tree(path);  // The next run removes what is left.
}

void PathRoles::reads(const std::string& role, const fs::path& path) {
  if (!path.empty() && path != "-") add(role, path, Use::read);
}

void PathRoles::reads_folder(const std::string& role, const fs::path& path) {
  if (!path.empty()) add(role, path, Use::read_folder);
}

void PathRoles::writes(const std::string& role, const fs::path& path) {
  if (!path.empty()) add(role, path, Use::write);
}

void PathRoles::add(const std::string& role, const fs::path& path, Use use) {
  const fs::path end = follow_links(without_trailing_slash(path));
  entries_.push_back({.role = role,
                      .path = path,
                      .use = use,
                      .place = place_of(path, use),
                      .folders = folders_of(end)});
}

std::optional<PathRoles::Place> PathRoles::place_of(const fs::path& path, Use use) {
  const bool is_standard_output = use == Use::write && path == "-";
  if (const auto status =
          is_standard_output ? os::status_of_standard_output() : os::status_of(path)) {
    // A terminal or /dev/null takes everything, and may be read and written at once.
    if (status->kind == FileKind::character_device) return std::nullopt;
    return Place{.file = status->identity, .name = {}};
  }
  const fs::path end = follow_links(without_trailing_slash(path));
  const auto folder = identity_of(directory_of(end));
  // A file whose folder does not exist cannot be created. The code that tries reports the error.
  if (is_standard_output || !folder) return std::nullopt;
  return Place{.file = *folder, .name = text_of_path(end.filename())};
}

bool PathRoles::collide(const Entry& written, const Entry& other) {
  if (!written.place) return false;
  if (other.place && *written.place == *other.place) return true;
  const auto lies_in = [](const Entry& inner, const Entry& outer) {
    return outer.place && outer.place->name.empty() &&
           std::ranges::find(inner.folders, outer.place->file) != inner.folders.end();
  };
  if (lies_in(other, written)) return true;
  // A new file in a folder that is read is not one of the files that are read.
  return other.use == Use::read_folder && written.place->name.empty() && lies_in(written, other);
}

Result<void> PathRoles::check() const {
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    for (auto before = entries_.begin(); before != entry; ++before) {
      const bool wrong = (entry->use == Use::write && collide(*entry, *before)) ||
                         (before->use == Use::write && collide(*before, *entry));
      if (!wrong) continue;
      return fail(ErrorCode::invalid_argument,
                  "{} {} and {} {} are the same file, or one is inside the other, expected an "
                  "output that is no other file",
                  before->role, text_of_path(before->path), entry->role, text_of_path(entry->path));
    }
  }
  return {};
}

}  // namespace embd
