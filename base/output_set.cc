#include "base/output_set.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/os/entries.h"
#include "base/os/file_descriptor.h"
#include "base/os/process.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

/// The name of a note in the folder of a set whose main file is a directory: the inode of the new
/// directory in decimal digits, and a line end. The old and the new directory are exchanged, so
/// only the note distinguishes them.
constexpr std::string_view note_name = ".embd-inode";

/// The longest wait for the exchange of another user, whose folder cannot be locked. An exchange
/// takes milliseconds, unless its process was killed.
constexpr auto longest_wait = std::chrono::seconds(2);

fs::path commit_folder(fs::path main) {
  main += ".embd-commit.tmp";
  return main;
}

std::unexpected<Error> in_the_way(const fs::path& folder, std::string what) {
  return fail_in(folder, ErrorCode::io_failed, std::move(what));
}

/// Returns the attributes of the entry `path` itself; nullopt if nothing is there.
Result<std::optional<FileStatus>> status_at(const fs::path& path) {
  const auto status = os::status_of_name(path);
  if (!status && status.error() == std::errc::no_such_file_or_directory) return std::nullopt;
  return result_of("stat", path, status);
}

Result<bool> is_folder(const fs::path& path) {
  const auto status = EMBD_TRY(status_at(path));
  return status && status->kind == FileKind::folder;
}

/// Returns the names in a folder, in no particular order.
Result<std::vector<fs::path>> names_in(const fs::path& folder) {
  std::vector<fs::path> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename());
  if (error) return in_the_way(folder, error.message());
  return names;
}

/// Converts `done` to a Result. An entry that does not exist is no error, because another process
/// has done the operation already.
Result<void> done_by_now(std::string_view operation, const fs::path& path, os::Outcome<void> done) {
  if (!done && done.error() == std::errc::no_such_file_or_directory) return {};
  return result_of(operation, path, done);
}

/// Moves a companion to its name. An empty file marks one that is to be removed.
Result<void> put_companion(const fs::path& from, const fs::path& to) {
  const auto found = EMBD_TRY(status_at(from));
  if (found && found->kind == FileKind::file && found->size == 0) {
    EMBD_TRY(done_by_now("remove", to, os::remove_file(to)));
    return done_by_now("remove", from, os::remove_file(from));
  }
  return done_by_now("rename", to, os::rename(from, to));
}

/// Returns the inode in the note of `folder`; nullopt if there is no note.
Result<std::optional<std::uint64_t>> noted_inode(const fs::path& folder) {
  const fs::path path = folder / note_name;
  const auto note = FileDescriptor::try_open(path, Opening::read_entry);
  if (!note && note.error() == std::errc::no_such_file_or_directory) return std::nullopt;
  if (!note) return std::unexpected(system_error("open", path, note.error()));
  std::array<std::byte, 32> bytes = {};
  const std::size_t size = EMBD_TRY(note->read_some(bytes, path));
  const std::string_view text = as_text(Bytes(bytes).first(size));
  const auto inode = whole_number<std::uint64_t>(text.substr(0, text.find('\n')));
  if (!inode || text.find('\n') + 1 != text.size())
    return in_the_way(path, "expected the number of an inode and a line end");
  return *inode;
}

/// Notes the inode of the new directory, and makes sure that the note can be read.
Result<void> note_inode(const fs::path& folder, std::uint64_t inode) {
  const fs::path path = folder / note_name;
  const FileDescriptor note =
      EMBD_TRY(result_of("create", path, FileDescriptor::try_open(path, Opening::create_private)));
  EMBD_TRY(note.write(as_bytes(fmt::format("{}\n", inode)), path));
  EMBD_TRY(result_of("sync", path, note.sync()));
  if (EMBD_TRY(noted_inode(folder)) != inode)
    return in_the_way(path, "the file system gives back other bytes than were written");
  return {};
}

/// Puts the directory `from`, whose inode was noted, in the place of `main` and removes what was
/// there. Nothing is removed before the noted directory is seen in its place.
Result<void> put_directory(const fs::path& from, const fs::path& main, std::uint64_t noted) {
  const auto is_noted = [&](const std::optional<FileStatus>& found) {
    return found && found->identity.inode == noted;
  };
  if (is_noted(EMBD_TRY(status_at(from)))) EMBD_TRY(exchange_directory(main, from));
  const auto left = EMBD_TRY(status_at(from));
  if (!left) return {};
  if (is_noted(left) || !is_noted(EMBD_TRY(status_at(main)))) {
    return in_the_way(from,
                      "it is neither the new nor the old output, so it was left as it is: remove "
                      "the folder that it is in, after taking out what is needed");
  }
  const auto removed = os::remove_tree(from);
  if (removed || removed.error() == std::errc::no_such_file_or_directory) return {};
  return in_the_way(
      from, "the old output cannot be removed: " + std::make_error_code(removed.error()).message());
}

