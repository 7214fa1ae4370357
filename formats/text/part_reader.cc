#include "formats/text/part_reader.h"

#include <fmt/format.h>

#include "base/try.h"

namespace embd {
namespace {

/// Returns the offset where the share of part `index` of `count` begins.
std::uint64_t share_begin(std::uint64_t bytes, std::uint64_t index, std::uint64_t count) {
  const std::uint64_t each = bytes / count;
  const std::uint64_t rest = bytes % count;  // a byte more for the first parts
  return each * index + std::min(rest, index);
}

}  // namespace

Result<std::unique_ptr<PartReader>> PartReader::open(std::span<const std::filesystem::path> files,
                                                     const InputOptions& options, InputPart part) {
  if (part.index >= part.count) {
    return fail(ErrorCode::invalid_argument,
                "part {} of {} was asked for, expected a part number from 0 that is "
                "less than the number of parts",
                part.index, part.count);
  }
  auto whole = EMBD_TRY(open_records(files, options));
  if (!whole->file_bytes() || whole->sha256().empty()) {
    return fail(ErrorCode::invalid_argument,
                "a part of {} was asked for, but only files that have a name and a "
                "size can be divided into parts",
                whole->name());
  }
  const std::uint64_t bytes = *whole->file_bytes();
  std::unique_ptr<PartReader> reader(new PartReader(std::move(whole)));
  reader->is_last_ = part.index + 1 == part.count;
  reader->end_ = share_begin(bytes, part.index + 1, part.count);
  const std::uint64_t begin = share_begin(bytes, part.index, part.count);
  // The first part begins where the first record begins, whatever stands before it.
  if (part.index > 0)
    while (reader->inner().bytes_read() < begin && EMBD_TRY(reader->inner().skip()))
      ++reader->num_before_;
  reader->begin_ = reader->inner().bytes_read();
  reader->sha256_before_ = reader->inner().sha256();
  reader->end_ = std::max(reader->end_, reader->begin_);
  return reader;
}

bool PartReader::is_at_end() const noexcept {
  // The last one reads to the end of the file, where a change of the file is noticed.
  return !is_last_ && inner().bytes_read() >= end_;
}

Result<bool> PartReader::next(Record& record) {
  if (is_at_end()) return false;
  return inner().next(record);
}

Result<bool> PartReader::skip() {
  if (is_at_end()) return false;
  return inner().skip();
}

}  // namespace embd
