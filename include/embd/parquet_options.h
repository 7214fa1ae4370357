#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

/// How a Parquet file is written.
struct ParquetOptions {
  enum class Compression : std::uint8_t {
    none,
    zstd,  ///< Zstandard over byte streams that were split: about 16 % smaller
  };
  Compression compression = Compression::none;
  /// Rows of a group, which readers take as a piece of work; 0 means 32,768.
  std::uint64_t row_group_rows = 0;
  bool texts = false;  ///< a column of the texts: RowTextSink::set_texts() before each append()
};

inline constexpr EnumNames<ParquetOptions::Compression, 2> parquet_compression_names = {
    {{"none", ParquetOptions::Compression::none}, {"zstd", ParquetOptions::Compression::zstd}}};

}  // namespace embd
