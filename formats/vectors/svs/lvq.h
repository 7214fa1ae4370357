#pragma once

#include "formats/vectors/svs/dataset.h"

namespace embd::svs {

/// Locally-adaptive vector quantization: each row has its own scale and bias around the mean of
/// all.
Result<std::unique_ptr<Dataset>> open_one_level_lvq(const TomlTable& object,
                                                    const std::filesystem::path& directory);
/// The same, and a second code for what the first leaves over.
Result<std::unique_ptr<Dataset>> open_two_level_lvq(const TomlTable& object,
                                                    const std::filesystem::path& directory);
/// LeanVec: decoded from its second, full-dimensional data set.
Result<std::unique_ptr<Dataset>> open_leanvec(const TomlTable& object,
                                              const std::filesystem::path& directory);

}  // namespace embd::svs