/// Puts the main file in its place.
Result<void> put_main(const fs::path& folder, const fs::path& main) {
  const fs::path from = folder / main.filename();
  // Another process that does the same removes the note after the directory.
  const auto noted = EMBD_TRY(noted_inode(folder));
  if (noted) return put_directory(from, main, *noted);
  if (EMBD_TRY(is_folder(from))) {
    return in_the_way(
        from, fmt::format("it is the new or the old output, and the file {} that says which "
                          "is missing: take out what is needed, and remove the folder",
                          note_name));
  }
  return done_by_now("rename", main, os::rename(from, main));
}

/// Returns true if a folder could not be removed because something is in it.
bool is_taken(std::errc reason) {
  return reason == std::errc::directory_not_empty || reason == std::errc::file_exists;
}

/// Moves the files in `folder` to their names and removes the folder.
Result<void> put_in_place(const fs::path& folder, const fs::path& main) {
  for (const fs::path& name : EMBD_TRY(names_in(folder))) {
    if (name != main.filename() && name != note_name)
      EMBD_TRY(put_companion(folder / name, directory_of(main) / name));
  }
  EMBD_TRY(put_main(folder, main));
  EMBD_TRY(done_by_now("remove", folder / note_name, os::remove_file(folder / note_name)));
  // Another set may have taken the folder's name as soon as it was empty.
  if (const auto removed = os::remove_folder(folder); !removed && !is_taken(removed.error()))
    EMBD_TRY(done_by_now("remove", folder, removed));
  return sync_directory_of(main);
}

/// Returns true if the owner of the open folder may change the set anyway. In a folder that
/// everybody may write to, other users must not make this process replace files.
bool is_trusted(const FileDescriptor& folder, const fs::path& main) {
  const auto status = os::status_of(folder);
  if (!status) return false;
  const std::uint32_t owner = status->owner;
  const auto owns = [owner](const os::Outcome<FileStatus>& other) {
    return other && other->owner == owner;
  };
  return owner == os::user_number() || owner == 0 || owns(os::status_of_name(main)) ||
         owns(os::status_of(directory_of(main)));
}

/// Returns false if no process can have put a folder at `path`, too, because of what is, or is not,
/// around it.
Result<bool> is_there(const fs::path& folder) {
  const auto status = os::status_of_name(folder);
  if (status) return true;
  switch (status.error()) {
    case std::errc::no_such_file_or_directory:
    case std::errc::not_a_directory:
    case std::errc::filename_too_long:
    case std::errc::permission_denied:  // Nothing around it can be opened either.
    case std::errc::too_many_symbolic_link_levels:
      return false;
    default:
      return std::unexpected(system_error("stat", folder, status.error()));
  }
}

/// Waits for the process that moves the files of `folder`, or moves them if it was killed.
Result<void> settle(const fs::path& folder, const fs::path& main) {
  const auto start = std::chrono::steady_clock::now();
  while (EMBD_TRY(is_there(folder))) {
    const auto open_folder = FileDescriptor::try_open(folder, Opening::read_folder_entry);
    if (!open_folder) {
      if (open_folder.error() == std::errc::no_such_file_or_directory) continue;
      if (open_folder.error() != std::errc::permission_denied)
        return std::unexpected(system_error("open", folder, open_folder.error()));
      if (std::chrono::steady_clock::now() - start > longest_wait)
        return in_the_way(folder,
                          "the folder contains files of another user, which have not been moved to "
                          "their places yet");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    (void)open_folder->lock();
    if (!names(folder, *open_folder)) continue;  // It is done, or it is another's by now.
    if (!is_trusted(*open_folder, main))
      return in_the_way(folder,
                        "the folder belongs to another user and prevents an exchange of files: "
                        "remove it, or choose another name for the output");
    return put_in_place(folder, main);
  }
  return {};
}

}  // namespace

Result<OutputSet> OutputSet::create(const fs::path& main, CheckReplaceable check) {
  OutputSet set;
  set.main_ = follow_links(without_trailing_slash(main));
  set.check_ = check;
  if (is_written_in_place(set.main_)) {
    set.main_ = main;
    return set;
  }
  EMBD_TRY(set.check_targets());
  // The folder is private until its files have their final permissions.
  auto folder = TemporaryFolder::create(set.main_, 0700);
  if (!folder) return fail_in(main, folder.error().code(), folder.error().what());
  set.folder_ = *std::move(folder);
  return set;
}

