#pragma once

#include <array>

#include "formats/vectors/format.h"

// All formats of vector sets. The folder of each defines it; jobs/sets/vectors.cc has the table.
namespace embd {

namespace cvc {

/// The default name of the column of vectors in the columnar files that embd writes.
inline constexpr std::string_view embedding_column = "embedding";

/// The format CVC: one column of a file is the vector set, with all rows or the rows of some
/// sections.
///
/// ReadOptions::column names a column of a columnar file. Without it, the file must have one
/// column, or exactly one of more than one value per row, unless ReadOptions::any_column is set.
/// ReadOptions::section is "key=value". It selects the rows of the sections whose metadata has this
/// member. The value is read as JSON if it is JSON, otherwise as a string.
///
/// The writer uses WriteOptions::cvc, columns and recipe. The compression none and the option
/// columns make a columnar file, whose first column has the vectors.
extern const Format format;

}  // namespace cvc

namespace finalfusion {

/// The format finalfusion: the ids are words, and the rows are the words' vectors as stored.
/// ReadOptions::all_rows adds the rows of subwords; their ids say what they are.
/// ReadOptions::unnormalize multiplies each row by its norm.
extern const Format format;

}  // namespace finalfusion

namespace jsonl {

/// The format JSON Lines: one row per line, {"id":…,"embedding":[…]}. Each number is the shortest
/// decimal that reads back to the same float32. Ids are in the file; rows without ids have their
/// row numbers. The recipe is not in the file.
///
/// The reader maps the file and finds its lines. The first line gives the dimension, which is 0 for
/// a file without lines. A line is parsed when its row is read; verify() checks all lines. It needs
/// 8 bytes of memory per row. The writer streams. It fails with bad_value for NaN and infinite
/// values, which JSON cannot express.
extern const Format format;

}  // namespace jsonl

namespace numpy {

/// The format .npy of NumPy: a two-dimensional array of numbers. The reader takes versions 1 to 3,
/// both byte orders and both orders of dimensions. The writer writes version 1, little-endian, in C
/// order, as NumPy does. WriteOptions::element_type may be any plain type except bf16, which NumPy
/// does not have.
extern const Format format;

}  // namespace numpy

namespace parquet {

/// The format Apache Parquet: ids, texts and numbers are columns, and the vectors are a column of
/// lists of floats: the one that ReadOptions::column names, otherwise the only one, otherwise the
/// one called "embedding"; or two columns of scores. The ids are the column "id", the texts the
/// column "text".
///
/// The reader takes files of any program. It maps the file, and reads its footer and the headers of
/// the pages of all columns that belong to the vectors. Afterwards, only the contents of pages can
/// be wrong. It fails with unsupported if the file has no such vectors, with missing if the named
/// column does not exist, with bad_type if the ids cannot be ids, and with the errors of
/// ParquetFile and ColumnReader. The writer writes pages of vectors as rows come; ids, texts and
/// further columns of a row group stay in memory until it is full.
extern const Format format;

}  // namespace parquet

namespace svs {

/// The format of Scalable Vector Search: rows in a directory or in one file, or an index.
extern const Format format;

/// The extension of the file of the specification's layout that names all others.
inline constexpr std::string_view config_extension = ".config";

/// Returns true if embd writes a file with this name into an SVS directory. `name` is relative to
/// the directory.
bool is_written_file(const std::filesystem::path& name);

/// Checks that a directory has only files and folders that embd writes into an SVS directory, in
/// their places. Fails with io_failed and the name of the first other entry.
Result<void> check_replaceable(const std::filesystem::path& directory);

/// Returns the paths of all files that embd may write together with STEM.config, for vectors and
/// for an index.
std::vector<std::filesystem::path> specification_files(const std::filesystem::path& config);

}  // namespace svs

namespace vecs {

/// The formats fvecs, ivecs, bvecs and hvecs: rows of f32, i32, u8 and f16. Each row stands after
/// its length, which is checked when the row is read. There is no magic number. A file without rows
/// is refused and cannot be written, because it would not tell the dimension. Formats of integers
/// accept only integers in their range.
extern const std::array<Format, 4> vecs_formats;

/// The formats fbin, u8bin and i8bin: rows of f32, u8 and i8 after the number of rows and the
/// dimension. The size of the file must fit these. A file has at most 2^32 - 1 rows.
extern const std::array<Format, 3> bin_formats;

}  // namespace vecs

namespace word2vec {

/// The formats word2vec (binary), textdims (text after a line with its shape), text (without such a
/// line) and fasttext (model files, read only).
extern const Format formats[4];

}  // namespace word2vec

}  // namespace embd
