#include "formats/embd/embd_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/checksum.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/embd/embd_layout.h"

namespace embd {

namespace layout = embd_layout;
using layout::Field;

namespace {

/// The error for a field of a structure that begins at `start`.
std::unexpected<Error> fail_at(ErrorCode code, std::uint64_t start, const Field& field,
                               std::string_view found) {
  return std::unexpected(
      Error(code, fmt::format("{}: {}", field.name, found)).at_offset(start + field.at));
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

/// Positions of `names` sorted by name, equal names in their own order.
template <class Name>
std::vector<std::uint32_t> sorted_by_name(std::size_t count, const Name& name) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const int by_text = name(a).compare(name(b));
    return by_text != 0 ? by_text < 0 : a < b;
  });
  return order;
}

/// Of positions sorted by name, the first neighbours of one name: {second, first}.
template <class Name>
std::optional<std::pair<std::uint32_t, std::uint32_t>> find_repeated(
    std::span<const std::uint32_t> order, const Name& name) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (name(order[i]) == name(order[i - 1])) return std::pair(order[i], order[i - 1]);
  }
  return std::nullopt;
}

std::string_view name_of_matrix(const WeightMatrix& matrix) {
  return matrix.values->name;
}

struct Section {
  std::uint64_t start = 0;
  std::uint64_t size = 0;

  std::uint64_t end() const noexcept { return start + size; }
};

/// Number of the layer a name such as "encoder.layer.3.output.dense.bias" belongs to; one too large
/// to count is as large as can be.
std::optional<std::uint32_t> layer_of(std::string_view name) {
  constexpr std::string_view prefix = "encoder.layer.";
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint32_t layer = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
  if (end == name.data() || end == name.data() + name.size() || *end != '.') return std::nullopt;
  return error == std::errc() ? layer : ~std::uint32_t{0};
}

}  // namespace

/// Takes a file apart from front to back; each step relies on the ones before it.
class WeightFileParser {
 public:
  WeightFileParser(WeightFile& file, WeightFileOptions& options)
      : file_(file), bytes_(file.bytes_), options_(options) {}

  Result<void> parse() {
    EMBD_TRY(read_header());
    EMBD_TRY(read_footer());
    EMBD_TRY(place_sections());
    EMBD_TRY(read_metadata());
    file_.config_ = EMBD_TRY(parse_config(file_.metadata_, metadata_.start));
    EMBD_TRY(file_.has_own_vocab() ? read_vocab() : take_given_vocab());
    EMBD_TRY(read_index());
    EMBD_TRY(check_names());
    EMBD_TRY(check_data_overlap());
    EMBD_TRY(check_against_config());
    return collect_required_tensors();
  }

 private:
  template <class T>
  T field(std::uint64_t start, const Field& where) const {
    return load<T>(bytes_.subspan(start + where.at));
  }
  template <class T>
  T header(const Field& where) const {
    return field<T>(0, where);
  }
  std::string_view text(std::uint64_t start, std::uint64_t size) const {
    return as_text(bytes_.subspan(start, size));
  }
  std::uint64_t footer_start() const { return bytes_.size() - layout::footer_bytes; }

  Result<void> read_header();
  Result<void> read_footer();
  Result<Section> place(const Field& start_field, const Field& size_field,
                        std::uint64_t size) const;
  Result<void> place_sections();
  Result<void> place_index();
  Result<void> check_section_overlap() const;
  Result<void> read_metadata();
  Result<std::uint64_t> read_metadata_entry(std::uint64_t at, std::uint32_t i);
  Result<void> read_vocab();
  Result<std::uint64_t> place_special_ids(std::uint32_t stated) const;
  Result<void> read_tokens(std::uint64_t at, std::uint64_t end, std::uint32_t count);
  Result<void> check_tokens_distinct() const;
  Result<void> read_special_ids(std::uint64_t at);
  Result<void> take_given_vocab();
  Result<void> read_index();
  Result<Tensor> read_descriptor(std::uint64_t at, std::uint64_t name_at) const;
  Result<TensorShape> read_shape(std::uint64_t at, std::string_view name) const;
  Result<void> check_names();
  Result<void> check_data_overlap() const;
  Result<void> check_against_config() const;
  Result<void> check_layers() const;
  Result<void> collect_required_tensors();
  Result<void> check_type_and_shape(const Tensor& tensor, const TensorShape& shape,
                                    bool is_type_allowed) const;
  Result<const Tensor*> find_scale(const Tensor& matrix) const;
  Result<const Tensor*> find_smooth(const Tensor& matrix) const;
  std::unexpected<Error> contradiction(std::string_view key, std::string_view found) const;
  std::unexpected<Error> missing(std::string_view name) const;
  bool is_packed(std::string_view name) const;

  WeightFile& file_;
  const Bytes bytes_;
  WeightFileOptions& options_;
  Section metadata_;
  Section vocab_;
  Section index_;
  Section data_;
  std::uint64_t names_start_ = 0;
  std::vector<std::uint64_t> name_starts_;
};

