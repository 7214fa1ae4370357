#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/os/file_descriptor.h"
#include "embd/error.h"
#include "jobs/hub/hub_file.h"

namespace embd::hub {

/// The folder of one model in the cache of Hugging Face's tools:
///
///     blobs/HASH                  the content of a file
///     snapshots/COMMIT/PATH       a symbolic link to it
///     refs/REVISION               the commit of a branch or tag
class HubCache {
 public:
  /// `folder`: of the model, made when it is needed.
  explicit HubCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path blob(const HubFile& file) const { return folder_ / "blobs" / file.hash; }
  std::filesystem::path snapshot(const std::string& commit) const {
    return folder_ / "snapshots" / commit;
  }
  /// Makes `file` appear in the folder of a commit. Its blob is there.
  Result<void> link(const std::string& commit, const HubFile& file) const;
  /// Notes the commit of a revision. Does nothing for a revision that is a commit itself.
  Result<void> set_revision(const std::string& revision, const std::string& commit) const;

 private:
  std::filesystem::path folder_;
};

/// A blob while it is fetched: "HASH.incomplete" beside its place, which stays if the download is
/// cut off. Locked against other processes that fetch it.
class IncompleteBlob {
 public:
  /// Opens what is there of the blob. Error: io_failed, too, while another process fetches it.
  static Result<IncompleteBlob> open(const std::filesystem::path& blob, const HubFile& file);

  std::uint64_t size() const noexcept { return size_; }
  Result<void> clear();
  Result<void> append(std::string_view bytes);
  /// Checks size and hash, and puts the blob into its place. `known_sha256`: what the file must
  /// have, too; or empty. Error: checksum_mismatch; the bytes are gone then.
  Result<void> finish(std::string_view known_sha256);

 private:
  IncompleteBlob(std::filesystem::path blob, std::filesystem::path path, HubFile file,
                 FileDescriptor descriptor, std::uint64_t size)
      : blob_(std::move(blob)),
        path_(std::move(path)),
        file_(std::move(file)),
        descriptor_(std::move(descriptor)),
        size_(size) {}
  Result<void> check(std::string_view known_sha256) const;

  std::filesystem::path blob_;
  std::filesystem::path path_;
  HubFile file_;
  FileDescriptor descriptor_;
  std::uint64_t size_;
};

}  // namespace embd::hub
