#include "base/os/wasm/memory_files.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <utility>

#include "base/os/process.h"
#include "base/try.h"

namespace embd::os {
namespace {

struct Files {
  std::map<std::string, std::shared_ptr<const MemoryFile>, std::less<>> by_name;
  std::map<int, std::shared_ptr<const MemoryFile>> open;
  std::uint64_t last_number = 0;
  int last_opened = 0;
};

Files& files() {
  static Files all;
  return all;
}

std::string_view without_slash(std::string_view folder) noexcept {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return folder;
}

bool is_under(std::string_view name, std::string_view folder) noexcept {
  return name.size() > folder.size() + 1 && name.starts_with(folder) && name[folder.size()] == '/';
}

}  // namespace

void MemoryFile::Free::operator()(std::byte* data) const noexcept {
  os::free_aligned(data);
}

Result<void> add_memory_file(std::string_view name, std::byte* data, std::size_t size) {
  if (name.empty())
    return fail(ErrorCode::invalid_argument,
                "the name of the file is empty, expected at least one character");
  if (files().by_name.contains(name))
    return fail(ErrorCode::invalid_argument,
                fmt::format("a file named {} exists already: choose another name", name));
  const auto file = std::make_shared<MemoryFile>(size, files().last_number + 1);
  files().by_name.emplace(name, file);
  ++files().last_number;
  file->take(data);  // Nothing can fail any more.
  return {};
}

Result<void> remove_memory_file(std::string_view name) {
  const auto found = files().by_name.find(name);
  if (found == files().by_name.end())
    return fail(ErrorCode::not_found, fmt::format("no file is named {}", name));
  files().by_name.erase(found);
  return {};
}

std::shared_ptr<const MemoryFile> find_memory_file(std::string_view name) noexcept {
  const auto found = files().by_name.find(name);
  return found == files().by_name.end() ? nullptr : found->second;
}

bool is_memory_folder(std::string_view name) noexcept {
  name = without_slash(name);
  const auto next = files().by_name.lower_bound(name);
  for (auto file = next; file != files().by_name.end() && file->first.starts_with(name); ++file)
    if (is_under(file->first, name)) return true;
  return false;
}

std::vector<std::string> memory_files_in(std::string_view folder) {
  folder = without_slash(folder);
  std::vector<std::string> names;
  for (const auto& [name, file] : files().by_name) {
    if (is_under(name, folder) && name.find('/', folder.size() + 1) == std::string::npos)
      names.push_back(name);
  }
  return names;
}

int open_memory_file(std::shared_ptr<const MemoryFile> file) {
  files().open.emplace(files().last_opened + 1, std::move(file));
  return ++files().last_opened;
}

std::shared_ptr<const MemoryFile> opened_memory_file(int number) noexcept {
  const auto found = files().open.find(number);
  return found == files().open.end() ? nullptr : found->second;
}

void close_memory_file(int number) noexcept {
  files().open.erase(number);
}

}  // namespace embd::os