Result<void> WeightFileParser::read_header() {
  namespace h = layout::header;
  constexpr std::uint64_t smallest = layout::header_bytes + layout::footer_bytes;
  if (bytes_.size() < smallest) {
    return std::unexpected(
        Error(ErrorCode::file_too_short,
              fmt::format("{} bytes, header and footer alone take {}", bytes_.size(), smallest))
            .at_offset(bytes_.size()));
  }
  const std::string_view magic = text(h::magic.at, layout::magic_bytes.size());
  if (magic != layout::magic_bytes) {
    return fail_at(ErrorCode::bad_magic, 0, h::magic,
                   fmt::format("'{}', expected 'EMBD'", printable(magic)));
  }
  file_.version_major_ = header<std::uint16_t>(h::version_major);
  file_.version_minor_ = header<std::uint16_t>(h::version_minor);
  if (file_.version_major_ != layout::supported_major) {
    return fail_at(
        ErrorCode::unsupported_version, 0, h::version_major,
        fmt::format("{}.{}, only 1.x can be read", file_.version_major_, file_.version_minor_));
  }
  file_.flags_ = header<std::uint32_t>(h::flags);
  if ((file_.flags_ & layout::compressed) != 0) {
    return fail_at(ErrorCode::unsupported_flags, 0, h::flags,
                   "the tensor data is marked as compressed, which version 1 does not define");
  }
  if ((file_.flags_ & ~layout::known_flags) != 0) {
    return fail_at(ErrorCode::unsupported_flags, 0, h::flags,
                   fmt::format("{:#x} has bits that version 1 does not define", file_.flags_));
  }
  const auto reserved = header<std::uint32_t>(h::reserved);
  if (reserved != 0) {
    return fail_at(ErrorCode::reserved_not_zero, 0, h::reserved, fmt::format("{:#x}", reserved));
  }
  const auto stored = header<std::uint32_t>(h::header_checksum);
  const std::uint32_t expected =
      file_.has_checksums() ? crc32(bytes_.first(layout::checked_header_bytes)) : 0;
  if (stored != expected) {
    return fail_at(ErrorCode::header_checksum, 0, h::header_checksum,
                   fmt::format("{:#010x}, expected {:#010x}{}", stored, expected,
                               file_.has_checksums() ? "" : " as checksums are off"));
  }
  const auto total = header<std::uint64_t>(h::total_file_size);
  if (total != bytes_.size()) {
    return fail_at(ErrorCode::file_size_mismatch, 0, h::total_file_size,
                   fmt::format("{}, but the file has {} bytes", total, bytes_.size()));
  }
  return {};
}

Result<void> WeightFileParser::read_footer() {
  namespace f = layout::footer;
  const std::uint64_t start = footer_start();
  const std::string_view magic = text(start + f::magic_end.at, layout::magic_end_bytes.size());
  if (magic != layout::magic_end_bytes) {
    return fail_at(ErrorCode::footer_magic, start, f::magic_end,
                   fmt::format("'{}', expected 'DBME'", printable(magic)));
  }
  const auto reserved = field<std::uint32_t>(start, f::reserved);
  if (reserved != 0) {
    return fail_at(ErrorCode::reserved_not_zero, start, f::reserved,
                   fmt::format("{:#x}", reserved));
  }
  if (file_.has_checksums()) return {};
  // Else one flipped bit of the flags could switch the verification off unnoticed.
  for (const auto& [where, code] : {std::pair(f::data_checksum, ErrorCode::data_checksum),
                                    std::pair(f::file_checksum, ErrorCode::file_checksum)}) {
    const auto stored = field<std::uint32_t>(start, where);
    if (stored != 0) {
      return fail_at(code, start, where,
                     fmt::format("{:#010x}, expected 0 as checksums are off", stored));
    }
  }
  return {};
}

/// The section of `size` bytes whose start the header states, inside the file and clear of header
/// and footer.
Result<Section> WeightFileParser::place(const Field& start_field, const Field& size_field,
                                        std::uint64_t size) const {
  const std::uint64_t start = header<std::uint32_t>(start_field);
  if (start > bytes_.size()) {
    return fail_at(ErrorCode::section_out_of_bounds, 0, start_field,
                   fmt::format("{} is past the end, {}", start, bytes_.size()));
  }
  if (size > bytes_.size() - start) {
    return fail_at(
        ErrorCode::section_out_of_bounds, 0, size_field,
        fmt::format("{} bytes from {} run past the end, {}", size, start, bytes_.size()));
  }
  if (start < layout::header_bytes) {
    return fail_at(ErrorCode::sections_overlap, 0, start_field,
                   fmt::format("{} lies in the header", start));
  }
  if (start + size > footer_start()) {
    return fail_at(
        ErrorCode::sections_overlap, 0, size_field,
        fmt::format("{} bytes from {} run into the footer at {}", size, start, footer_start()));
  }
  return Section{start, size};
}

