#pragma once

#include "base/byte_writer.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"

namespace embd::finalfusion {

/// Appends the beginning of a chunk that has padding to `file`: its id, its size, its `fields` and
/// the padding. The caller then writes `rest_bytes` more bytes.
inline Result<void> begin_padded_chunk(ChunkId id, Bytes fields, std::uint64_t rest_bytes,
                                       OutputFile& file) {
  const std::uint64_t gap = padding(file.size() + chunk_head_bytes + fields.size());
  ByteWriter head;
  head.u32(std::uint32_t(id));
  head.u64(fields.size() + gap + rest_bytes);
  head.bytes(fields);
  head.zeros(gap);
  return file.write(head.view());
}

}  // namespace embd::finalfusion
