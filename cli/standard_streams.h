#pragma once

namespace embd::cli {

/// Takes the descriptors of standard streams that are closed, so that no file that is opened gets
/// one of them and then what is printed there. Reading and writing them goes on to fail.
void occupy_closed_standard_streams() noexcept;

}  // namespace embd::cli
