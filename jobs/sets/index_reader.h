#pragma once

#include <memory>

#include "embd/index.h"
#include "embd/vectors.h"

namespace embd {

/// Returns the rows of an open index as a vector set, in the order of Index::ids(), with the files
/// beside `path`, from which the index was opened.
Result<std::unique_ptr<VectorReader>> index_vectors(std::shared_ptr<const Index> index,
                                                    const std::filesystem::path& path);

}  // namespace embd
