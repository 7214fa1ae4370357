#include "formats/weights/embd/embd_writer.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>

#include "base/checksum.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_spec.h"
#include "formats/weights/embd/embd_tensors.h"

namespace embd {
namespace {

using namespace embd_layout;

/// Returns a number as the type of its field. Fails if it does not fit.
template <std::unsigned_integral T>
Result<T> narrow(std::uint64_t value, std::string_view field) {
  if (value > std::numeric_limits<T>::max()) {
    return fail(ErrorCode::invalid_argument,
                "{} is {}, which does not fit in its field of {} bytes", field, value, sizeof(T));
  }
  return static_cast<T>(value);
}

std::uint64_t align(std::uint64_t offset) {
  return (offset + tensor_alignment - 1) / tensor_alignment * tensor_alignment;
}

Result<ByteWriter> metadata_section(const WeightFileContent& content) {
  ByteWriter entries;
  for (const auto& [key, value] : content.metadata) {
    entries.u16(EMBD_TRY(narrow<std::uint16_t>(key.size(), "metadata key length")));
    entries.u16(EMBD_TRY(narrow<std::uint16_t>(value.size(), "metadata value length")));
    entries.text(key);
    entries.text(value);
  }
  ByteWriter section;
  section.u32(EMBD_TRY(narrow<std::uint32_t>(content.metadata.size(), "metadata entry_count")));
  section.u32(EMBD_TRY(narrow<std::uint32_t>(entries.size(), "metadata total_size")));
  section.bytes(entries.view());
  return section;
}

Result<ByteWriter> vocab_section(const WeightFileContent& content, std::uint64_t section_at) {
  ByteWriter entries;
  for (const std::string& token : content.vocab) {
    entries.u16(EMBD_TRY(narrow<std::uint16_t>(token.size(), "token_length")));
    entries.text(token);
  }
  ByteWriter section;
  section.u32(EMBD_TRY(narrow<std::uint32_t>(content.vocab.size(), "token_count")));
  section.u32(EMBD_TRY(narrow<std::uint32_t>(entries.size(), "vocabulary total_size")));
  section.u32(EMBD_TRY(narrow<std::uint32_t>(section_at + vocab_header_bytes, "special_tokens")));
  for (const std::int32_t id : content.special.ids()) section.u32(static_cast<std::uint32_t>(id));
  section.bytes(entries.view());
  return section;
}

std::uint64_t data_bytes(const TensorSource& tensor) {
  std::uint64_t bytes = element_bits(tensor.type) / 8;
  for (const std::uint32_t dim : tensor.shape.view()) bytes *= dim;
  return bytes;
}

/// Returns the descriptors and names. The tensors follow one another from the start of the data
/// section, which is aligned.
Result<ByteWriter> tensor_index(const WeightFileContent& content) {
  ByteWriter index;
  std::uint64_t data_offset = 0;
  for (const TensorSource& tensor : content.tensors) {
    index.u32(fnv1a32(tensor.name));
    const std::size_t type = tensor_type_number(tensor.type);
    if (type == tensor_types.size())
      return fail(ErrorCode::unsupported, "{}: an EMBD file cannot store tensors of type {}",
                  tensor.name, element_name(tensor.type));
    index.u8(static_cast<std::uint8_t>(type));
    index.u8(static_cast<std::uint8_t>(tensor.shape.rank));
    index.u16(EMBD_TRY(narrow<std::uint16_t>(tensor.name.size(), "name_length")));
    for (const std::uint32_t dim : tensor.shape.dims) index.u32(dim);
    index.u64(data_offset);
    data_offset = align(data_offset + data_bytes(tensor));
  }
  for (const TensorSource& tensor : content.tensors) index.text(tensor.name);
  return index;
}

using WriteBytes = std::function<Result<void>(Bytes)>;

/// Appends bytes to the file and updates the checksums that cover them.
class ChecksummedOutput {
 public:
  explicit ChecksummedOutput(const WriteBytes& write) : write_(write) {}

  Result<void> write(Bytes bytes) {
    file_crc_ = crc32(bytes, file_crc_);
    return write_(bytes);
  }
  /// Writes in pieces, so that a receiver can release the memory of each.
  Result<void> write_data(Bytes bytes) {
    constexpr std::size_t piece_bytes = std::size_t{1} << 20;
    while (!bytes.empty()) {
      const Bytes piece = bytes.first(std::min(piece_bytes, bytes.size()));
      data_crc_ = crc32(piece, data_crc_);
      EMBD_TRY(write(piece));
      bytes = bytes.subspan(piece.size());
    }
    return {};
  }
  std::uint32_t file_crc() const noexcept { return file_crc_; }
  std::uint32_t data_crc() const noexcept { return data_crc_; }

