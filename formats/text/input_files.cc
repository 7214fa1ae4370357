#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/try.h"
#include "embd/texts.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> extensions = {".txt",    ".text", ".md", ".jsonl",
                                                        ".ndjson", ".csv",  ".tsv"};

bool is_hidden(const fs::path& path) {
  return path.filename().native().starts_with('.');
}

bool has_text_name(const fs::path& path) {
  return std::ranges::find(extensions, path.extension().native()) != extensions.end();
}

/// Returns the files in a folder and its subfolders. Folders behind symbolic links are left out,
/// because they may lead back.
Result<std::vector<fs::path>> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
    } else if (has_text_name(entry->path())) {
      std::error_code unused;
      const fs::file_type type = entry->status(unused).type();
      if (type == fs::file_type::not_found)
        return fail_in(entry->path(), ErrorCode::not_found,
                       "the symbolic link leads to no file: repair the link, or remove it");
      if (type == fs::file_type::regular) files.push_back(entry->path());
    }
  }
  if (error) return fail_in(folder, ErrorCode::io_failed, error.message());
  if (files.empty()) {
    return fail_in(folder, ErrorCode::missing,
                   fmt::format("the folder contains no file of texts, expected at least one file "
                               "whose name ends in {}",
                               fmt::join(extensions, ", ")));
  }
  std::ranges::sort(files, {},
                    [](const fs::path& file) -> const std::string& { return file.native(); });
  return files;
}

}  // namespace

Result<std::vector<fs::path>> input_files(std::span<const fs::path> paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    auto inside = EMBD_TRY(files_in(path));
    std::ranges::move(inside, std::back_inserter(files));
  }
  return files;
}

}  // namespace embd
