#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "embd/vectors.h"

namespace embd {

/// In what the values of vectors are stored.
enum class OutputType : std::uint8_t {
  automatic,  ///< what the format stores unless told otherwise
  f32,
  f16,
  int8,    ///< codes of sentence-transformers: which of 256 steps of its component's range
  binary,  ///< codes of sentence-transformers: a bit a value, eight of them a byte
};

/// How a job writes vectors.
struct OutputOptions {
  std::string format = {};  ///< empty: by each output's extension; standard output gets JSON Lines
  OutputType type = OutputType::automatic;
  /// OutputType::int8: a file of two rows, the least and the greatest value of each component;
  /// empty: those of the vectors.
  std::filesystem::path int8_ranges = {};
  /// The options of the format. `format`, `element_type`, `ids`, `num_rows`, `recipe`, `columns`,
  /// `text_columns` and `kind` are the job's to set.
  WriteOptions write = {};
};

/// The error that quantizing made in one output.
struct OutputLoss {
  std::filesystem::path path;
  QuantizationLoss loss;
};

}  // namespace embd
