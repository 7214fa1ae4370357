#include "base/links.h"

#include <charconv>
#include <string>

#include "base/os/file_status.h"
#include "base/os/process.h"

namespace embd {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

bool is_in_proc(const std::filesystem::path& path) {
  std::error_code error;
  const auto parent = std::filesystem::canonical(folder_of(path), error);
  return !error && parent.native().starts_with("/proc/");
}

}  // namespace

std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // as the system follows
  std::error_code error;
  for (int i = 0; i < most_links; ++i) {
    const auto parent = std::filesystem::canonical(folder_of(path), error);
    if (error || parent.native().starts_with("/proc/")) break;
    const auto target = std::filesystem::read_symlink(parent / path.filename(), error);
    if (error) break;
    path = parent / target;
  }
  return path;
}

bool is_written_in_place(const std::filesystem::path& path) {
  const auto status = os::status_of(path);
  if (!status || status->kind == FileKind::folder) return false;
  return status->kind != FileKind::file || is_in_proc(follow_links(path));
}

std::optional<int> open_file_number(const std::filesystem::path& path) {
  const std::filesystem::path last = follow_links(path);
  std::error_code error;
  const auto parent = std::filesystem::canonical(folder_of(last), error);
  if (error || parent != "/proc/" + std::to_string(os::process_number()) + "/fd")
    return std::nullopt;
  const std::string name = last.filename();
  int number = -1;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (code != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace embd
