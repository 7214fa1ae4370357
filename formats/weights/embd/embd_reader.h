#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/os/mapped_file.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_metadata.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/embd/embd_tensors.h"
#include "formats/weights/embd/embd_tokenizer.h"
#include "formats/weights/embd/embd_writer.h"
#include "formats/weights/model_spec.h"

namespace embd {

/// A weight file that was not written, because its tensors lie in other files. Immutable: any
/// number of threads may use it.
class UnwrittenFile {
 public:
  virtual ~UnwrittenFile() = default;

  /// Returns the content that is opened. It may lack entries of the metadata that take long to
  /// compute.
  virtual const WeightFileContent& content() const noexcept = 0;
  /// Returns the content that would have been written.
  virtual WeightFileContent whole_content() const = 0;
  /// Returns the size of the file in bytes.
  virtual std::uint64_t file_bytes() const = 0;
  /// Returns true if a tensor lies in a mapped file.
  virtual bool is_mapped(Bytes tensor) const noexcept = 0;
};

struct WeightFileOptions {
  /// The tokens by id, for a file without a vocabulary (the lines of a vocab.txt); empty if not
  /// given. If the file has a vocabulary, the given one must be equal.
  std::vector<std::string> vocab;
  /// True to call verify(), too, which reads the whole file.
  bool verify = false;
  /// For a model folder: true to compute the SHA-256 of its weights, which is an entry of the
  /// metadata, while it is opened. By default, it is computed when sha256() is called.
  bool hash_source = false;
};

/// An open EMBD weight file, version 1.x (docs/formats/embd.md).
///
/// Opening maps the file and checks all of its structure once: header, sections, metadata,
/// vocabulary and tensor index; the presence, shape and type of every tensor that the model needs;
/// and the values of scales. Afterwards, all returned data refer to the map, and no access can be
/// out of bounds. Immutable: any number of threads may use it. It can be moved, not copied; data
/// that refer to it survive a move and end with the object. The file must not be changed in place
/// meanwhile.
///
///   auto file = EMBD_TRY(WeightFile::open(path));
///   const WeightMatrix query = EMBD_TRY(file.matrix(weight_name(Module::query, 0)));
///   if (auto in_place = query.view()) … else EMBD_TRY(query.to_floats(copy));
class WeightFile {
 public:
  /// Opens a file. Every error names the field and its place. Its code is one of the codes for EMBD
  /// files in embd/error.h, a general one of binary files (bad_magic, section_out_of_bounds,
  /// invalid_utf8, bad_value for a scale, …), or one of the system (not_found, io_failed).
  static Result<WeightFile> open(const std::filesystem::path& path, WeightFileOptions options = {});
  /// Opens a file that is mapped already. Errors name `path`.
  static Result<WeightFile> from_map(MappedFile map, const std::filesystem::path& path,
                                     WeightFileOptions options = {});
  /// Reads a file from bytes in memory, which must outlive the object.
  static Result<WeightFile> from_bytes(Bytes bytes, WeightFileOptions options = {});
  /// Opens a file that was not written. Its tensors stay where they are. Errors name `path`.
  static Result<WeightFile> from_unwritten(std::unique_ptr<const UnwrittenFile> unwritten,
                                           const std::filesystem::path& path,
                                           WeightFileOptions options = {});

  const ModelSpec& spec() const noexcept { return spec_; }

  /// Returns all entries of the metadata as stored, in the order of the file.
  std::span<const MetadataEntry> metadata() const noexcept { return metadata_; }
  /// Returns the value of a key; nothing if there is no such key.
  std::optional<std::string_view> metadata(std::string_view key) const noexcept;

  /// Returns the spec().vocab_size tokens by id, in UTF-8. The tokens of a WordPiece model are
  /// distinct.
  std::span<const std::string_view> vocab() const noexcept { return vocab_.tokens; }
  const SpecialTokenIds& special_tokens() const noexcept { return vocab_.special; }
  /// Returns the tables of a Unigram tokenizer; empty for other tokenizers.
  const UnigramTables& unigram_tables() const noexcept { return unigram_; }
  /// Returns the merges of a model with a BPE tokenizer: pairs of ids, one behind the other.
  std::span<const std::uint32_t> merges() const noexcept { return merges_; }