fs::path OutputSet::staged(const fs::path& target) const {
  return is_in_place() ? target : folder_.path() / without_trailing_slash(target).filename();
}

void OutputSet::include(const fs::path& target) {
  if (!is_in_place()) included_.push_back(target);
}

Error OutputSet::as_seen(Error error) const {
  if (is_in_place() || !error.file().starts_with(text_of_path(folder_.path()))) return error;
  const fs::path inside = path_of_text(error.file()).lexically_relative(folder_.path());
  const fs::path file = inside == "." ? main_ : main_.parent_path() / inside;
  Error seen = Error(error.code(), error.what()).in_file(text_of_path(file));
  if (error.offset()) seen = std::move(seen).at_offset(*error.offset());
  if (error.line()) seen = std::move(seen).at_line(*error.line());
  return seen;
}

Result<void> OutputSet::check_targets() const {
  const bool may_be_directory = check_ != nullptr;
  EMBD_TRY(check_rename_to(main_, may_be_directory));
  if (may_be_directory && EMBD_TRY(is_folder(main_))) EMBD_TRY(check_(main_));
  for (const fs::path& target : included_) EMBD_TRY(check_rename_to(target));
  return {};
}

/// Marks the companions that are to be removed, and gives each new file the owner and the
/// permissions of the file that it replaces.
Result<void> OutputSet::mark_files() const {
  for (const fs::path& target : included_) {
    auto mark = FileDescriptor::try_open(staged(target), Opening::create_private);
    EMBD_TRY(result_of("create", target, std::move(mark)));
  }
  for (const fs::path& name : EMBD_TRY(names_in(folder_.path()))) {
    const fs::path target = directory_of(main_) / name;
    if (name != main_.filename()) EMBD_TRY(check_rename_to(target));
    take_attributes(folder_.path() / name, target);
  }
  const auto made = EMBD_TRY(status_at(staged(main_)));
  if (made && made->kind == FileKind::folder)
    return note_inode(folder_.path(), made->identity.inode);
  return check_rename_to(main_);
}

Result<void> OutputSet::prepare() {
  if (is_in_place() || prepared_) return {};
  EMBD_TRY(check_targets());
  EMBD_TRY(mark_files());
  // The exchange of another process must be finished first, because its folder has the same name.
  if (!EMBD_TRY(is_one_file())) EMBD_TRY(settle(commit_folder(main_), main_));
  // Other processes may wait for the lock of the folder from now on.
  (void)folder_.descriptor().set_permissions(0755);
  (void)folder_.descriptor().sync();
  prepared_ = true;
  return {};
}

Result<bool> OutputSet::is_one_file() const {
  if (!included_.empty() || EMBD_TRY(names_in(folder_.path())).size() != 1) return false;
  return !EMBD_TRY(is_folder(staged(main_)));
}

Result<void> OutputSet::finish() {
  if (is_in_place()) return {};
  EMBD_TRY(prepare());
  if (EMBD_TRY(is_one_file())) {
    EMBD_TRY(result_of("rename", main_, os::rename(staged(main_), main_)));
    return sync_directory_of(main_);
  }
  const fs::path folder = commit_folder(main_);
  for (auto renamed = os::rename(folder_.path(), folder); !renamed;
       renamed = os::rename(folder_.path(), folder)) {
    if (!is_taken(renamed.error()))
      return std::unexpected(system_error("rename", main_, renamed.error()));
    EMBD_TRY(settle(folder, main_));
  }
  const FileDescriptor lock = folder_.release();
  EMBD_TRY(sync_directory_of(main_));
  return put_in_place(folder, main_);
}

Result<void> finish_exchange(const fs::path& main) {
  const fs::path target = follow_links(without_trailing_slash(main));
  return settle(commit_folder(target), target);
}

SetSnapshot SetSnapshot::begin(const fs::path& main) {
  SetSnapshot snapshot;
  snapshot.main_ = follow_links(without_trailing_slash(main));
  if (auto pinned = FileDescriptor::try_open(snapshot.main_, Opening::identify))
    snapshot.pinned_ = *std::move(pinned);
  return snapshot;
}

bool SetSnapshot::is_current() const {
  if (is_there(commit_folder(main_)) != false) return false;
  const auto now = identity_of(main_);
  return pinned_.is_open() ? now && now == identity_of(pinned_) : !now;
}

}  // namespace embd
