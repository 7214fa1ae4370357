#pragma once

#include <filesystem>
#include <string_view>

namespace embd {

/// "out.svs/" is the directory "out.svs".
std::filesystem::path without_trailing_slash(const std::filesystem::path& path);

/// The file whose name is that of `path` and `suffix`: "out.npy" and ".ids.jsonl" make
/// "out.npy.ids.jsonl", "out.svs/" makes "out.svs.ids.jsonl".
std::filesystem::path path_beside(const std::filesystem::path& path, std::string_view suffix);

}  // namespace embd
