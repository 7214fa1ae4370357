#pragma once

#include <string_view>

namespace embd::hub {

/// Returns the SHA-256 that embd knows for a file of a model, so that a hub cannot deliver another
/// file under its name; empty if embd does not know the file. `name` includes the organization.
std::string_view known_sha256(std::string_view name, std::string_view path) noexcept;

}  // namespace embd::hub
