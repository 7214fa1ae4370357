#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

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

}  // namespace embd
