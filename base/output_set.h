#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/os/file_status.h"
#include "base/output_file.h"
#include "base/temporary_entry.h"
#include "base/try.h"

// Files that belong together are exchanged together: docs/decisions/032-sets-of-files.md.
namespace embd {

/// A file (or a directory) and its companions beside it, which appear together. They are made in a
/// folder of their own; finish() renames that folder to `MAIN.embd-commit.tmp`, which decides that
/// the new set is the set, and then moves what is inside to its names, the main file last. Whoever
/// finds such a folder, because the process was killed, finishes the move first
/// (finish_exchange()). A file without companions is renamed alone. Destroyed unfinished, it leaves
/// nothing behind. Not thread-safe.
class OutputSet {
 public:
  /// `main`: symbolic links are followed, so that companions lie beside what is replaced. What is
  /// written in place (a device, a pipe) has no companions. `check`: of a directory that is there
  /// already; without it a directory is never replaced.
  static Result<OutputSet> create(const std::filesystem::path& main,
                                  CheckReplaceable check = nullptr);

  OutputSet(OutputSet&& other) noexcept;
  OutputSet& operator=(OutputSet&& other) noexcept;
  ~OutputSet();

  /// Where the main file goes in the end.
  const std::filesystem::path& main() const noexcept { return main_; }
  bool is_in_place() const noexcept { return folder_.empty(); }
  /// Where to write the file that is to become `target`: the main file, or one beside it.
  std::filesystem::path staged(const std::filesystem::path& target) const;
  /// Makes `target`, a file beside the main one, part of the set: it is removed if nothing, or an
  /// empty file, is at staged(target) when the set is finished.
  void include(const std::filesystem::path& target);
  /// An error about a staged file as one about the file it is to become.
  Error as_seen(Error error) const;
  /// Does everything that could keep finish() from putting the files in place: whatever is in the
  /// way is found now. No file is written afterwards. Error: io_failed; nothing has changed then.
  Result<void> prepare();
  /// Puts all files in place, by renames alone once prepare() has been called; otherwise calls it.
  Result<void> finish();

 private:
  OutputSet() = default;
  Result<void> check_targets() const;
  Result<void> mark_files() const;
  bool is_one_file() const;

  std::filesystem::path main_;
  std::filesystem::path folder_;  // empty: written in place, or finished
  FileDescriptor lock_;
  CheckReplaceable check_ = nullptr;
  std::vector<std::filesystem::path> included_;
  bool prepared_ = false;
};

/// Finishes the exchange of the set with the main file `main`, if one is under way: waits for the
/// process that is at it, or does it in place of one that was killed. Errors: io_failed, where this
/// process may not.
Result<void> finish_exchange(const std::filesystem::path& main);

/// Calls `open`, which opens the files of the set with the main file `main`, until it has done so
/// without an exchange of files beginning or ending meanwhile. Returns what it returned then.
template <class T, class Open>
Result<T> consistently(const std::filesystem::path& main, Open open);

/// Says whether all files of a set that were opened since it was made are of one exchange.
class SetSnapshot {
 public:
  /// Begins before the first file is opened, after finish_exchange().
  static SetSnapshot begin(const std::filesystem::path& main);
  /// True if no exchange has begun or ended since.
  bool is_current() const;

 private:
  std::filesystem::path main_;
  FileDescriptor pinned_;  // keeps the inode from being given to another file
};

template <class T, class Open>
Result<T> consistently(const std::filesystem::path& main, Open open) {
  // As many exchanges within one opening have no other cause than a writer in a loop.
  constexpr int most_tries = 1000;
  for (int i = 0; i < most_tries; ++i) {
    if (auto settled = finish_exchange(main); !settled)
      return std::unexpected(std::move(settled).error());
    const SetSnapshot snapshot = SetSnapshot::begin(main);
    Result<T> opened = open();
    if (snapshot.is_current()) return opened;
  }
  return fail_in(main, ErrorCode::io_failed, "replaced again and again while it is opened");
}

}  // namespace embd