Result<void> WeightFileParser::place_sections() {
  namespace h = layout::header;
  metadata_ = EMBD_TRY(
      place(h::metadata_offset, h::metadata_size, header<std::uint32_t>(h::metadata_size)));
  const auto vocab_bytes = header<std::uint32_t>(h::vocab_size);
  if (file_.has_own_vocab()) {
    vocab_ = EMBD_TRY(place(h::vocab_offset, h::vocab_size, vocab_bytes));
  } else if (vocab_bytes != 0) {
    return fail_at(ErrorCode::unsupported_flags, 0, h::vocab_size,
                   fmt::format("{}, but the flags say that there is no vocabulary", vocab_bytes));
  }
  EMBD_TRY(place_index());
  data_ = EMBD_TRY(place(h::tensor_data_offset, h::tensor_data_size,
                         header<std::uint64_t>(h::tensor_data_size)));
  file_.data_ = bytes_.subspan(data_.start, data_.size);
  return check_section_overlap();
}

/// The descriptors and, right behind them, the names, whose lengths the descriptors state.
Result<void> WeightFileParser::place_index() {
  namespace h = layout::header;
  namespace d = layout::descriptor;
  const std::uint64_t count = header<std::uint32_t>(h::tensor_index_count);
  index_ = EMBD_TRY(
      place(h::tensor_index_offset, h::tensor_index_count, count * layout::descriptor_bytes));
  names_start_ = index_.end();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = index_.start + i * layout::descriptor_bytes;
    const std::uint64_t length = field<std::uint16_t>(at, d::name_length);
    const std::uint64_t left = footer_start() - index_.end();
    if (length > left) {
      return fail_at(ErrorCode::tensor_name_out_of_bounds, at, d::name_length,
                     fmt::format("{} bytes for the name of tensor {}, {} remain", length, i, left));
    }
    index_.size += length;
  }
  return {};
}

Result<void> WeightFileParser::check_section_overlap() const {
  namespace h = layout::header;
  struct Named {
    Section section;
    Field field;
  };
  std::vector<Named> sections = {{metadata_, h::metadata_offset},
                                 {index_, h::tensor_index_offset},
                                 {data_, h::tensor_data_offset}};
  if (file_.has_own_vocab()) sections.push_back({vocab_, h::vocab_offset});
  std::ranges::sort(sections, {}, [](const Named& named) {
    return std::pair(named.section.start, named.section.size);
  });
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const auto& [before, before_field] = sections[i - 1];
    const auto& [section, section_field] = sections[i];
    if (before.end() > section.start) {
      return fail_at(ErrorCode::sections_overlap, 0, section_field,
                     fmt::format("{} lies inside the section of {}, {} to {}", section.start,
                                 before_field.name, before.start, before.end()));
    }
  }
  return {};
}

Result<void> WeightFileParser::read_metadata() {
  namespace m = layout::metadata;
  if (metadata_.size < layout::metadata_header_bytes) {
    return fail_at(ErrorCode::metadata_size, 0, layout::header::metadata_size,
                   fmt::format("{} bytes, the section's header alone takes {}", metadata_.size,
                               layout::metadata_header_bytes));
  }
  const std::uint64_t start = metadata_.start;
  const auto count = field<std::uint32_t>(start, m::entry_count);
  const auto total = field<std::uint32_t>(start, m::total_size);
  const std::uint64_t entries_bytes = metadata_.size - layout::metadata_header_bytes;
  if (total != entries_bytes) {
    return fail_at(ErrorCode::metadata_size, start, m::total_size,
                   fmt::format("{}, but the section has room for {}", total, entries_bytes));
  }
  if (count > total / layout::metadata_entry_header_bytes) {
    return fail_at(ErrorCode::metadata_size, start, m::entry_count,
                   fmt::format("{} entries cannot fit in {} bytes", count, total));
  }
  file_.metadata_.reserve(count);
  std::uint64_t at = start + layout::metadata_header_bytes;
  for (std::uint32_t i = 0; i < count; ++i) at = EMBD_TRY(read_metadata_entry(at, i));
  if (at != metadata_.end()) {
    return fail_at(ErrorCode::metadata_size, start, m::entry_count,
                   fmt::format("{} entries leave {} bytes over", count, metadata_.end() - at));
  }
  const auto key = [this](std::uint32_t i) { return file_.metadata_[i].key; };
  if (const auto repeated = find_repeated(sorted_by_name(count, key), key)) {
    const MetadataEntry& entry = file_.metadata_[repeated->first];
    return std::unexpected(
        Error(ErrorCode::metadata_duplicate_key, fmt::format("key: '{}'", printable(entry.key)))
            .at_offset(entry.value_at - entry.key.size()));
  }
  return {};
}

