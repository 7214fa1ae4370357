#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/os/file_descriptor.h"

namespace embd {

/// The SHA-256 of an open file, which `make_hash` computes from its bytes, or which an earlier
/// call, of whatever process, wrote down in the file `record`: a line for each of the last 32
/// files.
///
/// A line of the record counts only for a file that still has the line's stamp (base/file_stamp.h),
/// and is written only for a file at rest. `record` counts only if it and its folder are this
/// user's and nobody else may write there; what is damaged in it counts as not there. Folder (0700)
/// and record (0600) are made where they are missing; where they cannot be, nothing is kept.
/// Processes may call it at the same time: at worst one forgets what another wrote.
///
/// `file` is open for reading.
std::string kept_hash(const std::filesystem::path& record, const FileDescriptor& file,
                      const std::function<std::string()>& make_hash);

}  // namespace embd
