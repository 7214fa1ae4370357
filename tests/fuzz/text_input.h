#pragma once

#include "embd/texts.h"
#include "tests/fuzz/memory_file.h"

namespace embd::fuzz {

/// Reads arbitrary bytes as texts with ids. Checks that every record is on a later line than the
/// one before, that no record is larger than the file, and that an error names a line.
inline void read_texts(const std::uint8_t* data, std::size_t size, const InputOptions& options) {
  const auto require = [](bool fact) {
    if (!fact) __builtin_trap();
  };
  const MemoryFile file(data, size);
  const auto reader = open_records(file.path(), options);
  if (!reader) return require(reader.error().line().has_value());
  Record record;
  std::uint64_t line = 0;
  while (true) {
    const auto more = (*reader)->next(record);
    if (!more) return require(more.error().line().has_value());
    if (!*more) break;
    require(record.line > line);
    line = record.line;
    require(record.text.size() <= size);
  }
  require((*reader)->bytes_read() == size);
}

}  // namespace embd::fuzz