/// Returns where the next entry begins.
Result<std::uint64_t> WeightFileParser::read_metadata_entry(std::uint64_t at, std::uint32_t i) {
  namespace e = layout::metadata_entry;
  std::uint64_t left = metadata_.end() - at;
  if (left < layout::metadata_entry_header_bytes) {
    return fail_at(ErrorCode::metadata_size, metadata_.start, layout::metadata::entry_count,
                   fmt::format("the section ends before entry {}", i));
  }
  left -= layout::metadata_entry_header_bytes;
  const std::uint64_t key_size = field<std::uint16_t>(at, e::key_length);
  const std::uint64_t value_size = field<std::uint16_t>(at, e::value_length);
  if (key_size > left) {
    return fail_at(ErrorCode::metadata_entry_out_of_bounds, at, e::key_length,
                   fmt::format("{} bytes in entry {}, {} remain", key_size, i, left));
  }
  if (value_size > left - key_size) {
    return fail_at(ErrorCode::metadata_entry_out_of_bounds, at, e::value_length,
                   fmt::format("{} bytes in entry {}, {} remain", value_size, i, left - key_size));
  }
  const std::uint64_t key_at = at + layout::metadata_entry_header_bytes;
  const std::uint64_t value_at = key_at + key_size;
  const MetadataEntry entry{text(key_at, key_size), text(value_at, value_size), value_at};
  for (const auto& [what, part, start] :
       {std::tuple("key", entry.key, key_at), std::tuple("value", entry.value, value_at)}) {
    if (const auto bad = find_invalid_utf8(part)) {
      return std::unexpected(
          Error(ErrorCode::invalid_utf8,
                fmt::format("{} of metadata entry {} from its byte {} on", what, i, *bad))
              .at_offset(start));
    }
  }
  file_.metadata_.push_back(entry);
  return value_at + value_size;
}

Result<void> WeightFileParser::read_vocab() {
  namespace v = layout::vocab;
  constexpr std::uint64_t fixed = layout::vocab_header_bytes + layout::special_ids_bytes;
  if (vocab_.size < fixed) {
    return fail_at(
        ErrorCode::vocabulary_size, 0, layout::header::vocab_size,
        fmt::format("{} bytes, the section's header and special ids take {}", vocab_.size, fixed));
  }
  const std::uint64_t start = vocab_.start;
  const auto count = field<std::uint32_t>(start, v::token_count);
  const std::uint64_t total = field<std::uint32_t>(start, v::total_size);
  const auto stated = field<std::uint32_t>(start, v::special_tokens);
  const std::uint64_t special_at = EMBD_TRY(place_special_ids(stated));

  // The ids come right after the header or anywhere behind the entries.
  const bool special_first = special_at == start + layout::vocab_header_bytes;
  const std::uint64_t entries_at = start + (special_first ? fixed : layout::vocab_header_bytes);
  if (total > vocab_.end() - entries_at) {
    return fail_at(ErrorCode::vocabulary_size, start, v::total_size,
                   fmt::format("{} bytes of tokens, {} remain", total, vocab_.end() - entries_at));
  }
  if (!special_first && special_at < entries_at + total) {
    return fail_at(ErrorCode::special_tokens_offset, start, v::special_tokens,
                   fmt::format("{} lies in the token entries, {} to {}", stated, entries_at,
                               entries_at + total));
  }
  EMBD_TRY(read_tokens(entries_at, entries_at + total, count));
  if (count != file_.config_.vocab_size) {
    return fail_at(
        ErrorCode::vocabulary_count, start, v::token_count,
        fmt::format("{}, but the metadata's vocab_size is {}", count, file_.config_.vocab_size));
  }
  EMBD_TRY(read_special_ids(special_at));
  if (!options_.vocab.empty() && !std::ranges::equal(options_.vocab, file_.vocab_)) {
    return fail(ErrorCode::invalid_argument,
                "a vocabulary was given, but the file has its own, and they differ");
  }
  return {};
}

/// The ids' absolute place. A value below the section's start is relative to it.
Result<std::uint64_t> WeightFileParser::place_special_ids(std::uint32_t stated) const {
  const std::uint64_t at = stated < vocab_.start ? vocab_.start + stated : stated;
  if (at < vocab_.start + layout::vocab_header_bytes ||
      at + layout::special_ids_bytes > vocab_.end()) {
    return fail_at(ErrorCode::special_tokens_offset, vocab_.start, layout::vocab::special_tokens,
                   fmt::format("{} leaves no room for the ids in the section, {} to {}", stated,
                               vocab_.start, vocab_.end()));
  }
  return at;
}

