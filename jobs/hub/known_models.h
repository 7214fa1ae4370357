#pragma once

#include <string_view>

namespace embd::hub {

/// Returns the SHA-256 that embd has of a file of a model, so that a hub cannot give another one
/// under its name; empty for all that it does not know. `name`: with its organization.
std::string_view known_sha256(std::string_view name, std::string_view path) noexcept;

}  // namespace embd::hub
