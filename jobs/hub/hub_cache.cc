#include "jobs/hub/hub_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/os/entries.h"
#include "base/os/file_status.h"
#include "base/output_file.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/temporary_files.h"
#include "base/try.h"

namespace embd::hub {
namespace {

/// The hashes by which a hub identifies a file.
struct ContentHash {
  std::string sha256;    ///< of the bytes, as 64 hex digits
  std::string git_sha1;  ///< of the blob that Git makes of the bytes, as 40 hex digits
};

/// Reads the first `size` bytes of an open file and returns their hashes. `path` names the file in
/// errors.
Result<ContentHash> content_hash(const FileDescriptor& file, std::uint64_t size,
                                 const std::filesystem::path& path) {
  Sha256 sha256;
  Sha1 git;
  git.update(fmt::format("blob {}", size));
  git.update(std::string_view("\0", 1));
  std::vector<std::byte> block(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
  for (std::uint64_t at = 0; at < size;) {
    const std::span some = std::span(block).first(std::min<std::uint64_t>(block.size(), size - at));
    EMBD_TRY(file.read_at(at, some, path));
    sha256.update(some);
    git.update(some);
    at += some.size();
  }
  return ContentHash{.sha256 = sha256.hex(), .git_sha1 = git.hex()};
}

namespace fs = std::filesystem;

std::unexpected<Error> cannot(const fs::path& path, const char* what,
                              const std::error_code& error) {
  return fail_in(path, ErrorCode::io_failed, "{}: {}", what, error.message());
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

/// Returns true if the system or the file system makes no symbolic links for this user.
bool is_without_links(const std::error_code& error) {
  return error == std::errc::function_not_supported || error == std::errc::not_supported ||
         error == std::errc::operation_not_permitted;
}

/// Makes a symbolic link to `target` beside `path`, under a name that no other process uses. Where
/// there are no links, it makes a copy, as Hugging Face's tools do.
Result<fs::path> make_link_beside(const fs::path& path, const fs::path& target) {
  for (unsigned number = 0;; ++number) {
    fs::path link = path;
    link += path_of_text(fmt::format(".embd-{}.tmp", number));
    std::error_code error;
    fs::create_symlink(target, link, error);
    if (is_without_links(error)) fs::copy_file(path.parent_path() / target, link, error);
    if (!error) return link;
    if (error != std::errc::file_exists) return cannot(link, "the link cannot be created", error);
  }
}

}  // namespace

Result<std::optional<CheckedFile>> HubCache::find(const HubFile& file) const {
  const fs::path path = blob(file);
  const auto status = os::status_of(path);
  if (!status || status->kind != FileKind::file || status->size != file.size) return std::nullopt;
  if (!file.known_sha256.empty()) {
    const FileDescriptor content = EMBD_TRY(FileDescriptor::open(path));
    const ContentHash found = EMBD_TRY(content_hash(content, file.size, path));
    if (found.sha256 != file.known_sha256) return std::nullopt;
  }
  return CheckedFile(file);
}

Result<void> HubCache::link(const std::string& commit, const CheckedFile& checked) const {
  const fs::path path = snapshot(commit) / path_of_text(checked.file().path);
  const fs::path target = way_to(blob(checked.file()), path);
  std::error_code error;
  if (fs::read_symlink(path, error) == target) return {};
  EMBD_TRY(make_folder_of(path));
  // The link is created under another name and then renamed, so that other processes find either
  // the old or the new file.
  const fs::path temporary = EMBD_TRY(make_link_beside(path, target));
  const auto renamed = os::rename(temporary, path);
  if (renamed) return {};
  const auto failure =
      cannot(path, "the link cannot be created", std::make_error_code(renamed.error()));
  fs::remove(temporary, error);
  return failure;
}

Result<void> HubCache::set_revision(const std::string& revision, const std::string& commit) const {
  if (revision == commit) return {};
  const fs::path path = folder_ / "refs" / path_of_text(revision);
  EMBD_TRY(make_folder_of(path));
  return write_text_file(path, commit);
}

Result<IncompleteBlob> IncompleteBlob::open(const fs::path& blob, const HubFile& file) {
  const fs::path path = path_beside(blob, ".incomplete");
  EMBD_TRY(make_folder_of(path));
  FileDescriptor descriptor = EMBD_TRY(
      open_locked(path, Opening::update,
                  "another process is downloading this file: wait until it ends, and try again"));
  const auto status = EMBD_TRY(result_of("read the size of", path, os::status_of(descriptor)));
  IncompleteBlob incomplete(blob, path, file, std::move(descriptor), status.size);
  if (status.size > file.size) EMBD_TRY(incomplete.clear());
  return incomplete;
}

Result<void> IncompleteBlob::clear() {
  EMBD_TRY(result_of("empty", path_, descriptor_.resize(0)));
  size_ = 0;
  return {};
}

void IncompleteBlob::discard() {
  std::error_code error;
  fs::remove(path_, error);
}

Result<void> IncompleteBlob::append(std::string_view bytes) {
  if (bytes.size() > file_.size - size_) {
    return fail_in(path_, ErrorCode::file_size_mismatch,
                   "the hub sent more than the {} bytes that its listing gives for {}", file_.size,
                   file_.path);
  }
  EMBD_TRY(descriptor_.write_at(size_, as_bytes(bytes), path_));
  size_ += bytes.size();
  return {};
}

Result<void> IncompleteBlob::check() const {
  if (size_ != file_.size) {
    return fail(ErrorCode::checksum_mismatch,
                "the file {} has {} bytes, but the hub's listing says {}", file_.path, size_,
                file_.size);
  }
  const ContentHash found = EMBD_TRY(content_hash(descriptor_, size_, path_));
  const std::string& by_hub =
      file_.hash.size() == found.sha256.size() ? found.sha256 : found.git_sha1;
  if (by_hub != file_.hash) {
    return fail(ErrorCode::checksum_mismatch,
                "the file {} has the hash {}, but the hub's listing says {}", file_.path, by_hub,
                file_.hash);
  }
  if (!file_.known_sha256.empty() && found.sha256 != file_.known_sha256) {
    return fail(ErrorCode::checksum_mismatch,
                "the file {} has the SHA-256 {}, expected {}: it is not the model that embd knows "
                "by this name",
                file_.path, found.sha256, file_.known_sha256);
  }
  return {};
}

Result<CheckedFile> IncompleteBlob::finish() {
  if (auto checked = check(); !checked) {
    discard();
    return std::unexpected(std::move(checked).error());
  }
  std::error_code error;
  if (!descriptor_.sync())
    return fail_in(path_, ErrorCode::io_failed, "the file cannot be written to the disk");
  fs::rename(path_, blob_, error);
  if (error) return cannot(blob_, "the file cannot be moved to its place", error);
  return CheckedFile(file_);
}

}  // namespace embd::hub
