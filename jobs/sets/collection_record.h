#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "embd/collect.h"
#include "embd/error.h"

// The file collection.json of a collection, which names the generation that readers open:
// docs/formats/collection.md.
namespace embd::collection {

inline constexpr std::string_view record_name = "collection.json";

/// Returns the folder of a generation, and the files in it.
std::filesystem::path generation_folder(const std::filesystem::path& folder,
                                        std::uint64_t generation);
std::filesystem::path passages_in(const std::filesystem::path& folder, std::uint64_t generation);
std::filesystem::path terms_in(const std::filesystem::path& folder, std::uint64_t generation);
/// The index of the passages; a small collection has none.
std::filesystem::path index_in(const std::filesystem::path& folder, std::uint64_t generation);
std::filesystem::path files_in(const std::filesystem::path& folder, std::uint64_t generation);

/// Returns the text of collection.json.
std::string to_json(const CollectionInfo& info);

/// Calls `open` with the settings of a collection, so that it opens the files of the generation. If
/// an update removed them meanwhile, calls it again with the next generation.
template <class T, class Open>
Result<T> with_generation(const std::filesystem::path& folder, Open open) {
  // So many updates during one opening can only come from a writer in a loop.
  constexpr int most_tries = 1000;
  for (int i = 0;; ++i) {
    const auto info = collection_info(folder);
    if (!info) return std::unexpected(info.error());
    Result<T> opened = open(*info);
    if (opened || opened.error().code() != ErrorCode::not_found || i == most_tries) return opened;
    const auto now = collection_info(folder);
    if (!now || now->generation == info->generation) return opened;
  }
}

}  // namespace embd::collection
