#include "formats/vectors/svs/binary_writer.h"

#include "base/byte_writer.h"
#include "base/try.h"
#include "formats/vectors/svs/svs_layout.h"

namespace embd::svs {

Result<BinaryWriter> BinaryWriter::create(const std::filesystem::path& path) {
  BinaryWriter writer(EMBD_TRY(OutputFile::create(path, WriteOrder::any)));
  ByteWriter header;
  header.zeros(v1_header_bytes);
  EMBD_TRY(writer.file_.write(header.view()));
  return writer;
}

Result<void> BinaryWriter::append(Bytes rows) {
  hash_.update(rows);
  return file_.write(rows);
}

Result<Uuid> BinaryWriter::finish(std::string_view kind, std::uint64_t rows,
                                  std::uint64_t columns) {
  ByteWriter shape;
  shape.text(kind);
  shape.u64(rows);
  shape.u64(columns);
  hash_.update(shape.view());
  const Uuid uuid = Uuid::from_digest(hash_.digest());

  ByteWriter header;
  header.u64(v1_magic);
  const auto stored_uuid = uuid.stored();
  header.bytes(std::as_bytes(std::span(stored_uuid)));
  header.u64(rows);
  header.u64(columns);
  EMBD_TRY(file_.write_at(0, header.view()));
  EMBD_TRY(file_.finish());
  return uuid;
}

}  // namespace embd::svs
