#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

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

}  // namespace embd
