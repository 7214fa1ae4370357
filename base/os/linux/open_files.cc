#include "base/os/open_files.h"

#include <charconv>
#include <string>
#include <system_error>

#include "base/os/process.h"

namespace embd::os {

bool lists_open_files(const std::filesystem::path& folder) {
  return folder.native().starts_with("/proc/");
}

std::optional<int> open_file_number(const std::filesystem::path& folder,
                                    const std::filesystem::path& name) {
  if (folder != "/proc/" + std::to_string(process_number()) + "/fd") return std::nullopt;
  const std::string& digits = name.native();
  int number = -1;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code != std::errc() || end != digits.data() + digits.size() || number < 0)
    return std::nullopt;
  return number;
}

bool is_name_of_standard_output(const std::filesystem::path& path) {
  return path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

bool is_name_of_open_file(const std::filesystem::path& path) {
  return is_name_of_standard_output(path) || path.native().starts_with("/dev/fd/") ||
         path.native().starts_with("/proc/self/fd/");
}

}  // namespace embd::os
