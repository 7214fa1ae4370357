#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "embd/vectors.h"

namespace embd {

/// The type in which the values of vectors are stored.
enum class OutputType : std::uint8_t {
  automatic,  ///< the type that the format stores by default
  f32,
  f16,
  /// A code of 8 bits for each value, as sentence-transformers makes it: the range of each
  /// component is divided into 256 steps.
  int8,
  /// The sign of each value as one bit, as sentence-transformers makes it; a byte holds eight bits.
  binary,
};

/// Options for the vector files that a job writes.
struct OutputOptions {
  /// The name of the format. If it is empty, the extension of each output decides, and standard
  /// output gets JSON Lines.
  std::string format = {};
  OutputType type = OutputType::automatic;
  /// The value ranges for OutputType::int8: a file of two rows, the least and the greatest value of
  /// each component. If it is empty, the ranges are computed from the vectors themselves.
  std::filesystem::path int8_ranges = {};
  /// Options of each format. The members `format`, `element_type`, `ids`, `num_rows`, `recipe`,
  /// `columns`, `text_columns` and `kind` are set by the job; their values here are ignored.
  WriteOptions write = {};
};

/// The error that quantization made in one output file.
struct OutputLoss {
  std::filesystem::path path;  ///< the path of the output
  QuantizationLoss loss;
};

}  // namespace embd
