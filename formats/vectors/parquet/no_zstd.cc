// Replaces zstd.cc in builds without Zstandard, such as the Python module, which would grow by a
// third.
#include "formats/vectors/parquet/zstd.h"

#include "base/try.h"

namespace embd::parquet {
namespace {

std::unexpected<Error> left_out() {
  return fail(ErrorCode::unsupported,
              "the file needs Zstandard, which is not part of this build of embd");
}

}  // namespace

Result<std::vector<std::byte>> compress(Bytes) {
  return left_out();
}

Result<std::vector<std::byte>> decompress(Bytes, std::size_t) {
  return left_out();
}

}  // namespace embd::parquet
