#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "embd/enum_names.h"

namespace embd {

/// Options for writing a CVC file.
struct CvcOptions {
  /// The encoding of the values of vectors and columns.
  enum class Compression : std::uint8_t {
    /// The default: stores vectors as fp16. Columns of numbers whose type is f16 are stored as
    /// fp16, too, and all other columns unchanged.
    automatic,
    none,  ///< stores values as they are, which makes the file columnar
    fp16,  ///< stores values as float16
    /// Stores a code of 8 bits for each value. The codes divide the range of the values in a chunk
    /// into 255 equal steps.
    int8,
    lossless,  ///< packs float32 values without loss; only for a file without other columns
  };
  Compression compression = Compression::automatic;
  /// The number of rows in a chunk. 0 stands for 100,000, or as many as fit in 4 GiB.
  std::uint64_t chunk_rows = 0;
  bool mmap = false;  ///< begin every chunk on a memory page and put its offset in the header
  /// The name of the column of vectors in a columnar file. If it is empty, the name is "embedding".
  std::string column = {};
};

/// The words for the compressions of a CVC file in files and options.
inline constexpr EnumNames<CvcOptions::Compression, 4> cvc_compression_names = {
    {{"none", CvcOptions::Compression::none},
     {"fp16", CvcOptions::Compression::fp16},
     {"int8", CvcOptions::Compression::int8},
     {"lossless", CvcOptions::Compression::lossless}}};

/// Options for writing a Parquet file.
struct ParquetOptions {
  /// The compression of the values in a file.
  enum class Compression : std::uint8_t {
    none,  ///< stores values as they are
    /// Zstandard compression of values in the encoding BYTE_STREAM_SPLIT: about 16 % smaller.
    zstd,
  };
  Compression compression = Compression::none;
  /// The number of rows in a row group, which readers process as a unit. 0 stands for 32,768.
  std::uint64_t row_group_rows = 0;
  /// Write a column with the texts of the rows, which RowTextSink::set_texts() must give before
  /// each append(). By default no texts are written.
  bool texts = false;
};

/// The words for the compressions of a Parquet file in options.
inline constexpr EnumNames<ParquetOptions::Compression, 2> parquet_compression_names = {
    {{"none", ParquetOptions::Compression::none}, {"zstd", ParquetOptions::Compression::zstd}}};

/// Options for writing SVS vectors.
struct SvsOptions {
  /// The files that hold the vectors.
  enum class Layout : std::uint8_t {
    /// The default: Layout::specification for a path that ends in .config, otherwise
    /// Layout::directory.
    automatic,
    directory,  ///< a directory, as the SVS library saves a data set
    file,       ///< one binary file, which holds rows only
    /// A file STEM.config in the layout of the first specification of SVS, and the files that it
    /// names (docs/formats/svs.md).
    specification,
  };
  /// Locally adaptive vector quantization (LVQ), for directories only. In a name such as lvq4x8,
  /// the first number is the bits of each value's code, the second the bits of a second code for
  /// the remaining difference.
  enum class Quantizer : std::uint8_t { none, lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8 };

  Layout layout = Layout::automatic;
  Quantizer quantizer = Quantizer::none;
};

/// The words for the layouts in options.
inline constexpr EnumNames<SvsOptions::Layout, 3> svs_layout_names = {
    {{"directory", SvsOptions::Layout::directory},
     {"file", SvsOptions::Layout::file},
     {"seed", SvsOptions::Layout::specification}}};

/// The words for the quantizers of SVS vectors in options.
inline constexpr EnumNames<SvsOptions::Quantizer, 5> svs_quantizer_names = {
    {{"lvq4", SvsOptions::Quantizer::lvq4},
     {"lvq8", SvsOptions::Quantizer::lvq8},
     {"lvq4x4", SvsOptions::Quantizer::lvq4x4},
     {"lvq4x8", SvsOptions::Quantizer::lvq4x8},
     {"lvq8x8", SvsOptions::Quantizer::lvq8x8}}};

/// The way in which an n-gram of a word is mapped to rows.
enum class SubwordKind : std::uint8_t {
  /// The n-gram is hashed as in finalfusion: 64-bit FNV-1a over its code points. The number of
  /// buckets is a power of two, and each bucket has a row.
  bucket,
  fasttext,  ///< fastText: 32-bit FNV-1a over sign-extended bytes
  ngrams,    ///< a table of n-grams; n-grams that are not in it have no row
  /// The n-gram is hashed as in floret: MurmurHash3 gives it one to four buckets, each of which has
  /// a row. Words have no rows of their own.
  floret,
};

/// The rows of word embeddings that belong to n-grams instead of words. They follow the rows of the
/// words. The vector of a word without a row is the sum of the rows of its n-grams, scaled to
/// length 1.
struct Subwords {
  SubwordKind kind = SubwordKind::bucket;
  std::uint64_t num_words = 0;  ///< rows of words, before the first n-gram row
  std::uint64_t num_rows = 0;   ///< n-gram rows: buckets, or different indices in `ngrams`
  /// The shortest and the longest n-gram, in code points, counting the brackets around the word.
  std::uint32_t min_n = 0;
  std::uint32_t max_n = 0;
  // For floret only.
  std::uint32_t num_hashes = 0;  ///< rows of each n-gram, 1 to 4
  std::uint32_t seed = 0;        ///< the seed of the hash of an n-gram
  /// The brackets that are put before and after a word before it is cut into n-grams.
  std::string begin_of_word = "<";
  std::string end_of_word = ">";
  /// A table of n-grams, each with its row, counted from `num_words`. For SubwordKind::ngrams only.
  std::vector<std::pair<std::string, std::uint64_t>> ngrams;
};

/// Options for writing a finalfusion file.
struct FinalfusionOptions {
  /// The way in which rows are quantized.
  enum class Quantizer : std::uint8_t {
    none,  ///< rows are stored as float32
    pq,    ///< product quantizer
    opq,   ///< product quantizer behind a learned rotation of the vectors
  };
  Quantizer quantizer = Quantizer::none;
  std::uint32_t bits = 8;  ///< bits of each subquantizer's code, 1 to 8
  /// The number of subquantizers of a product quantizer, a divisor of the dimension. 0 stands for
  /// half the dimension.
  std::uint32_t subquantizers = 0;
  std::string metadata = {};  ///< TOML text; the recipe is added to it
  /// Scale the rows of words to length 1 and store their original lengths as norms. By default rows
  /// are stored as they are given.
  bool normalize = false;
  /// The original lengths of rows of words that are already scaled to length 1, to be stored as
  /// norms; empty if there are none.
  std::vector<float> norms = {};
  /// The n-grams to write. Their rows follow the rows of the words.
  std::optional<Subwords> subwords = {};
};

/// The words for the quantizers of a finalfusion file in options.
inline constexpr EnumNames<FinalfusionOptions::Quantizer, 2> finalfusion_quantizer_names = {
    {{"pq", FinalfusionOptions::Quantizer::pq}, {"opq", FinalfusionOptions::Quantizer::opq}}};

}  // namespace embd