 private:
  const WriteBytes& write_;
  std::uint32_t file_crc_ = 0;
  std::uint32_t data_crc_ = 0;
};

Result<void> write_tensors(const WeightFileContent& content, ChecksummedOutput& output) {
  static constexpr std::array<std::byte, tensor_alignment> zeros = {};
  std::vector<std::byte> memory;
  std::uint64_t offset = 0;
  for (const TensorSource& tensor : content.tensors) {
    const Bytes bytes = EMBD_TRY(bytes_of(tensor, memory));
    EMBD_TRY(output.write_data(Bytes(zeros).first(align(offset) - offset)));
    EMBD_TRY(output.write_data(bytes));
    offset = align(offset) + bytes.size();
  }
  return {};
}

std::uint64_t tensor_data_bytes(const WeightFileContent& content) {
  std::uint64_t end = 0;
  for (const TensorSource& tensor : content.tensors) end = align(end) + data_bytes(tensor);
  return end;
}

/// Joins the parts of the file before the tensors.
Result<WeightFileFront> joined_front(const WeightFileContent& content, const ByteWriter& metadata,
                                     const ByteWriter& vocab, const ByteWriter& index) {
  namespace field = embd_layout::header;
  const bool has_vocab = !content.vocab.empty();
  const std::uint64_t vocab_at = header_bytes + metadata.size();
  const std::uint64_t index_at = vocab_at + vocab.size();
  const std::uint64_t data_at = align(index_at + index.size());
  const std::uint64_t data_size = tensor_data_bytes(content);

  WeightFileFront front;
  front.file_bytes = data_at + data_size + footer_bytes;
  front.sections = {.version_major = supported_major,
                    .version_minor = needed_minor(content.metadata),
                    .flags = (has_vocab ? vocab_embedded : 0) | tensors_aligned |
                             (content.checksums ? checksum_enabled : 0),
                    .metadata = {header_bytes, metadata.size()},
                    .vocab = {vocab_at, vocab.size()},
                    .index = {index_at, index.size()},
                    .names_start = index_at + content.tensors.size() * descriptor_bytes,
                    .data = {data_at, data_size}};
  ByteWriter header;
  header.text(magic_bytes);
  header.u16(supported_major);
  header.u16(front.sections.version_minor);
  header.u32(front.sections.flags);
  header.u32(header_bytes);
  header.u32(EMBD_TRY(narrow<std::uint32_t>(metadata.size(), field::metadata_size.name)));
  header.u32(has_vocab ? EMBD_TRY(narrow<std::uint32_t>(vocab_at, field::vocab_offset.name)) : 0);
  header.u32(EMBD_TRY(narrow<std::uint32_t>(vocab.size(), field::vocab_size.name)));
  header.u32(EMBD_TRY(narrow<std::uint32_t>(index_at, field::tensor_index_offset.name)));
  header.u32(
      EMBD_TRY(narrow<std::uint32_t>(content.tensors.size(), field::tensor_index_count.name)));
  header.u32(EMBD_TRY(narrow<std::uint32_t>(data_at, field::tensor_data_offset.name)));
  header.u64(data_size);
  header.u64(front.file_bytes);
  header.u32(content.checksums ? crc32(header.view().first(checked_header_bytes)) : 0);
  header.u32(0);
  for (const Bytes part : {header.view(), metadata.view(), vocab.view(), index.view()})
    front.bytes.insert(front.bytes.end(), part.begin(), part.end());
  front.bytes.resize(data_at);
  return front;
}

}  // namespace

Result<Bytes> bytes_of(const TensorSource& tensor, std::vector<std::byte>& memory) {
  Bytes bytes = tensor.in_place;
  if (bytes.empty()) {
    memory.clear();
    EMBD_TRY(tensor.read(memory));
    bytes = memory;
  }
  if (bytes.size() == data_bytes(tensor)) return bytes;
  return fail(ErrorCode::invalid_argument,
              "{}: the tensor has {} bytes, but the shape {} of {} takes {}", tensor.name,
              bytes.size(), tensor.shape.text(), element_name(tensor.type), data_bytes(tensor));
}

Result<WeightFileFront> front_of(const WeightFileContent& content) {
  const ByteWriter metadata = EMBD_TRY(metadata_section(content));
  const std::uint64_t vocab_at = header_bytes + metadata.size();
  const ByteWriter vocab =
      content.vocab.empty() ? ByteWriter() : EMBD_TRY(vocab_section(content, vocab_at));
  return joined_front(content, metadata, vocab, EMBD_TRY(tensor_index(content)));
}

Result<void> write_weight_file(const std::filesystem::path& path,
                               const WeightFileContent& content) {
  OutputFile file = EMBD_TRY(OutputFile::create(path));
  EMBD_TRY(write_weights(content, [&](Bytes bytes) { return file.write(bytes); }));
  return file.finish();
}

Result<void> write_weights(const WeightFileContent& content, const WriteBytes& write) {
  const WeightFileFront front = EMBD_TRY(front_of(content));
  ChecksummedOutput output(write);
  EMBD_TRY(output.write(front.bytes));
  EMBD_TRY(write_tensors(content, output));

  ByteWriter footer;
  footer.u32(content.checksums ? output.data_crc() : 0);
  footer.u32(content.checksums ? output.file_crc() : 0);
  footer.text(magic_end_bytes);
  footer.u32(0);
  return write(footer.view());
}

}  // namespace embd
