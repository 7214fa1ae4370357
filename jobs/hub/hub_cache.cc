#include "jobs/hub/hub_cache.h"

#include <fmt/format.h>

#include <system_error>

#include "base/output_file.h"
#include "base/try.h"
#include "jobs/hub/content_hash.h"

namespace embd::hub {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot(const fs::path& path, const char* what,
                              const std::error_code& error) {
  return fail_in(path, ErrorCode::io_failed, fmt::format("{}: {}", what, error.message()));
}

Result<void> make_folder_of(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return cannot(path.parent_path(), "the folder cannot be created", error);
  return {};
}

/// Returns the path of `target` relative to the folder of `path`. Both lie in the folder of a
/// model.
fs::path way_to(const fs::path& target, const fs::path& path) {
  return target.lexically_relative(path.parent_path());
}

}  // namespace

Result<void> HubCache::link(const std::string& commit, const HubFile& file) const {
  const fs::path path = snapshot(commit) / file.path;
  const fs::path target = way_to(blob(file), path);
  std::error_code error;
  if (fs::read_symlink(path, error) == target) return {};
  EMBD_TRY(make_folder_of(path));
  // The link is created under another name and then renamed, so that other processes find either
  // the old or the new file.
  const fs::path temporary = fs::path(path) += ".incomplete";
  fs::remove(temporary, error);
  fs::create_symlink(target, temporary, error);
  if (error) return cannot(temporary, "the link cannot be created", error);
  fs::rename(temporary, path, error);
  if (error) return cannot(path, "the link cannot be created", error);
  return {};
}

Result<void> HubCache::set_revision(const std::string& revision, const std::string& commit) const {
  if (revision == commit) return {};
  const fs::path path = folder_ / "refs" / revision;
  EMBD_TRY(make_folder_of(path));
  return write_text_file(path, commit);
}

Result<IncompleteBlob> IncompleteBlob::open(const fs::path& blob, const HubFile& file) {
  const fs::path path = fs::path(blob) += ".incomplete";
  EMBD_TRY(make_folder_of(path));
  FileDescriptor descriptor = EMBD_TRY(FileDescriptor::open(path, Opening::update));
  if (!descriptor.try_lock())
    return fail_in(path, ErrorCode::io_failed,
                   "another process is downloading this file: wait until it ends, and try again");
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) return cannot(path, "the size of the file cannot be read", error);
  IncompleteBlob incomplete(blob, path, file, std::move(descriptor), size);
  if (size > file.size) EMBD_TRY(incomplete.clear());
  return incomplete;
}

Result<void> IncompleteBlob::clear() {
  std::error_code error;
  fs::resize_file(path_, 0, error);
  if (error) return cannot(path_, "the file cannot be emptied", error);
  size_ = 0;
  return {};
}

Result<void> IncompleteBlob::append(std::string_view bytes) {
  if (bytes.size() > file_.size - size_) {
    return fail_in(path_, ErrorCode::file_size_mismatch,
                   fmt::format("the hub sent more than the {} bytes that its listing gives for {}",
                               file_.size, file_.path));
  }
  EMBD_TRY(descriptor_.write_at(size_, as_bytes(bytes), path_));
  size_ += bytes.size();
  return {};
}

Result<void> IncompleteBlob::check(std::string_view known_sha256) const {
  if (size_ != file_.size) {
    return fail(ErrorCode::checksum_mismatch,
                fmt::format("the file {} has {} bytes, but the hub's listing says {}", file_.path,
                            size_, file_.size));
  }
  const ContentHash found = EMBD_TRY(content_hash(descriptor_, size_, path_));
  const std::string& by_hub =
      file_.hash.size() == found.sha256.size() ? found.sha256 : found.git_sha1;
  if (by_hub != file_.hash) {
    return fail(ErrorCode::checksum_mismatch,
                fmt::format("the file {} has the hash {}, but the hub's listing says {}",
                            file_.path, by_hub, file_.hash));
  }
  if (!known_sha256.empty() && found.sha256 != known_sha256) {
    return fail(ErrorCode::checksum_mismatch,
                fmt::format("the file {} has the SHA-256 {}, expected {}: it is not the model that "
                            "embd knows by this name",
                            file_.path, found.sha256, known_sha256));
  }
  return {};
}

Result<void> IncompleteBlob::finish(std::string_view known_sha256) {
  std::error_code error;
  if (auto checked = check(known_sha256); !checked) {
    fs::remove(path_, error);
    return checked;
  }
  if (!descriptor_.sync())
    return fail_in(path_, ErrorCode::io_failed, "the file cannot be written to the disk");
  fs::rename(path_, blob_, error);
  if (error) return cannot(blob_, "the file cannot be moved to its place", error);
  return {};
}

}  // namespace embd::hub
