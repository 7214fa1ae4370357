#include "formats/weights/embd/embd_reader.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/try.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_spec.h"

namespace embd {

namespace layout = embd_layout;

Result<WeightFile> WeightFile::from_bytes(Bytes bytes, WeightFileOptions options) {
  WeightFile file;
  file.bytes_ = bytes;
  file.sections_ = EMBD_TRY(read_sections(bytes));
  EMBD_TRY(file.read_all(std::move(options), {}));
  return file;
}

Result<WeightFile> WeightFile::from_unwritten(std::unique_ptr<const UnwrittenFile> unwritten,
                                              const std::filesystem::path& path,
                                              WeightFileOptions options) {
  WeightFile file;
  file.unwritten_ = std::move(unwritten);
  EMBD_TRY(in_file(path, file.read_unwritten(std::move(options))));
  file.path_ = path;
  return file;
}

Result<void> WeightFile::read_unwritten(WeightFileOptions options) {
  const WeightFileContent& content = unwritten_->content();
  WeightFileFront front = EMBD_TRY(front_of(content));
  sections_ = front.sections;
  memory_.push_back(std::move(front.bytes));
  bytes_ = memory_.back();
  std::vector<Bytes> tensors;
  for (const TensorSource& tensor : content.tensors) {
    std::vector<std::byte> memory;
    tensors.push_back(EMBD_TRY(bytes_of(tensor, memory)));
    if (!memory.empty()) memory_.push_back(std::move(memory));
  }
  return read_all(std::move(options), tensors);
}

/// Reads everything behind the sections. `tensors` has the data of the tensors if they are not in
/// bytes_.
Result<void> WeightFile::read_all(WeightFileOptions options, std::span<const Bytes> tensors) {
  metadata_ = EMBD_TRY(read_metadata(bytes_, sections_.metadata));
  EMBD_TRY(check_minor_version());
  spec_ = EMBD_TRY(read_spec(metadata_, sections_.metadata.start));
  EMBD_TRY(has_own_vocab() ? read_own_vocab(options) : take_given_vocab(options));
  index_ = EMBD_TRY(read_index(bytes_, sections_, tensors));
  matrices_ = EMBD_TRY(model_matrices(
      {.spec = spec_, .metadata = metadata_, .index = index_, .index_at = sections_.index.start}));
  if (spec_.tokenizer == TokenizerKind::unigram)
    unigram_ = EMBD_TRY(find_unigram_tables(index_, spec_, sections_.index.start));
  if (spec_.tokenizer == TokenizerKind::bpe)
    merges_ = EMBD_TRY(find_merges(index_, sections_.index.start));
  return options.verify ? verify() : Result<void>();
}

Result<void> WeightFile::check_minor_version() const {
  if (version_minor() <= layout::supported_minor) return {};
  const MetadataEntry* unknown = find_unknown_key(metadata_);
  if (unknown == nullptr) return {};
  return fail_at(unknown->value_at, ErrorCode::unsupported_version,
                 "{}: {}; the file has version {}.{} and may not be read without this key, "
                 "which version {}.{} does not have",
                 unknown->key, unknown->value, version_major(), version_minor(),
                 layout::supported_major, layout::supported_minor);
}

Result<void> WeightFile::read_own_vocab(const WeightFileOptions& options) {
  vocab_ = EMBD_TRY(read_vocabulary(bytes_, sections_.vocab, spec_.vocab_size, spec_.tokenizer));
  if (options.vocab.empty() || std::ranges::equal(options.vocab, vocab_.tokens)) return {};
  return fail(
      ErrorCode::invalid_argument,
      "the vocabulary that was given differs from the vocabulary of the file: give no vocabulary");
}

Result<void> WeightFile::take_given_vocab(WeightFileOptions& options) {
  if (options.vocab.empty()) {
    return fail_at(ErrorCode::vocabulary_missing, 0, layout::header::flags,
                   "the file has no vocabulary of its own and none was given");
  }
  if (options.vocab.size() != spec_.vocab_size) {
    const auto entry =
        std::ranges::find(metadata_, key_of(&ModelSpec::vocab_size), &MetadataEntry::key);
    return fail_at(entry->value_at, ErrorCode::vocabulary_count,
                   "{}: {}, but the given vocabulary has {} tokens", entry->key, spec_.vocab_size,
                   options.vocab.size());
  }
  given_vocab_ = std::move(options.vocab);
  vocab_ = EMBD_TRY(given_vocabulary(given_vocab_, spec_.tokenizer));
  return {};
}

Result<WeightFile> WeightFile::open(const std::filesystem::path& path, WeightFileOptions options) {
  return from_map(EMBD_TRY(MappedFile::open(path)), path, std::move(options));
}

Result<WeightFile> WeightFile::from_map(MappedFile map, const std::filesystem::path& path,
                                        WeightFileOptions options) {
  WeightFile file = EMBD_TRY(in_file(path, from_bytes(map.bytes(), std::move(options))));
  file.map_ = std::move(map);
  file.path_ = path;
  return file;
}

std::optional<std::string_view> WeightFile::metadata(std::string_view key) const noexcept {
  const auto it = std::ranges::find(metadata_, key, &MetadataEntry::key);
  if (it == metadata_.end()) return std::nullopt;
  return it->value;
}

Result<WeightMatrix> WeightFile::matrix(std::string_view name) const {
  const auto it = std::ranges::lower_bound(matrices_, name, {}, &WeightMatrix::name);
  if (it != matrices_.end() && it->values->name == name) return *it;
  return fail(ErrorCode::tensor_missing, "no weight matrix of the file is named {}", name);
}

Result<std::vector<float>> WeightFile::vector(std::string_view name) const {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) return fail(ErrorCode::tensor_missing, std::string(name));
  std::vector<float> values(tensor->num_values());
  EMBD_TRY(to_floats(*tensor, values));
  return values;
}

std::string WeightFile::sha256() const {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  Sha256 hash;
  const auto add = [&](Bytes rest) -> Result<void> {
    while (!rest.empty()) {
      const Bytes piece = rest.first(std::min(piece_bytes, rest.size()));
      hash.update(piece);
      release(piece);  // Else the whole file would count as memory of this process.
      rest = rest.subspan(piece.size());
    }
    return {};
  };
  if (unwritten_) {
    // Cannot fail: opening has made each of its parts before.
    (void)write_weights(unwritten_->whole_content(), add);
  } else {
    (void)add(bytes_);
  }
  return hash.hex();
}

Result<void> WeightFile::verify() const {
  Result<void> verified = verify_checksums();
  if (verified && spec_.tokenizer == TokenizerKind::unigram) verified = check_unigram(*this);
  if (verified && spec_.tokenizer == TokenizerKind::bpe) verified = check_bpe(*this);
  return path_.empty() ? verified : in_file(path_, std::move(verified));
}

Result<void> WeightFile::verify_checksums() const {
  namespace f = layout::footer;
  if (!has_checksums() || unwritten_) return {};
  const std::uint64_t footer = bytes_.size() - layout::footer_bytes;
  for (const auto& [where, code, covered] :
       {std::tuple(f::data_checksum, ErrorCode::data_checksum,
                   bytes_.subspan(sections_.data.start, sections_.data.size)),
        std::tuple(f::file_checksum, ErrorCode::file_checksum, bytes_.first(footer))}) {
    const auto stored = load<std::uint32_t>(bytes_.subspan(footer + where.at));
    const std::uint32_t actual = crc32(covered);
    if (stored == actual) continue;
    return fail_at(code, footer, where, "{:#010x}, but the bytes have {:#010x}", stored, actual);
  }
  return {};
}

}  // namespace embd
