#include "formats/vectors/svs/written_files.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/try.h"

namespace embd::svs {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 11> written = {
    "svs_config.toml",
    "data_0.svs",
    "data_1.svs",
    "data_2.svs",
    "lvq_data_0.svs",
    "config/svs_config.toml",
    "config/id_translation_0.binary",
    "data/svs_config.toml",
    "data/data_0.svs",
    "graph/svs_config.toml",
    "graph/graph_0.svs",
};

bool is_written(const fs::path& name, const fs::file_status& status) {
  if (name == "config" || name == "data" || name == "graph") return fs::is_directory(status);
  return fs::is_regular_file(status) && is_written_file(name);
}

}  // namespace

bool is_written_file(const fs::path& name) {
  return std::ranges::find(written, name.native()) != written.end();
}

Result<void> check_replaceable(const fs::path& directory) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(directory, error)) {
    const fs::path name = entry.path().lexically_relative(directory);
    if (is_written(name, entry.symlink_status(error))) continue;
    return fail_in(entry.path(), ErrorCode::io_failed,
                   "embd does not write files of this name, so the directory that contains it is "
                   "not replaced: choose another name for the output, or move the file away");
  }
  if (!error) return {};
  return fail_in(directory, ErrorCode::io_failed, error.message());
}

}  // namespace embd::svs
