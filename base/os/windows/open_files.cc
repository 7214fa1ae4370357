#include "base/os/open_files.h"

// Windows has no names for the open files of a process.
namespace embd::os {

bool lists_open_files(const std::filesystem::path& /*folder*/) {
  return false;
}

std::optional<int> open_file_number(const std::filesystem::path& /*folder*/,
                                    const std::filesystem::path& /*name*/) {
  return std::nullopt;
}

bool is_name_of_standard_output(const std::filesystem::path& /*path*/) {
  return false;
}

bool is_name_of_open_file(const std::filesystem::path& /*path*/) {
  return false;
}

}  // namespace embd::os
