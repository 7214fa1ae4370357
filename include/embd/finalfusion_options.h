#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embd/enum_names.h"
#include "embd/subwords.h"

namespace embd {

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
