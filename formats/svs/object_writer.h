#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "formats/svs/uuid.h"

namespace embd::svs {

/// The text of svs_config.toml around the fields of its [object].
std::string envelope(std::string_view object);

/// The fields of a plain data set in the binary file `file`.
std::string uncompressed_fields(std::string_view file, std::uint64_t rows, std::uint64_t dim,
                                std::string_view eltype, const Uuid& uuid);

/// A small text file, whole or not at all.
Result<void> write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace embd::svs
