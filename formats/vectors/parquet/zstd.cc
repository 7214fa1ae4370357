#include "formats/vectors/parquet/zstd.h"

#include <fmt/format.h>
#include <zstd.h>

#include "base/try.h"

namespace embd::parquet {
namespace {

/// Zstandard's own default.
constexpr int level = 3;

}  // namespace

Result<std::vector<std::byte>> compress(Bytes page) {
  std::vector<std::byte> stored(ZSTD_compressBound(page.size()));
  const std::size_t size =
      ZSTD_compress(stored.data(), stored.size(), page.data(), page.size(), level);
  if (ZSTD_isError(size) != 0)
    return fail(ErrorCode::compression_failed,
                fmt::format("Zstandard: {}", ZSTD_getErrorName(size)));
  stored.resize(size);
  return stored;
}

Result<std::vector<std::byte>> decompress(Bytes stored, std::size_t size) {
  std::vector<std::byte> page(size);
  const std::size_t found = ZSTD_decompress(page.data(), page.size(), stored.data(), stored.size());
  if (ZSTD_isError(found) != 0)
    return fail(ErrorCode::compression_failed,
                fmt::format("Zstandard: {}", ZSTD_getErrorName(found)));
  if (found != size)
    return fail(ErrorCode::compression_failed,
                fmt::format("Zstandard: a page has {} bytes after decompression, expected {}",
                            found, size));
  return page;
}

}  // namespace embd::parquet
