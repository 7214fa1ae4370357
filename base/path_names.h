#pragma once

#include <filesystem>
#include <string_view>

namespace embd {

/// Returns a path without a slash at its end: "out.svs/" becomes "out.svs".
std::filesystem::path without_trailing_slash(const std::filesystem::path& path);

/// Returns the path of a companion file, whose name is the name of `path` and `suffix`: "out.npy"
/// and ".ids.jsonl" make "out.npy.ids.jsonl", "out.svs/" makes "out.svs.ids.jsonl".
std::filesystem::path path_beside(const std::filesystem::path& path, std::string_view suffix);

}  // namespace embd
