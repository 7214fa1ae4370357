#include "jobs/outputs/streams.h"

#include "base/os/file_status.h"
#include "base/os/standard_streams.h"

namespace embd {

bool is_standard_output(const std::filesystem::path& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

bool is_stream(const std::filesystem::path& path) {
  if (is_standard_output(path)) return true;
  const std::string& name = path.native();
  if (name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/")) return true;
  const auto status = os::status_of(path);
  return status && status->kind != FileKind::file && status->kind != FileKind::folder;
}

bool is_terminal(const std::filesystem::path& path) {
  return is_standard_output(path) && os::is_output_terminal();
}

std::string stream_name(const std::filesystem::path& path) {
  return is_standard_output(path) ? "standard output" : path.native();
}

Result<OutputFile> open_stream(const std::filesystem::path& path) {
  return is_standard_output(path) ? OutputFile::standard_output() : OutputFile::create(path);
}

}  // namespace embd
