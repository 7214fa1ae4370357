#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/os/file_descriptor.h"

namespace embd {

/// Returns the SHA-256 of an open file, taking it from the file `record` if any process has
/// computed it before, and otherwise computing it with `make_hash` and storing it there. The record
/// has a line for each of the last 32 files. `file` must be open for reading.
///
/// A line is used only if the file still has the stamp that the line names (base/os/file_status.h),
/// and is written only for a file that has not changed recently. The record is used only if it and
/// its folder belong to this user and nobody else may write there. Damaged lines are ignored.
/// Folder (mode 0700) and record (0600) are created if they are missing; if that fails, nothing is
/// stored. Several processes may use the record at the same time: at worst, one overwrites a line
/// of another.
///
/// `also` names everything besides the file that the hash depends on, such as the hash of other
/// files. It has no spaces or line feeds.
std::string kept_hash(const std::filesystem::path& record, const FileDescriptor& file,
                      const std::function<std::string()>& make_hash, std::string_view also = {});

}  // namespace embd