Result<void> WeightFileParser::read_tokens(std::uint64_t at, std::uint64_t end,
                                           std::uint32_t count) {
  namespace v = layout::vocab;
  if (count > (end - at) / layout::token_header_bytes) {
    return fail_at(ErrorCode::vocabulary_entry_out_of_bounds, vocab_.start, v::token_count,
                   fmt::format("{} tokens cannot fit in {} bytes", count, end - at));
  }
  file_.vocab_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (end - at < layout::token_header_bytes) {
      return fail_at(ErrorCode::vocabulary_entry_out_of_bounds, vocab_.start, v::token_count,
                     fmt::format("{}, but the entries end before token {}", count, i));
    }
    const std::uint64_t length = load<std::uint16_t>(bytes_.subspan(at));
    const std::uint64_t left = end - at - layout::token_header_bytes;
    if (length > left) {
      return fail_at(ErrorCode::vocabulary_entry_out_of_bounds, at, {"token_length", 0},
                     fmt::format("{} bytes for token {}, {} remain", length, i, left));
    }
    at += layout::token_header_bytes;
    const std::string_view token = text(at, length);
    if (const auto bad = find_invalid_utf8(token)) {
      return fail_at(ErrorCode::invalid_utf8, at, {"token", 0},
                     fmt::format("token {} from its byte {} on", i, *bad));
    }
    file_.vocab_.push_back(token);
    at += length;
  }
  if (at != end) {
    return fail_at(ErrorCode::vocabulary_size, vocab_.start, v::total_size,
                   fmt::format("{} tokens leave {} bytes over", count, end - at));
  }
  return check_tokens_distinct();
}

Result<void> WeightFileParser::check_tokens_distinct() const {
  std::unordered_map<std::string_view, std::size_t> ids;
  ids.reserve(file_.vocab_.size());
  for (std::size_t id = 0; id < file_.vocab_.size(); ++id) {
    const std::string_view token = file_.vocab_[id];
    const auto [first, is_new] = ids.try_emplace(token, id);
    if (is_new) continue;
    Error error(ErrorCode::duplicate_token, fmt::format("token: '{}' has the ids {} and {}",
                                                        printable(token), first->second, id));
    if (!file_.has_own_vocab()) return std::unexpected(std::move(error));
    const auto at = reinterpret_cast<const std::byte*>(token.data()) - bytes_.data();
    return std::unexpected(std::move(error).at_offset(static_cast<std::uint64_t>(at)));
  }
  return {};
}

Result<void> WeightFileParser::read_special_ids(std::uint64_t at) {
  namespace s = layout::special;
  const auto read = [&](const Field& where) -> Result<std::uint32_t> {
    const auto id = field<std::uint32_t>(at, where);
    if (id >= file_.vocab_.size()) {
      return fail_at(ErrorCode::special_token_id, at, where,
                     fmt::format("{}, but there are {} tokens", id, file_.vocab_.size()));
    }
    return id;
  };
  file_.special_.pad = EMBD_TRY(read(s::pad_id));
  file_.special_.unk = EMBD_TRY(read(s::unk_id));
  file_.special_.cls = EMBD_TRY(read(s::cls_id));
  file_.special_.sep = EMBD_TRY(read(s::sep_id));
  file_.special_.mask = EMBD_TRY(read(s::mask_id));
  return {};
}

Result<void> WeightFileParser::take_given_vocab() {
  if (options_.vocab.empty()) {
    return fail_at(ErrorCode::vocabulary_missing, 0, layout::header::flags,
                   "the file has no vocabulary of its own and none was given");
  }
  if (options_.vocab.size() != file_.config_.vocab_size) {
    const auto entry = std::ranges::find(file_.metadata_, "vocab_size", &MetadataEntry::key);
    return std::unexpected(
        Error(ErrorCode::vocabulary_count,
              fmt::format("vocab_size: {}, but the given vocabulary has {} tokens",
                          file_.config_.vocab_size, options_.vocab.size()))
            .at_offset(entry->value_at));
  }
  file_.given_vocab_ = std::move(options_.vocab);
  file_.vocab_.assign(file_.given_vocab_.begin(), file_.given_vocab_.end());
  EMBD_TRY(check_tokens_distinct());
  const auto find = [&](std::string_view token) -> Result<std::uint32_t> {
    const auto it = std::ranges::find(file_.vocab_, token);
    if (it != file_.vocab_.end()) return static_cast<std::uint32_t>(it - file_.vocab_.begin());
    return fail(ErrorCode::special_token_id, fmt::format("the given vocabulary has no {}", token));
  };
  file_.special_.pad = EMBD_TRY(find("[PAD]"));
  file_.special_.unk = EMBD_TRY(find("[UNK]"));
  file_.special_.cls = EMBD_TRY(find("[CLS]"));
  file_.special_.sep = EMBD_TRY(find("[SEP]"));
  file_.special_.mask = EMBD_TRY(find("[MASK]"));
  return {};
}

Result<void> WeightFileParser::read_index() {
  const std::uint64_t count = (names_start_ - index_.start) / layout::descriptor_bytes;
  file_.tensors_.reserve(count);
  std::uint64_t name_at = names_start_;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Tensor tensor =
        EMBD_TRY(read_descriptor(index_.start + i * layout::descriptor_bytes, name_at));
    name_at += tensor.name.size();
    file_.tensors_.push_back(tensor);
  }
  return {};
}

