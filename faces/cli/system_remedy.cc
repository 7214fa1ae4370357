#include "faces/cli/system_remedy.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/directories.h"
#include "base/nearest_name.h"
#include "base/os/entries.h"
#include "base/system_error.h"

namespace embd::cli {
namespace {

namespace fs = std::filesystem;

struct SystemRemedy {
  int number;  ///< a value of errno
  std::string_view remedy;
};

constexpr SystemRemedy remedies[] = {
    {ENOSPC, "Free some space on this disk, or write to another disk."},
    {EDQUOT, "Free some space in your quota, or write to another disk."},
    {EFBIG, "Raise the limit on the size of files (ulimit -f), or write to another disk."},
    {EROFS, "This disk can only be read: write to another disk."},
    {EMFILE, "Raise the limit on the number of open files (ulimit -n)."},
    {ENAMETOOLONG, "Choose a shorter name."},
};

constexpr SystemRemedy listening_remedies[] = {
    {EADDRINUSE,
     "Another program uses this port: choose another with --port, or 0 for a free one."},
    {EACCES, "Ports below 1024 are reserved for the system: choose another with --port."},
    {EADDRNOTAVAIL,
     "Give an address of this machine with --host; 0.0.0.0 stands for all its addresses."},
};

template <std::size_t Count>
std::string find(const SystemRemedy (&table)[Count], const Error& error) {
  for (const auto& [number, remedy] : table)
    if (is_system_error(error, number)) return std::string(remedy);
  return {};
}

std::string permission_remedy(const fs::path& file) {
  const fs::path folder = directory_of(file);
  if (!os::is_permitted(folder, os::Access::search))
    return fmt::format("You have no permission to look into {}: ls -ld shows who has.",
                       folder.native());
  std::error_code error;
  if (fs::exists(file, error) && !os::is_permitted(file, os::Access::read))
    return "You have no permission to read the file: ls -l shows who has.";
  return fmt::format(
      "You have no permission to write in {}: write to another folder; ls -ld shows who has.",
      folder.native());
}

/// Returns the names of the entries of a folder, at most 1,000.
std::vector<std::string> names_in(const fs::path& folder) {
  constexpr std::size_t most = 1000;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (names.size() == most) break;
    names.push_back(entry->path().filename());
  }
  return names;
}

std::string not_found_remedy(const Error& failure) {
  const fs::path file = failure.file();
  const fs::path folder = directory_of(file);
  std::error_code error;
  const bool is_output = failure.what().starts_with("create");
  if (!fs::exists(folder, error)) {
    return fmt::format("The folder {0} does not exist{1}", folder.native(),
                       is_output ? fmt::format(": mkdir -p {} creates it.", folder.native()) : ".");
  }
  if (is_output) return {};
  const std::string nearest = nearest_name(file.filename().native(), names_in(folder));
  if (nearest.empty())
    return fmt::format("The file is not in {}.", fs::canonical(folder, error).native());
  return fmt::format("Did you mean {}?",
                     file.has_parent_path() ? (folder / nearest).native() : nearest);
}

}  // namespace

std::string system_remedy_of(const Error& failure, const Verb& verb) {
  if (failure.code() == ErrorCode::out_of_memory) {
    return verb.has("--threads") ? "Give the program more memory, or fewer threads with -t."
                                 : "Give the program more memory.";
  }
  const fs::path file = failure.file();
  if (file.empty()) return find(listening_remedies, failure);
  if (const std::string known = find(remedies, failure); !known.empty()) return known;
  std::error_code error;
  if (fs::is_directory(file, error)) return "The path names a folder, expected a file.";
  if (is_system_error(failure, EACCES)) return permission_remedy(file);
  if (is_system_error(failure, ENOTDIR)) {
    fs::path ancestor = directory_of(file);
    while (!fs::exists(ancestor, error) && ancestor.has_parent_path())
      ancestor = ancestor.parent_path();
    return fmt::format("{} is a file, expected a folder.", ancestor.native());
  }
  return failure.code() == ErrorCode::not_found ? not_found_remedy(failure) : "";
}

}  // namespace embd::cli
