#pragma once

#include <filesystem>
#include <vector>

#include "base/output_file.h"
#include "base/temporary_files.h"
#include "base/try.h"

// Files that belong together replace older ones together: docs/decisions/032-sets-of-files.md.
namespace embd {

/// A main file (or directory) and companions beside it, which appear together. They are written in
/// a folder of their own. finish() renames that folder to `MAIN.embd-commit.tmp`, which makes the
/// new set valid, and then moves its files to their names, the main file last. If the process is
/// killed during that, the next process that opens the set finishes the move (finish_exchange()). A
/// main file without companions is simply renamed. If the set is destroyed before finish(), it
/// leaves nothing behind. Not thread-safe.
class OutputSet {
 public:
  /// Creates a set. If `main` is a symbolic link, it is followed, so companions lie beside the file
  /// that is replaced. A device or pipe is written in place and has no companions. `check` decides
  /// whether an existing directory may be replaced; without it, none is.
  static Result<OutputSet> create(const std::filesystem::path& main,
                                  CheckReplaceable check = nullptr);

  /// Returns the final path of the main file.
  const std::filesystem::path& main() const noexcept { return main_; }
  bool is_in_place() const noexcept { return folder_.empty(); }
  /// Returns the path at which to write the file that is to become `target`, which is the main file
  /// or a companion.
  std::filesystem::path staged(const std::filesystem::path& target) const;
  /// Makes `target` a companion of the main file. When the set is finished, an existing `target` is
  /// removed if staged(target) is missing or an empty file.
  void include(const std::filesystem::path& target);
  /// Replaces the path in an error about a staged file by the final path of the file.
  Error as_seen(Error error) const;
  /// Does everything that could make finish() fail; whatever is in the way is found now. No file
  /// may be written afterwards. Fails with io_failed; nothing has changed then.
  Result<void> prepare();
  /// Puts all files in place. Calls prepare() first if that was not done; after it, only renames
  /// are left.
  Result<void> finish();

 private:
  OutputSet() = default;
  Result<void> check_targets() const;
  Result<void> mark_files() const;
  Result<bool> is_one_file() const;

  std::filesystem::path main_;
  TemporaryFolder folder_;  // empty: written in place, or finished
  CheckReplaceable check_ = nullptr;
  std::vector<std::filesystem::path> included_;
  bool prepared_ = false;
};

/// Finishes the exchange of files of the set with the main file `main`, if one is in progress:
/// waits for the process that does it, or does it in place of a process that was killed. Fails with
/// io_failed if this process is not permitted to.
Result<void> finish_exchange(const std::filesystem::path& main);

/// Calls `open`, which opens the files of the set with the main file `main`. If files were
/// exchanged meanwhile, calls it again. Returns the result of a call during which no exchange began
/// or ended, so that all files opened are of one set.
template <class T, class Open>
Result<T> consistently(const std::filesystem::path& main, Open open);

/// Tells whether all files of a set that were opened since this object was made are from one
/// exchange.
class SetSnapshot {
 public:
  /// Makes a snapshot. To be called after finish_exchange(), before the first file is opened.
  static SetSnapshot begin(const std::filesystem::path& main);
  /// Returns true if no exchange has begun or ended since the snapshot was made.
  bool is_current() const;

 private:
  std::filesystem::path main_;
  FileDescriptor pinned_;  // keeps the inode from being given to another file
};

template <class T, class Open>
Result<T> consistently(const std::filesystem::path& main, Open open) {
  // So many exchanges during one opening can only come from a writer in a loop.
  constexpr int most_tries = 1000;
  for (int i = 0; i < most_tries; ++i) {
    if (auto settled = finish_exchange(main); !settled)
      return std::unexpected(std::move(settled).error());
    const SetSnapshot snapshot = SetSnapshot::begin(main);
    Result<T> opened = open();
    if (snapshot.is_current()) return opened;
  }
  return fail_in(
      main, ErrorCode::io_failed,
      "another program replaced the file each time while it was being opened: try again later");
}

}  // namespace embd