Result<Tensor> WeightFileParser::read_descriptor(std::uint64_t at, std::uint64_t name_at) const {
  namespace d = layout::descriptor;
  Tensor tensor;
  tensor.descriptor_at = at;
  tensor.name = text(name_at, field<std::uint16_t>(at, d::name_length));
  const std::string name = printable(tensor.name);

  const auto type = field<std::uint8_t>(at, d::dtype);
  if (type >= num_tensor_types) {
    return fail_at(
        ErrorCode::tensor_type, at, d::dtype,
        fmt::format("{} of {}, the largest known is {}", type, name, num_tensor_types - 1));
  }
  tensor.type = static_cast<TensorType>(type);
  tensor.shape = EMBD_TRY(read_shape(at, name));

  std::uint64_t size = tensor_type_bytes(tensor.type);
  for (const std::uint32_t dim : tensor.shape.view()) {
    if (size > ~std::uint64_t{0} / dim) {
      return fail_at(ErrorCode::tensor_shape_overflow, at, d::shape[0],
                     fmt::format("{} of {} is more than 2^64 bytes", tensor.shape.text(), name));
    }
    size *= dim;
  }
  const auto offset = field<std::uint64_t>(at, d::data_offset);
  if (offset > data_.size || size > data_.size - offset) {
    return fail_at(ErrorCode::tensor_out_of_bounds, at, d::data_offset,
                   fmt::format("{} bytes from {} of {} run past the tensor data, {}", size, offset,
                               name, data_.size));
  }
  tensor.file_offset = data_.start + offset;
  tensor.data = bytes_.subspan(tensor.file_offset, size);
  if (file_.is_aligned() && tensor.file_offset % layout::tensor_alignment != 0) {
    return fail_at(ErrorCode::tensor_misaligned, at, d::data_offset,
                   fmt::format("{} begins at byte {}, no multiple of {} as the flags promise", name,
                               tensor.file_offset, layout::tensor_alignment));
  }
  const auto stored_hash = field<std::uint32_t>(at, d::name_hash);
  if (stored_hash != fnv1a32(tensor.name)) {
    return fail_at(
        ErrorCode::tensor_name_hash, at, d::name_hash,
        fmt::format("{:#010x}, but {} has {:#010x}", stored_hash, name, fnv1a32(tensor.name)));
  }
  if (const auto bad = find_invalid_utf8(tensor.name)) {
    return fail_at(ErrorCode::invalid_utf8, name_at, {"name", 0},
                   fmt::format("{} from its byte {} on", name, *bad));
  }
  return tensor;
}

Result<TensorShape> WeightFileParser::read_shape(std::uint64_t at, std::string_view name) const {
  namespace d = layout::descriptor;
  TensorShape shape;
  shape.rank = field<std::uint8_t>(at, d::ndim);
  if (shape.rank < 1 || shape.rank > layout::max_rank) {
    return fail_at(ErrorCode::tensor_rank, at, d::ndim,
                   fmt::format("{} of {}, expected 1 to {}", shape.rank, name, layout::max_rank));
  }
  for (unsigned i = 0; i < layout::max_rank; ++i) {
    const auto dim = field<std::uint32_t>(at, d::shape[i]);
    if (i < shape.rank && dim == 0) {
      return fail_at(ErrorCode::tensor_shape, at, d::shape[i],
                     fmt::format("0 of {}, expected at least 1", name));
    }
    if (i >= shape.rank && dim != 0) {
      return fail_at(ErrorCode::tensor_shape, at, d::shape[i],
                     fmt::format("{} of {}, expected 0 as ndim is {}", dim, name, shape.rank));
    }
    shape.dims[i] = dim;
  }
  return shape;
}

Result<void> WeightFileParser::check_names() {
  const auto name = [this](std::uint32_t i) { return file_.tensors_[i].name; };
  file_.by_name_ = sorted_by_name(file_.tensors_.size(), name);
  if (const auto repeated = find_repeated(file_.by_name_, name)) {
    const Tensor& tensor = file_.tensors_[repeated->first];
    const auto at = reinterpret_cast<const std::byte*>(tensor.name.data()) - bytes_.data();
    return fail_at(ErrorCode::tensor_name_duplicate, static_cast<std::uint64_t>(at), {"name", 0},
                   fmt::format("{} is the name of tensors {} and {}", printable(tensor.name),
                               repeated->second, repeated->first));
  }
  return {};
}

Result<void> WeightFileParser::check_data_overlap() const {
  std::vector<const Tensor*> order;
  order.reserve(file_.tensors_.size());
  for (const Tensor& tensor : file_.tensors_) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const Tensor* tensor) {
    return std::pair(tensor->file_offset, tensor->descriptor_at);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Tensor& before = *order[i - 1];
    const Tensor& tensor = *order[i];
    if (before.file_offset + before.data.size() > tensor.file_offset) {
      return fail_at(
          ErrorCode::tensors_overlap, tensor.descriptor_at, layout::descriptor::data_offset,
          fmt::format("{} begins inside {}", printable(tensor.name), printable(before.name)));
    }
  }
  return {};
}

