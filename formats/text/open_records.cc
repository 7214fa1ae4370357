#include "formats/text/open_records.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/system_error.h"
#include "base/try.h"
#include "formats/text/joined_reader.h"

namespace embd {
namespace {

/// Returns the SHA-256 of a regular file; empty for any other input, which can be read only once.
Result<std::string> hash_of_file(const std::filesystem::path& path) {
  if (path == "-" || !os::is_file(path)) return "";
  const FileDescriptor file = EMBD_TRY(FileDescriptor::open(path));
  const FileStatus status = EMBD_TRY(result_of("stat", path, os::status_of(file)));
  std::vector<std::byte> piece;
  Sha256 hash;
  for (std::uint64_t at = 0; at < status.size; at += piece.size()) {
    piece.resize(std::min(status.size - at, std::uint64_t{1} << 20));
    EMBD_TRY(file.read_at(at, piece, path));
    hash.update(piece);
  }
  return hash.hex();
}

}  // namespace

Result<std::unique_ptr<RecordReader>> open_records(const std::filesystem::path& path,
                                                   const InputOptions& options) {
  return open_records(path, options, {});
}

Result<std::unique_ptr<RecordReader>> open_records(const std::filesystem::path& path,
                                                   const InputOptions& options,
                                                   std::stop_token stop) {
  return open_records(std::span(&path, 1), options, std::move(stop));
}

Result<std::unique_ptr<RecordReader>> open_records(std::span<const std::filesystem::path> paths,
                                                   const InputOptions& options) {
  return open_records(paths, options, {});
}

Result<std::unique_ptr<RecordReader>> open_records(std::span<const std::filesystem::path> paths,
                                                   const InputOptions& options,
                                                   std::stop_token stop) {
  auto files = EMBD_TRY(input_files(paths));
  if (files.empty())
    return fail(ErrorCode::invalid_argument, "no file of texts was given, expected at least one");
  if (files.size() == 1) return open_file(files.front(), options, std::move(stop));
  return EMBD_TRY(JoinedReader::open(std::move(files), options, std::move(stop)));
}

Result<std::string> hash_of_inputs(std::span<const std::filesystem::path> files) {
  if (files.size() == 1) return hash_of_file(files.front());
  HashOfFiles hash;
  for (const std::filesystem::path& file : files) hash.add(EMBD_TRY(hash_of_file(file)));
  return hash.hex();
}

}  // namespace embd
