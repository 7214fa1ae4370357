#include "jobs/outputs/spool.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "base/file_descriptor.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {

struct Spool::Directory {
  explicit Directory(std::filesystem::path made) : path(std::move(made)) {}
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  std::filesystem::path path;
};

Result<Spool> Spool::create() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "embd-XXXXXX").native();
  if (error) {
    return fail(ErrorCode::io_failed,
                "no temporary directory (TMPDIR) to keep the output in until it is whole: " +
                    error.message());
  }
  if (::mkdtemp(name.data()) == nullptr) return std::unexpected(system_error("create", name));
  return Spool(std::make_shared<const Directory>(name));
}

std::filesystem::path Spool::path() const {
  return directory_->path / "output";
}

Result<void> Spool::copy_to(OutputFile& out) const {
  const FileDescriptor file = EMBD_TRY(FileDescriptor::open(path(), O_RDONLY));
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) return std::unexpected(system_error("stat", path()));
  return out.append_from(file, 0, static_cast<std::uint64_t>(status.st_size));
}

}  // namespace embd