std::unexpected<Error> WeightFileParser::contradiction(std::string_view key,
                                                       std::string_view found) const {
  const auto entry = std::ranges::find(file_.metadata_, key, &MetadataEntry::key);
  return std::unexpected(Error(ErrorCode::metadata_contradiction,
                               fmt::format("{}: {}, but {}", key, entry->value, found))
                             .at_offset(entry->value_at));
}

/// A number that is wrong shows in many tensors: it is named itself, before any of them.
Result<void> WeightFileParser::check_against_config() const {
  const ModelConfig& config = file_.config_;
  struct Witness {
    std::string_view tensor;
    unsigned dim;
    std::string_view key;
    std::uint32_t stated;
  };
  for (const Witness& witness : {
           Witness{"embeddings.word_embeddings.weight", 0, "vocab_size", config.vocab_size},
           Witness{"embeddings.word_embeddings.weight", 1, "hidden_size", config.hidden},
           Witness{"embeddings.position_embeddings.weight", 0, "max_position_emb",
                   config.max_positions},
           Witness{"encoder.layer.0.intermediate.dense.bias", 0, "intermediate_size",
                   config.intermediate},
       }) {
    const Tensor* tensor = file_.find(witness.tensor);
    if (tensor == nullptr || witness.dim >= tensor->shape.rank) continue;
    if (tensor->shape.dims[witness.dim] != witness.stated) {
      return contradiction(witness.key,
                           fmt::format("{} is {}", witness.tensor, tensor->shape.text()));
    }
  }
  return check_layers();
}

Result<void> WeightFileParser::check_layers() const {
  std::optional<std::uint32_t> last;
  for (const Tensor& tensor : file_.tensors_) {
    if (const auto layer = layer_of(tensor.name)) last = std::max(last.value_or(0), *layer);
  }
  if (last && std::uint64_t{*last} + 1 != file_.config_.num_layers) {
    return contradiction("num_layers", fmt::format("the last layer with tensors is {}", *last));
  }
  return {};
}

std::unexpected<Error> WeightFileParser::missing(std::string_view name) const {
  return std::unexpected(
      Error(ErrorCode::tensor_missing, std::string(name)).at_offset(index_.start));
}

/// True if the file has the tensor's values under "<name>.packed…".
bool WeightFileParser::is_packed(std::string_view name) const {
  const std::string prefix = fmt::format("{}.packed", name);
  const auto first = std::ranges::lower_bound(
      file_.by_name_, prefix, {}, [&](std::uint32_t i) { return file_.tensors_[i].name; });
  return first != file_.by_name_.end() && file_.tensors_[*first].name.starts_with(prefix);
}

Result<void> WeightFileParser::collect_required_tensors() {
  EMBD_TRY(
      for_each_required_tensor(file_.config_, [&](const RequiredTensor& required) -> Result<void> {
        const Tensor* tensor = file_.find(required.name);
        if (tensor == nullptr) {
          if (is_packed(required.name)) return {};
          return missing(required.name);
        }
        EMBD_TRY(
            check_type_and_shape(*tensor, required.shape, is_allowed(required.role, tensor->type)));
        if (required.role == TensorRole::vector) return {};
        WeightMatrix matrix{.values = tensor};
        if (tensor->type == TensorType::i8) matrix.scale = EMBD_TRY(find_scale(*tensor));
        if (required.role == TensorRole::matrix) matrix.smooth = EMBD_TRY(find_smooth(*tensor));
        file_.matrices_.push_back(matrix);
        return {};
      }));
  std::ranges::sort(file_.matrices_, {}, name_of_matrix);
  return {};
}

Result<void> WeightFileParser::check_type_and_shape(const Tensor& tensor, const TensorShape& shape,
                                                    bool is_type_allowed) const {
  namespace d = layout::descriptor;
  const std::uint64_t at = tensor.descriptor_at;
  const auto expected = [&] {
    return fmt::format("{} is {}, expected {}", tensor.name, tensor.shape.text(), shape.text());
  };
  for (unsigned i = 0; i < std::min(tensor.shape.rank, shape.rank); ++i) {
    if (tensor.shape.dims[i] != shape.dims[i]) {
      return fail_at(ErrorCode::tensor_wrong_shape, at, d::shape[i], expected());
    }
  }
  if (tensor.shape.rank != shape.rank) {
    return fail_at(ErrorCode::tensor_wrong_shape, at, d::ndim, expected());
  }
  if (!is_type_allowed) {
    return fail_at(ErrorCode::tensor_wrong_type, at, d::dtype,
                   fmt::format("{} cannot be {}", tensor.name, tensor_type_name(tensor.type)));
  }
  return {};
}

