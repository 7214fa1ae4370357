#include "formats/vectors/usearch/usearch_writer.h"

#include "base/byte_writer.h"
#include "base/try.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd::usearch {
namespace {

void put_list(std::span<const std::uint32_t> list, SlotKind kind, ByteWriter& out) {
  if (kind == SlotKind::u32) {
    out.bytes(std::as_bytes(list));
    return;
  }
  out.u32(list[0]);
  for (const std::uint32_t slot : list.subspan(1)) {
    out.u32(slot);
    out.u8(0);
  }
}

}  // namespace

Result<Writer> Writer::create(const std::filesystem::path& path, const Header& header) {
  Writer writer(EMBD_TRY(OutputFile::create(path)), header);
  const std::uint64_t cols = row_bytes(header.scalar, header.dimensions);
  ByteWriter head;
  if (header.matrix == MatrixHead::u32) {
    head.u32(static_cast<std::uint32_t>(header.size));
    head.u32(static_cast<std::uint32_t>(cols));
  } else if (header.matrix == MatrixHead::u64) {
    head.u64(header.size);
    head.u64(cols);
  }
  EMBD_TRY(writer.file_.write(head.view()));
  return writer;
}

Result<void> Writer::rows(Bytes bytes) {
  return file_.write(bytes);
}

Result<void> Writer::graph(std::span<const std::int16_t> levels) {
  ByteWriter out;
  out.text(magic);
  out.u16(major_version);
  out.u16(written_minor);
  out.u16(written_patch);
  out.u8(static_cast<std::uint8_t>(metric_code(header_.metric)));
  out.u8(scalar_code(header_.scalar));
  out.u8(static_cast<std::uint8_t>(header_.key));
  out.u8(static_cast<std::uint8_t>(header_.slot));
  out.u64(header_.present);
  out.u64(header_.deleted);
  out.u64(header_.dimensions);
  out.u8(header_.multi ? 1 : 0);
  out.zeros(head_bytes - out.size());
  out.u64(header_.size);
  out.u64(header_.connectivity);
  out.u64(header_.connectivity_base);
  out.u64(header_.max_level);
  out.u64(header_.entry_slot);
  EMBD_TRY(file_.write(out.view()));
  return file_.write(std::as_bytes(levels));
}

Result<void> Writer::node(std::uint64_t key, std::int16_t level,
                          std::span<const std::uint32_t> base,
                          std::span<const std::uint32_t> upper) {
  ByteWriter out;
  if (header_.key == KeyKind::u64) {
    out.u64(key);
  } else {
    out.u32(static_cast<std::uint32_t>(key));
  }
  out.i16(level);
  put_list(base, header_.slot, out);
  const std::size_t list_size = 1 + header_.connectivity;
  for (std::size_t l = 0; l < static_cast<std::size_t>(level); ++l) {
    put_list(upper.subspan(l * list_size, list_size), header_.slot, out);
  }
  return file_.write(out.view());
}

Result<void> Writer::finish() {
  return file_.finish();
}

}  // namespace embd::usearch
