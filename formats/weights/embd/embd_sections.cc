#include "formats/weights/embd/embd_sections.h"

#include <fmt/format.h>

#include "base/checksum.h"
#include "base/try.h"

namespace embd {

std::unexpected<Error> fail_at(ErrorCode code, std::uint64_t start, const embd_layout::Field& field,
                               std::string_view found) {
  return fail_at(start + field.at, code, "{}: {}", field.name, found);
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::string out;
  for (const char c : text.substr(0, longest)) {
    const bool plain = c >= ' ' && c <= '~';
    out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > longest ? out + "…" : out;
}

namespace layout = embd_layout;
using layout::Field;

namespace {

/// Returns what a file is that has the weights of a model in another format, as the end of a
/// message; empty if it is something else.
std::string_view kind_of(Bytes file) {
  const std::string_view text = as_text(file);
  constexpr std::size_t length_bytes = sizeof(std::uint64_t);
  if (text.starts_with("GGUF")) return "; the file is a GGUF file of llama.cpp";
  if (text.starts_with("PK\x03\x04") || text.starts_with("\x80\x02"))
    return "; the file is a pickle of PyTorch or another archive";
  if (text.starts_with("\x08") && text.substr(0, 64).contains("\x12"))
    return "; the file may be an ONNX file";
  if (text.size() > length_bytes + 1 && text.substr(length_bytes, 2) == "{\"")
    return "; the file is a safetensors file, which is read with the folder that it lies in";
  return {};
}

class SectionsParser : private EmbdParser {
 public:
  explicit SectionsParser(Bytes file) : EmbdParser(file) {}

  Result<EmbdSections> parse() {
    EMBD_TRY(read_header());
    EMBD_TRY(read_footer());
    EMBD_TRY(place_sections());
    EMBD_TRY(check_overlap());
    return found_;
  }

 private:
  template <class T>
  T header(const Field& where) const {
    return field<T>(0, where);
  }
  std::uint64_t footer_start() const { return bytes_.size() - layout::footer_bytes; }

  Result<void> read_header();
  Result<void> read_footer();
  Result<EmbdSection> place(const Field& start_field, const Field& size_field,
                            std::uint64_t size) const;
  Result<void> place_sections();
  Result<void> place_index();
  Result<void> check_overlap() const;

  EmbdSections found_;
};

Result<void> SectionsParser::read_header() {
  namespace h = layout::header;
  constexpr std::uint64_t smallest = layout::header_bytes + layout::footer_bytes;
  const std::string_view magic =
      as_text(bytes_.first(std::min<std::uint64_t>(bytes_.size(), layout::magic_bytes.size())));
  if (!layout::magic_bytes.starts_with(magic)) {
    return fail_at(ErrorCode::bad_magic, 0, h::magic, "'{}', expected 'EMBD'{}", printable(magic),
                   kind_of(bytes_));
  }
  if (bytes_.size() < smallest) {
    return fail_at(bytes_.size(), ErrorCode::file_too_short,
                   "the file has {} bytes, but the header and the footer alone take {}",
                   bytes_.size(), smallest);
  }
  found_.version_major = header<std::uint16_t>(h::version_major);
  found_.version_minor = header<std::uint16_t>(h::version_minor);
  if (found_.version_major != layout::supported_major) {
    return fail_at(ErrorCode::unsupported_version, 0, h::version_major, "{}.{}, expected 1.x",
                   found_.version_major, found_.version_minor);
  }
  found_.flags = header<std::uint32_t>(h::flags);
  if ((found_.flags & layout::compressed) != 0) {
    return fail_at(ErrorCode::unsupported_flags, 0, h::flags,
                   "the tensor data is marked as compressed, which version 1 does not define");
  }
  if ((found_.flags & ~layout::known_flags) != 0) {
    return fail_at(ErrorCode::unsupported_flags, 0, h::flags,
                   "{:#x} has bits that version 1 does not define", found_.flags);
  }
  const auto reserved = header<std::uint32_t>(h::reserved);
  if (reserved != 0) {
    return fail_at(ErrorCode::reserved_not_zero, 0, h::reserved, "{:#x}", reserved);
  }
  const auto stored = header<std::uint32_t>(h::header_checksum);
  const std::uint32_t expected =
      found_.has_checksums() ? crc32(bytes_.first(layout::checked_header_bytes)) : 0;
  if (stored != expected) {
    return fail_at(ErrorCode::header_checksum, 0, h::header_checksum,
                   "{:#010x}, expected {:#010x}{}", stored, expected,
                   found_.has_checksums() ? "" : " as checksums are off");
  }
  const auto total = header<std::uint64_t>(h::total_file_size);
  if (total != bytes_.size()) {
    return fail_at(ErrorCode::file_size_mismatch, 0, h::total_file_size,
                   "{}, but the file has {} bytes", total, bytes_.size());
  }
  return {};
}

Result<void> SectionsParser::read_footer() {
  namespace f = layout::footer;
  const std::uint64_t start = footer_start();
  const std::string_view magic = text(start + f::magic_end.at, layout::magic_end_bytes.size());
  if (magic != layout::magic_end_bytes) {
    return fail_at(ErrorCode::footer_magic, start, f::magic_end, "'{}', expected 'DBME'",
                   printable(magic));
  }
  const auto reserved = field<std::uint32_t>(start, f::reserved);
  if (reserved != 0) {
    return fail_at(ErrorCode::reserved_not_zero, start, f::reserved, "{:#x}", reserved);
  }
  if (found_.has_checksums()) return {};
  // Otherwise, one flipped bit of the flags could switch off verification unnoticed.
  for (const auto& [where, code] : {std::pair(f::data_checksum, ErrorCode::data_checksum),
                                    std::pair(f::file_checksum, ErrorCode::file_checksum)}) {
    const auto stored = field<std::uint32_t>(start, where);
    if (stored != 0) {
      return fail_at(code, start, where, "{:#010x}, expected 0 as checksums are off", stored);
    }
  }
  return {};
}

/// Returns the section of `size` bytes whose start the header states. Checks that it is inside the
/// file and overlaps neither header nor footer.
Result<EmbdSection> SectionsParser::place(const Field& start_field, const Field& size_field,
                                          std::uint64_t size) const {
  const std::uint64_t start = header<std::uint32_t>(start_field);
  if (start > bytes_.size()) {
    return fail_at(ErrorCode::section_out_of_bounds, 0, start_field,
                   "{} is past the end of the file at {}", start, bytes_.size());
  }
  if (size > bytes_.size() - start) {
    return fail_at(ErrorCode::section_out_of_bounds, 0, size_field,
                   "{} bytes from byte {} on run past the end of the file at {}", size, start,
                   bytes_.size());
  }
  if (start < layout::header_bytes) {
    return fail_at(ErrorCode::sections_overlap, 0, start_field,
                   "the section begins at byte {}, inside the header", start);
  }
  if (start + size > footer_start()) {
    return fail_at(ErrorCode::sections_overlap, 0, size_field,
                   "{} bytes from byte {} on run into the footer at {}", size, start,
                   footer_start());
  }
  return EmbdSection{start, size};
}

Result<void> SectionsParser::place_sections() {
  namespace h = layout::header;
  found_.metadata = EMBD_TRY(
      place(h::metadata_offset, h::metadata_size, header<std::uint32_t>(h::metadata_size)));
  const auto vocab_bytes = header<std::uint32_t>(h::vocab_size);
  if (found_.has_vocab()) {
    found_.vocab = EMBD_TRY(place(h::vocab_offset, h::vocab_size, vocab_bytes));
  } else if (vocab_bytes != 0) {
    return fail_at(ErrorCode::unsupported_flags, 0, h::vocab_size,
                   "{}, but the flags say that there is no vocabulary", vocab_bytes);
  }
  EMBD_TRY(place_index());
  found_.data = EMBD_TRY(place(h::tensor_data_offset, h::tensor_data_size,
                               header<std::uint64_t>(h::tensor_data_size)));
  return {};
}

/// Sets the place of the index: the descriptors, directly followed by the names, whose lengths the
/// descriptors state.
Result<void> SectionsParser::place_index() {
  namespace h = layout::header;
  namespace d = layout::descriptor;
  const std::uint64_t count = header<std::uint32_t>(h::tensor_index_count);
  found_.index = EMBD_TRY(
      place(h::tensor_index_offset, h::tensor_index_count, count * layout::descriptor_bytes));
  found_.names_start = found_.index.end();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = found_.index.start + i * layout::descriptor_bytes;
    const std::uint64_t length = field<std::uint16_t>(at, d::name_length);
    const std::uint64_t left = footer_start() - found_.index.end();
    if (length > left) {
      return fail_at(ErrorCode::tensor_name_out_of_bounds, at, d::name_length,
                     "{} bytes are needed for the name of tensor {}, but only {} are left", length,
                     i, left);
    }
    found_.index.size += length;
  }
  return {};
}

Result<void> SectionsParser::check_overlap() const {
  namespace h = layout::header;
  struct Named {
    EmbdSection section;
    Field field;
  };
  std::vector<Named> sections = {{found_.metadata, h::metadata_offset},
                                 {found_.index, h::tensor_index_offset},
                                 {found_.data, h::tensor_data_offset}};
  if (found_.has_vocab()) sections.push_back({found_.vocab, h::vocab_offset});
  std::ranges::sort(sections, {}, [](const Named& named) {
    return std::pair(named.section.start, named.section.size);
  });
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const auto& [before, before_field] = sections[i - 1];
    const auto& [section, section_field] = sections[i];
    if (before.end() > section.start) {
      return fail_at(ErrorCode::sections_overlap, 0, section_field,
                     "{} lies inside the section of {}, {} to {}", section.start, before_field.name,
                     before.start, before.end());
    }
  }
  return {};
}

}  // namespace

Result<EmbdSections> read_sections(Bytes file) {
  return SectionsParser(file).parse();
}

}  // namespace embd
