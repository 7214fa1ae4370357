#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "embd/error.h"
#include "embd/index_options.h"
#include "index/certificate.h"

namespace embd {

/// Adds the certificate of an index to the file of its recipe, which may not be there yet.
Result<void> store_certificate(const Certificate& certificate, IndexKind kind,
                               const std::filesystem::path& index);

/// The certificate of an index as an object of numbers; null if it has none. Errors: bad_json,
/// bad_type.
Result<nlohmann::json> stored_certificate(const std::filesystem::path& index);

}  // namespace embd
