#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embd/enum_names.h"
#include "embd/subwords.h"

namespace embd {

/// How a finalfusion file is written.
struct FinalfusionOptions {
  enum class Quantizer : std::uint8_t {
    none,
    pq,   ///< product quantizer
    opq,  ///< with a projection that is learned
  };
  Quantizer quantizer = Quantizer::none;
  std::uint32_t bits = 8;           ///< of a subquantizer's code, 1 to 8
  std::uint32_t subquantizers = 0;  ///< a divisor of the dimension; 0: dim / 2
  std::string metadata = {};        ///< TOML; the recipe is added to it
  bool normalize = false;           ///< store word rows at length 1, and their lengths as norms
  std::vector<float> norms = {};    ///< lengths of word rows that were normalized before; or empty
  std::optional<Subwords> subwords = {};  ///< the rows after its num_words are those of subwords
};

inline constexpr EnumNames<FinalfusionOptions::Quantizer, 2> finalfusion_quantizer_names = {
    {{"pq", FinalfusionOptions::Quantizer::pq}, {"opq", FinalfusionOptions::Quantizer::opq}}};

}  // namespace embd
