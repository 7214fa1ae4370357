#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/output_file.h"
#include "embd/vectors.h"

namespace embd {

/// Which ids a format keeps in its own files.
enum class IdsInside { none, numbers, any };

/// The kinds of data that a format's own files have room for; the rest goes to files beside them.
struct Room {
  IdsInside ids = IdsInside::none;
  bool ids_first = false;  ///< create() itself takes WriteOptions.ids
  bool recipe = false;
  bool sections = false;      ///< RowSectionSink::begin_section()
  bool chunks = false;        ///< RowSectionSink::begin_chunk()
  bool columns = false;       ///< TableSink::set_columns()
  bool text_columns = false;  ///< TableSink::set_text_columns()
  bool places = false;        ///< columns of where windows lie in their texts are wanted
  bool texts = false;         ///< RowTextSink
};
/// Format::room of a format whose files always have the same.
template <Room kRoom>
Room always(const std::filesystem::path&, const WriteOptions&) {
  return kRoom;
}

inline std::filesystem::path as_named(const std::filesystem::path& path, const WriteOptions&) {
  return path;
}
inline CheckReplaceable no_directory(const std::filesystem::path&, const WriteOptions&) {
  return nullptr;
}

inline ElementType as_asked(const WriteOptions& options) {
  return options.element_type;
}

inline bool is_one_file(const std::filesystem::path&, const WriteOptions&) {
  return false;
}
inline bool is_no_index(const std::filesystem::path&) {
  return false;
}

/// How a format stores the rows of codes that sentence-transformers makes (OutputType::int8,
/// OutputType::binary).
enum class CodeStorage : std::uint8_t {
  none,     ///< it has no place for codes
  bytes,    ///< as numbers of the type i8
  numbers,  ///< as numbers of the only type that it has
  own,      ///< in an encoding of its own, which it makes of the rows themselves
};

/// One row of the table of formats (vectors/vectors.cc): how a vector set format is recognized,
/// opened and created. Each format's folder defines one, declared in its `<format>_format.h`.
struct Format {
  std::string_view name;                         ///< as `--from`/`--to` and `inspect` say it
  std::span<const std::string_view> extensions;  ///< with the dot; the first is the canonical one
  /// True if the path, whose first bytes are `head` (empty for a directory), carries the format's
  /// magic. nullptr for a format without one: such a file is recognized by its extension.
  bool (*has_magic)(const std::filesystem::path& path, Bytes head);
  Result<std::unique_ptr<VectorReader>> (*open)(const std::filesystem::path& path,
                                                const ReadOptions& options);
  /// nullptr: read only.
  Result<std::unique_ptr<VectorWriter>> (*create)(const std::filesystem::path& path,
                                                  std::uint64_t dim, const WriteOptions& options);
  Room (*room)(const std::filesystem::path& path, const WriteOptions& options) = always<Room{}>;
  /// The file, of several, that `path` stands for and that the files beside are named after.
  std::filesystem::path (*output_path)(const std::filesystem::path& path,
                                       const WriteOptions& options) = as_named;
  /// Which directories at `path` a new vector set may replace; nullptr: none.
  CheckReplaceable (*replaceable)(const std::filesystem::path& path,
                                  const WriteOptions& options) = no_directory;
  /// The type of the stored values, before any quantizer.
  ElementType (*stored_type)(const WriteOptions& options) = as_asked;
  bool needs_ids = false;  ///< every row has one, if only its number or its text

  CodeStorage codes = CodeStorage::bytes;
  /// Codes that are read from another file stay codes of a byte each, unless a type is asked for.
  bool keeps_codes = false;
  /// Returns `rows` as a file whose elements have this type gives them back; nullptr unless `codes`
  /// is CodeStorage::own.
  Matrix (*as_stored)(MatrixView rows, ElementType type) = nullptr;
  /// Makes a writer that writes a stream from its first byte to its last; nullptr for a format
  /// that must go back to its header.
  Result<std::unique_ptr<VectorWriter>> (*write_stream)(OutputFile stream, std::uint64_t dim,
                                                        const WriteOptions& options) = nullptr;
  /// Returns true if an output is a directory or several files.
  bool (*is_several_files)(const std::filesystem::path& path,
                           const WriteOptions& options) = is_one_file;
  /// The kind of index that files of the format can hold; nullopt for rows alone.
  std::optional<IndexKind> index = {};
  /// Returns true if the file or directory, which is of this format, holds an index.
  bool (*is_index)(const std::filesystem::path& path) = is_no_index;
  /// Rows are encoded as CvcOptions::compression says; VectorSetInfo::encoding is its name.
  bool is_compressed = false;
  /// Rows are of words, which are looked up by it; FinalfusionOptions keep what goes with them.
  bool has_words = false;
  /// Rows may be scores (RowKind), which are stored by their names.
  bool has_scores = false;
};

}  // namespace embd
