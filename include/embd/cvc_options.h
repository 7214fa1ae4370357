#pragma once

#include <cstdint>
#include <string>

#include "embd/enum_names.h"

namespace embd {

/// How a CVC file is written.
struct CvcOptions {
  enum class Compression : std::uint8_t {
    automatic,  ///< fp16; of a column beside the rows: fp16 for halves, otherwise none
    none,       ///< values as they are, which makes the file columnar
    fp16,
    int8,
    lossless,  ///< of a file without other columns
  };
  Compression compression = Compression::automatic;
  std::uint64_t chunk_rows = 0;  ///< 0: 100,000, or as many as a chunk can hold
  bool mmap = false;             ///< every chunk on a page of its own, its place in the header
  /// The name of the column of rows in a columnar file; empty: "embedding".
  std::string column = {};
};

inline constexpr EnumNames<CvcOptions::Compression, 4> cvc_compression_names = {
    {{"none", CvcOptions::Compression::none},
     {"fp16", CvcOptions::Compression::fp16},
     {"int8", CvcOptions::Compression::int8},
     {"lossless", CvcOptions::Compression::lossless}}};

}  // namespace embd