/// Values of a side tensor (scale, smooth) must pass `is_good`.
template <class Predicate>
Result<void> check_values(const Tensor& tensor, const Predicate& is_good,
                          std::string_view expected) {
  for (std::uint64_t i = 0; i < tensor.num_values(); ++i) {
    const auto value = load<float>(tensor.data.subspan(i * sizeof(float)));
    if (!std::isfinite(value) || !is_good(value)) {
      return std::unexpected(
          Error(ErrorCode::bad_value, fmt::format("{}[{}]: {}, expected a finite number {}",
                                                  tensor.name, i, value, expected))
              .at_offset(tensor.file_offset + i * sizeof(float)));
    }
  }
  return {};
}

Result<const Tensor*> WeightFileParser::find_scale(const Tensor& matrix) const {
  const std::string name = fmt::format("{}_scale", matrix.name);
  const Tensor* scale = file_.find(name);
  if (scale == nullptr) return missing(name);
  EMBD_TRY(check_type_and_shape(*scale, {matrix.shape.dims[0]}, scale->type == TensorType::f32));
  EMBD_TRY(check_values(*scale, [](float value) { return value >= 0; }, "not below 0"));
  return scale;
}

/// nullptr if the matrix is not smoothed.
Result<const Tensor*> WeightFileParser::find_smooth(const Tensor& matrix) const {
  const Tensor* smooth = file_.find(fmt::format("{}_smooth", matrix.name));
  if (smooth == nullptr) return nullptr;
  EMBD_TRY(check_type_and_shape(*smooth, {matrix.shape.dims[1]}, smooth->type == TensorType::f32));
  EMBD_TRY(check_values(*smooth, [](float value) { return value > 0; }, "above 0"));
  return smooth;
}

Result<WeightFile> WeightFile::from_bytes(Bytes bytes, WeightFileOptions options) {
  WeightFile file;
  file.bytes_ = bytes;
  EMBD_TRY(WeightFileParser(file, options).parse());
  if (options.verify) EMBD_TRY(file.verify());
  return file;
}

Result<WeightFile> WeightFile::open(const std::filesystem::path& path, WeightFileOptions options) {
  MappedFile map = EMBD_TRY(MappedFile::open(path));
  auto file = from_bytes(map.bytes(), std::move(options));
  if (!file) return std::unexpected(std::move(file).error().in_file(path.native()));
  file->map_ = std::move(map);
  file->path_ = path;
  return file;
}

std::optional<std::string_view> WeightFile::metadata(std::string_view key) const noexcept {
  const auto it = std::ranges::find(metadata_, key, &MetadataEntry::key);
  if (it == metadata_.end()) return std::nullopt;
  return it->value;
}

const Tensor* WeightFile::find(std::string_view name) const noexcept {
  const auto name_of = [this](std::uint32_t i) { return tensors_[i].name; };
  const auto it = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (it == by_name_.end() || tensors_[*it].name != name) return nullptr;
  return &tensors_[*it];
}

Result<WeightMatrix> WeightFile::matrix(std::string_view name) const {
  const auto it = std::ranges::lower_bound(matrices_, name, {}, name_of_matrix);
  if (it != matrices_.end() && it->values->name == name) return *it;
  return fail(ErrorCode::tensor_missing,
              fmt::format("the file has no plain matrix {} of the model", name));
}

Result<std::vector<float>> WeightFile::vector(std::string_view name) const {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) return fail(ErrorCode::tensor_missing, std::string(name));
  std::vector<float> values(tensor->num_values());
  EMBD_TRY(to_floats(*tensor, values));
  return values;
}

Result<void> WeightFile::verify() const {
  namespace f = layout::footer;
  if (!has_checksums()) return {};
  const std::uint64_t footer = bytes_.size() - layout::footer_bytes;
  for (const auto& [where, code, covered] :
       {std::tuple(f::data_checksum, ErrorCode::data_checksum, data_),
        std::tuple(f::file_checksum, ErrorCode::file_checksum, bytes_.first(footer))}) {
    const auto stored = load<std::uint32_t>(bytes_.subspan(footer + where.at));
    const std::uint32_t actual = crc32(covered);
    if (stored == actual) continue;
    auto error = fail_at(code, footer, where,
                         fmt::format("{:#010x}, but the bytes have {:#010x}", stored, actual));
    if (path_.empty()) return error;
    return std::unexpected(std::move(error.error()).in_file(path_.native()));
  }
  return {};
}

bool WeightFile::has_own_vocab() const noexcept {
  return (flags_ & layout::vocab_embedded) != 0;
}

bool WeightFile::is_aligned() const noexcept {
  return (flags_ & layout::tensors_aligned) != 0;
}

bool WeightFile::has_checksums() const noexcept {
  return (flags_ & layout::checksum_enabled) != 0;
}

}  // namespace embd
