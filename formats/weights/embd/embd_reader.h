#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/os/mapped_file.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_index.h"
#include "formats/weights/embd/embd_metadata.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/embd/embd_tensor.h"
#include "formats/weights/embd/embd_unigram.h"
#include "formats/weights/embd/embd_vocabulary.h"
#include "formats/weights/model_spec.h"

namespace embd {

struct WeightFileOptions {
  /// Tokens by id for a file without a vocabulary of its own (vocab.txt in memory); empty: none
  /// given. A file with its own accepts only an equal one.
  std::vector<std::string> vocab;
  /// Also do what verify() does (reads all of the file).
  bool verify = false;
};

/// An EMBD weight file, version 1.x (docs/formats/embd.md).
///
/// Opening maps the file and checks all of its structure once: header, sections, metadata,
/// vocabulary, tensor index, presence, shape and type of every tensor the model needs, and the
/// values of scales. Afterwards everything is a view into the map and nothing can be out of bounds.
/// Immutable: any number of threads may use it. Moved, not copied; views survive a move and end
/// with the object. The file must not be changed in place meanwhile.
///
///   auto file = EMBD_TRY(WeightFile::open(path));
///   const WeightMatrix query = EMBD_TRY(file.matrix(weight_name(Module::query, 0)));
///   if (auto in_place = query.view()) … else EMBD_TRY(query.to_floats(copy));
class WeightFile {
 public:
  /// Every error names the field and its byte; its code is one of those of EMBD files in
  /// embd/error.h, a general one of binary files (bad_magic, section_out_of_bounds, invalid_utf8,
  /// bad_value for a scale, …) or the system's (not_found, io_failed).
  static Result<WeightFile> open(const std::filesystem::path& path, WeightFileOptions options = {});
  /// The same over a map that is there; errors name `path`.
  static Result<WeightFile> from_map(MappedFile map, const std::filesystem::path& path,
                                     WeightFileOptions options = {});
  /// The same over bytes in memory, which must outlive the object.
  static Result<WeightFile> from_bytes(Bytes bytes, WeightFileOptions options = {});

  const ModelSpec& spec() const noexcept { return spec_; }

  /// Every entry as stored, in the file's order.
  std::span<const MetadataEntry> metadata() const noexcept { return metadata_; }
  /// The value of a key; nothing if there is no such key.
  std::optional<std::string_view> metadata(std::string_view key) const noexcept;

  /// Tokens by id, spec().vocab_size of them, UTF-8. Those of a WordPiece model are distinct.
  std::span<const std::string_view> vocab() const noexcept { return vocab_.tokens; }
  const SpecialTokenIds& special_tokens() const noexcept { return vocab_.special; }
  /// Empty unless the model has a Unigram tokenizer.
  const UnigramTables& unigram_tables() const noexcept { return unigram_; }

  /// All tensors in the order of the index, those the model does not need included.
  std::span<const Tensor> tensors() const noexcept { return index_.tensors; }
  /// nullptr if there is none of that name.
  const Tensor* find(std::string_view name) const noexcept { return index_.find(name); }
  /// A weight matrix or embedding table that the model needs, with its scale and smooth. Errors:
  /// tensor_missing, also where the file has it in a packed layout alone.
  Result<WeightMatrix> matrix(std::string_view name) const;
  /// A bias or LayerNorm vector, or any other float tensor, copied. Errors: tensor_missing,
  /// tensor_wrong_type.
  Result<std::vector<float>> vector(std::string_view name) const;

  /// Reads the whole file and compares both checksums, where the file has them; proves that the
  /// tables of a Unigram tokenizer are good and belong to its vocabulary. Errors: data_checksum,
  /// file_checksum, those of check_unigram().
  Result<void> verify() const;

  std::uint16_t version_major() const noexcept { return sections_.version_major; }
  std::uint16_t version_minor() const noexcept { return sections_.version_minor; }
  bool has_own_vocab() const noexcept { return sections_.has_vocab(); }
  /// Every tensor lies at a multiple of 64.
  bool is_aligned() const noexcept { return sections_.is_aligned(); }
  bool has_checksums() const noexcept { return sections_.has_checksums(); }
  /// The whole file.
  Bytes bytes() const noexcept { return bytes_; }
  /// Whether bytes() are a mapped file's.
  bool is_mapped() const noexcept { return map_.has_value(); }
  /// Lets go of the memory behind a part of bytes() that nobody will read soon, such as a tensor
  /// that was copied; it stays readable (MappedFile::release).
  void release(Bytes part) const noexcept {
    if (is_mapped()) MappedFile::release(part);
  }
  /// Empty if it was made from bytes.
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  WeightFile() = default;
  Result<void> read_own_vocab(const WeightFileOptions& options);
  Result<void> take_given_vocab(WeightFileOptions& options);
  Result<void> verify_checksums() const;

  std::optional<MappedFile> map_;
  std::filesystem::path path_;
  Bytes bytes_;
  EmbdSections sections_;
  ModelSpec spec_;
  std::vector<MetadataEntry> metadata_;
  std::vector<std::string> given_vocab_;
  EmbdVocabulary vocab_;
  TensorIndex index_;
  UnigramTables unigram_;
  std::vector<WeightMatrix> matrices_;  // those the model needs, sorted by name
};

}  // namespace embd
