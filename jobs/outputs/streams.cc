#include "jobs/outputs/streams.h"

#include "base/os/entries.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/open_files.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {

bool is_standard_output(const std::filesystem::path& path) {
  return path == "-" || os::is_name_of_standard_output(path);
}

bool is_stream(const std::filesystem::path& path) {
  if (path == "-" || os::is_name_of_open_file(path)) return true;
  const auto status = os::status_of(path);
  return status && status->kind != FileKind::file && status->kind != FileKind::folder;
}

bool is_terminal(const std::filesystem::path& path) {
  return is_standard_output(path) && os::is_output_terminal();
}

std::string stream_name(const std::filesystem::path& path) {
  return is_standard_output(path) ? "standard output" : text_of_path(path);
}

Result<OutputFile> open_stream(const std::filesystem::path& path) {
  return is_standard_output(path) ? OutputFile::standard_output() : OutputFile::create(path);
}

struct Spool::Directory {
  explicit Directory(std::filesystem::path made) : path(std::move(made)) {}
  ~Directory() { remove_if_possible(path); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  std::filesystem::path path;
};

Result<Spool> Spool::create() {
  std::error_code error;
  const std::filesystem::path prefix = std::filesystem::temp_directory_path(error) / "embd-";
  if (error) {
    return fail(ErrorCode::io_failed,
                "the directory for temporary files (environment variable TMPDIR), which holds the "
                "output until it is whole, cannot be used: " +
                    error.message());
  }
  auto made = os::make_private_folder(prefix);
  return Spool(std::make_shared<const Directory>(
      EMBD_TRY(result_of("create", path_beside(prefix, "XXXXXX"), std::move(made)))));
}

std::filesystem::path Spool::path() const {
  return directory_->path / "output";
}

Result<void> Spool::copy_to(OutputFile& out) const {
  const FileDescriptor file = EMBD_TRY(FileDescriptor::open(path()));
  const FileStatus status = EMBD_TRY(result_of("stat", path(), os::status_of(file)));
  return out.append_from(file, 0, status.size);
}

}  // namespace embd
