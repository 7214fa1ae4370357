#pragma once

#include "formats/vectors/svs/dataset.h"

namespace embd::svs {

/// Opens a data set of locally-adaptive vector quantization (LVQ) with one level. The mean of all
/// rows is subtracted, and each row has its own scale and bias.
Result<std::unique_ptr<Dataset>> open_one_level_lvq(const TomlTable& object,
                                                    const std::filesystem::path& directory);
/// Opens a data set of LVQ with two levels. The second code of a row stores the remainder that the
/// first one leaves.
Result<std::unique_ptr<Dataset>> open_two_level_lvq(const TomlTable& object,
                                                    const std::filesystem::path& directory);
/// Opens a LeanVec data set. Rows are decoded from its second part, which has the full dimension.
Result<std::unique_ptr<Dataset>> open_leanvec(const TomlTable& object,
                                              const std::filesystem::path& directory);

}  // namespace embd::svs
