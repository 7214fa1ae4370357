#include "jobs/outputs/streams.h"

#include <sys/stat.h>
#include <unistd.h>

namespace embd {

bool is_standard_output(const std::filesystem::path& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

bool is_stream(const std::filesystem::path& path) {
  if (is_standard_output(path)) return true;
  const std::string& name = path.native();
  if (name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/")) return true;
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_terminal(const std::filesystem::path& path) {
  return is_standard_output(path) && ::isatty(STDOUT_FILENO) == 1;
}

std::string stream_name(const std::filesystem::path& path) {
  return is_standard_output(path) ? "standard output" : path.native();
}

Result<OutputFile> open_stream(const std::filesystem::path& path) {
  return is_standard_output(path) ? OutputFile::standard_output() : OutputFile::create(path);
}

}  // namespace embd