  /// Returns all tensors in the order of the index, also those that the model does not need.
  std::span<const Tensor> tensors() const noexcept { return index_.tensors; }
  /// Returns the tensor with this name; nullptr if there is none.
  const Tensor* find(std::string_view name) const noexcept { return index_.find(name); }
  /// Returns a weight matrix or embedding table that the model needs, with its scale and smoothing
  /// factors. Fails with tensor_missing, also if the file has only a packed layout of it.
  Result<WeightMatrix> matrix(std::string_view name) const;
  /// Returns a copy of a bias, a LayerNorm vector or any other tensor of floats. Fails with
  /// tensor_missing or tensor_wrong_type.
  Result<std::vector<float>> vector(std::string_view name) const;

  /// Reads the whole file and compares both checksums, if the file has them. Also checks that the
  /// tables of a Unigram tokenizer are valid and fit its vocabulary. Fails with data_checksum or
  /// file_checksum, and with the errors of check_unigram() and check_bpe().
  Result<void> verify() const;

  std::uint16_t version_major() const noexcept { return sections_.version_major; }
  std::uint16_t version_minor() const noexcept { return sections_.version_minor; }
  bool has_own_vocab() const noexcept { return sections_.has_vocab(); }
  /// Returns true if every tensor begins at a multiple of 64 bytes.
  bool is_aligned() const noexcept { return sections_.is_aligned(); }
  bool has_checksums() const noexcept { return sections_.has_checksums(); }
  /// Returns the bytes of the whole file; of one that was not written, those before the tensors.
  Bytes bytes() const noexcept { return bytes_; }
  /// Returns the size of the whole file in bytes.
  std::uint64_t file_bytes() const { return unwritten_ ? unwritten_->file_bytes() : bytes_.size(); }
  /// Returns the SHA-256 of the whole file in hex digits. It reads the whole file.
  std::string sha256() const;
  /// Returns the SHA-256 of the part of the file before the tensors, in hex digits. Of an unwritten
  /// file, it is the part of its content().
  std::string front_sha256() const { return sha256_hex(bytes_.first(sections_.data.start)); }
  /// Returns true if a tensor lies in a mapped file.
  bool is_mapped(Bytes tensor) const noexcept {
    return unwritten_ ? unwritten_->is_mapped(tensor) : map_.has_value();
  }
  /// Releases the physical memory behind a tensor that will not be read soon, because it was
  /// copied. It can still be read (MappedFile::release).
  void release(Bytes tensor) const noexcept {
    if (is_mapped(tensor)) MappedFile::release(tensor);
  }
  /// Returns the path; empty if the object was made from bytes.
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  WeightFile() = default;
  /// Refuses a file of a higher minor version with a key that embd does not know: the key may
  /// change what the model computes.
  Result<void> check_minor_version() const;
  Result<void> read_all(WeightFileOptions options, std::span<const Bytes> tensors);
  Result<void> read_unwritten(WeightFileOptions options);
  Result<void> read_own_vocab(const WeightFileOptions& options);
  Result<void> take_given_vocab(WeightFileOptions& options);
  Result<void> verify_checksums() const;

  std::optional<MappedFile> map_;
  std::filesystem::path path_;
  Bytes bytes_;  // The whole file; of an unwritten one the part before the tensors.
  std::unique_ptr<const UnwrittenFile> unwritten_;
  std::vector<std::vector<std::byte>> memory_;  // What was made for an unwritten file.
  EmbdSections sections_;
  ModelSpec spec_;
  std::vector<MetadataEntry> metadata_;
  std::vector<std::string> given_vocab_;
  EmbdVocabulary vocab_;
  TensorIndex index_;
  UnigramTables unigram_;
  std::span<const std::uint32_t> merges_;
  std::vector<WeightMatrix> matrices_;  // The matrices that the model needs, sorted by name.
};

}  // namespace embd
