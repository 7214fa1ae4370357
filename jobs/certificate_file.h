#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "embd/error.h"
#include "embd/index_options.h"
#include "index/certificate.h"

namespace embd {

/// Adds the certificate of an index to the recipe file beside it, which is created if it does not
/// exist.
Result<void> store_certificate(const Certificate& certificate, IndexKind kind,
                               const std::filesystem::path& index);

/// Returns the certificate of an index as an object of numbers; null if it has none. Fails with
/// bad_json or bad_type.
Result<nlohmann::json> stored_certificate(const std::filesystem::path& index);

}  // namespace embd
