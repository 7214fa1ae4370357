#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/os/file_descriptor.h"
#include "base/path_text.h"
#include "embd/error.h"
#include "jobs/hub/hub_file.h"

namespace embd::hub {

/// A file of a model whose content is in the cache and was checked there. Only HubCache::find() and
/// IncompleteBlob::finish() make one, so that no unchecked content becomes a file of a model.
class CheckedFile {
 public:
  const HubFile& file() const noexcept { return file_; }

 private:
  friend class HubCache;
  friend class IncompleteBlob;
  explicit CheckedFile(HubFile file) : file_(std::move(file)) {}
  HubFile file_;
};

/// The folder of one model in the cache of Hugging Face's tools:
///
///     blobs/HASH                  the content of a file
///     snapshots/COMMIT/PATH       a symbolic link to the content
///     refs/REVISION               the commit of a branch or tag
class HubCache {
 public:
  /// `folder` is the folder of the model, which is created when it is needed.
  explicit HubCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns the path of a file's content.
  std::filesystem::path blob(const HubFile& file) const {
    return folder_ / "blobs" / path_of_text(file.hash);
  }
  /// Returns the folder in which the files of a commit have their names.
  std::filesystem::path snapshot(const std::string& commit) const {
    return folder_ / "snapshots" / path_of_text(commit);
  }
  /// Looks for a file's content. Returns nothing if it is not there, has another size, or has
  /// another SHA-256 than embd knows for the file. Fails with io_failed if it cannot be read.
  Result<std::optional<CheckedFile>> find(const HubFile& file) const;
  /// Makes a file appear in the folder of a commit.
  Result<void> link(const std::string& commit, const CheckedFile& checked) const;
  /// Stores the commit of a revision. Does nothing for a revision that is a commit itself.
  Result<void> set_revision(const std::string& revision, const std::string& commit) const;

 private:
  std::filesystem::path folder_;
};

/// A blob that is being downloaded: the file "HASH.incomplete" beside its place, which stays if the
/// download is interrupted. It is locked against other processes that download it.
class IncompleteBlob {
 public:
  /// Opens what is there of the blob. Fails with io_failed, also if another process is downloading
  /// it.
  static Result<IncompleteBlob> open(const std::filesystem::path& blob, const HubFile& file);

  /// The number of bytes that are there.
  std::uint64_t size() const noexcept { return size_; }
  /// Drops all bytes.
  Result<void> clear();
  Result<void> append(std::string_view bytes);
  /// Checks the size and the hashes, and puts the blob in its place. Fails with checksum_mismatch;
  /// the bytes are deleted then.
  Result<CheckedFile> finish();
  /// Deletes the file, because the blob is in its place already.
  void discard();

 private:
  IncompleteBlob(std::filesystem::path blob, std::filesystem::path path, HubFile file,
                 FileDescriptor descriptor, std::uint64_t size)
      : blob_(std::move(blob)),
        path_(std::move(path)),
        file_(std::move(file)),
        descriptor_(std::move(descriptor)),
        size_(size) {}
  Result<void> check() const;

  std::filesystem::path blob_;
  std::filesystem::path path_;
  HubFile file_;
  FileDescriptor descriptor_;
  std::uint64_t size_;
};

}  // namespace embd::hub
