#include "base/output_set.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/os/entries.h"
#include "base/os/file_status.h"
#include "base/os/process.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

/// The name of a symbolic link in the folder of a set whose main file is a directory. The text of
/// the link is the inode of the new directory. The old and the new directory are exchanged, so only
/// the link distinguishes them.
constexpr std::string_view inode_name = ".embd-inode";

/// The longest wait for the exchange of another user, whose folder cannot be locked. An exchange
/// takes milliseconds, unless its process was killed.
constexpr auto longest_wait = std::chrono::seconds(2);

fs::path commit_folder(fs::path main) {
  main += ".embd-commit.tmp";
  return main;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

Result<void> in_the_way(const fs::path& folder, std::string what) {
  return fail_in(folder, ErrorCode::io_failed, std::move(what));
}

/// Returns true if a file is empty, which marks a companion that is to be removed.
bool is_empty_file(const fs::path& path) {
  const auto status = os::status_of_name(path);
  return status && status->kind == FileKind::file && status->size == 0;
}

/// Converts `done` to a Result. An entry that does not exist is no error, because another process
/// has done the operation already.
Result<void> done_by_now(std::string_view operation, const fs::path& path, os::Outcome<void> done) {
  if (!done && done.error() == std::errc::no_such_file_or_directory) return {};
  return result_of(operation, path, done);
}

/// Moves a companion to its name.
Result<void> put_companion(const fs::path& from, const fs::path& to) {
  if (is_empty_file(from)) {
    EMBD_TRY(done_by_now("remove", to, os::remove_file(to)));
    (void)os::remove_file(from);
    return {};
  }
  return done_by_now("rename", to, os::rename(from, to));
}

/// Puts the main file in its place. A directory in `folder` is the old one if its inode is not the
/// one that was noted.
Result<void> put_main(const fs::path& folder, const fs::path& main) {
  const fs::path from = folder / main.filename();
  if (!is_folder(from)) {
    // The main file has gone if it has been renamed; a file that a directory replaced has not.
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder / inode_name, error))) {
      (void)os::remove_file(from);
      return {};
    }
    return done_by_now("rename", main, os::rename(from, main));
  }
  std::error_code error;
  const auto noted = fs::read_symlink(folder / inode_name, error);
  const auto found = identity_of_name(from);
  if (found && noted == fmt::to_string(found->inode)) return replace_directory(main, from);
  fs::remove_all(from, error);
  return {};
}

/// Returns true if a folder could not be removed because something is in it.
bool is_taken(std::errc reason) {
  return reason == std::errc::directory_not_empty || reason == std::errc::file_exists;
}

/// Moves the files in `folder` to their names and removes the folder.
Result<void> put_in_place(const fs::path& folder, const fs::path& main) {
  std::error_code error;
  std::vector<fs::path> companions;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path name = entry.path().filename();
    if (name != main.filename() && name != inode_name) companions.push_back(name);
  }
  if (error) return in_the_way(folder, error.message());
  for (const fs::path& name : companions)
    EMBD_TRY(put_companion(folder / name, directory_of(main) / name));
  EMBD_TRY(put_main(folder, main));
  (void)os::remove_file(folder / inode_name);
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

/// Waits for the process that moves the files of `folder`, or moves them if it was killed.
Result<void> settle(const fs::path& folder, const fs::path& main) {
  const auto start = std::chrono::steady_clock::now();
  while (identity_of_name(folder)) {
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
  auto folder = create_temporary_directory(set.main_, 0700);
  if (!folder) {
    return fail_in(main, folder.error().code(), folder.error().what());
  }
  set.folder_ = TemporaryPath(std::move(folder->path));
  set.lock_ = std::move(folder->descriptor);
  return set;
}

fs::path OutputSet::staged(const fs::path& target) const {
  return is_in_place() ? target : folder_.get() / without_trailing_slash(target).filename();
}

void OutputSet::include(const fs::path& target) {
  if (!is_in_place()) included_.push_back(target);
}

Error OutputSet::as_seen(Error error) const {
  if (is_in_place() || !error.file().starts_with(folder_.get().native())) return error;
  const fs::path inside = fs::path(error.file()).lexically_relative(folder_.get());
  const fs::path file = inside == "." ? main_ : main_.parent_path() / inside;
  Error seen = Error(error.code(), error.what()).in_file(file.native());
  if (error.offset()) seen = std::move(seen).at_offset(*error.offset());
  if (error.line()) seen = std::move(seen).at_line(*error.line());
  return seen;
}

Result<void> OutputSet::check_targets() const {
  const bool may_be_directory = check_ != nullptr;
  EMBD_TRY(check_rename_to(main_, may_be_directory));
  if (may_be_directory && is_folder(main_)) EMBD_TRY(check_(main_));
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
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_.get(), error)) {
    const fs::path target = directory_of(main_) / entry.path().filename();
    if (target.filename() != main_.filename()) EMBD_TRY(check_rename_to(target));
    take_attributes(entry.path(), target);
  }
  if (error) return in_the_way(folder_.get(), error.message());
  if (const fs::path main = staged(main_); is_folder(main)) {
    const std::string inode = fmt::to_string(identity_of_name(main)->inode);
    EMBD_TRY(result_of("create", main_, os::make_link(inode, folder_.get() / inode_name)));
  }
  return {};
}

Result<void> OutputSet::prepare() {
  if (is_in_place() || prepared_) return {};
  EMBD_TRY(check_targets());
  EMBD_TRY(mark_files());
  // The exchange of another process must be finished first, because its folder has the same name.
  if (!is_one_file()) EMBD_TRY(settle(commit_folder(main_), main_));
  // Other processes may wait for the lock of the folder from now on.
  (void)lock_.set_permissions(0755);
  (void)lock_.sync();
  prepared_ = true;
  return {};
}

bool OutputSet::is_one_file() const {
  std::error_code error;
  const auto count = std::distance(fs::directory_iterator(folder_.get(), error), {});
  return included_.empty() && count == 1 && !is_folder(staged(main_));
}

Result<void> OutputSet::finish() {
  if (is_in_place()) return {};
  EMBD_TRY(prepare());
  if (is_one_file()) {
    EMBD_TRY(result_of("rename", main_, os::rename(staged(main_), main_)));
    return sync_directory_of(main_);
  }
  const fs::path folder = commit_folder(main_);
  for (auto renamed = os::rename(folder_.get(), folder); !renamed;
       renamed = os::rename(folder_.get(), folder)) {
    if (!is_taken(renamed.error()))
      return std::unexpected(system_error("rename", main_, renamed.error()));
    EMBD_TRY(settle(folder, main_));
  }
  folder_.release();
  EMBD_TRY(sync_directory_of(main_));
  auto placed = put_in_place(folder, main_);
  (void)lock_.close();
  return placed;
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
  if (identity_of_name(commit_folder(main_))) return false;
  const auto now = identity_of(main_);
  return pinned_.is_open() ? now && now == identity_of(pinned_) : !now;
}

}  // namespace embd
