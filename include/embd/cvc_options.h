#pragma once

#include <cstdint>
#include <string>

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

}  // namespace embd
