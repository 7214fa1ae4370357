#include "text/open_records.h"

#include <utility>

#include "base/os/file_status.h"
#include "base/try.h"
#include "text/byte_stream.h"
#include "text/joined_reader.h"

namespace embd {
namespace {

/// SHA-256 of a regular file; empty for anything else, which can be read only once.
Result<std::string> hash_of_file(const std::filesystem::path& path) {
  if (path == "-" || !os::is_file(path)) return "";
  ByteStream stream = EMBD_TRY(ByteStream::open(path));
  std::string line;
  while (EMBD_TRY(stream.append_line(line))) line.clear();
  return stream.sha256();
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
  if (files.empty()) return fail(ErrorCode::invalid_argument, "no file of texts");
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
