#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "embd/enum_names.h"
#include "embd/model_types.h"

namespace embd {

/// The way in which the rows of a text's tokens become the vector of the text.
enum class Pooling : std::uint8_t {
  mean,  ///< the mean of all tokens' rows, special tokens included
  cls,   ///< the row of the first token, such as [CLS]
  max,   ///< in each component, the largest value of all tokens' rows
  /// the sum of all tokens' rows, divided by the square root of their number
  mean_sqrt_len_tokens,
  weightedmean,  ///< the mean of all tokens' rows with weights 1, 2, 3 and so on
  lasttoken,     ///< the row of the last token, such as [SEP]
  joined,        ///< several of these, one after the other, as the model's configuration lists them
};
/// The words for the kinds of pooling in files and options.
inline constexpr EnumNames<Pooling, 7> pooling_names = {
    {{"mean", Pooling::mean},
     {"cls", Pooling::cls},
     {"max", Pooling::max},
     {"mean_sqrt_len_tokens", Pooling::mean_sqrt_len_tokens},
     {"weightedmean", Pooling::weightedmean},
     {"lasttoken", Pooling::lasttoken},
     {"joined", Pooling::joined}}};

/// The treatment of texts that are longer than max_length.
enum class Windows : std::uint8_t {
  none,  ///< the text is cut
  /// The text is divided into windows of max_length tokens. The vector of the text is the mean of
  /// the vectors of its windows.
  mean,
  /// The text is divided into windows of max_length tokens. Each window has a row of its own.
  rows,
};
/// The words for the treatments of long texts in files and options.
inline constexpr EnumNames<Windows, 3> windows_names = {
    {{"none", Windows::none}, {"mean", Windows::mean}, {"rows", Windows::rows}}};

/// A record of how the vectors of a set were made. Two sets of vectors can be compared if their
/// recipes agree in the fatal fields, which are model_sha256, tokenizer_sha256, max_length,
/// pooling, normalize and truncate_dim. The other fields are informational, except that compute
/// must not name two definitions of int8.
struct Recipe {
  // Fatal when two differ.
  std::string model_sha256;      ///< SHA-256 of the weight file in lower-case hex digits
  std::string tokenizer_sha256;  ///< SHA-256 of the vocabulary and the tokenizer's rules
  std::uint32_t max_length = 0;  ///< tokens a text is cut to, special tokens included
  Pooling pooling = Pooling::mean;
  bool normalize = true;           ///< true if vectors are scaled to length 1
  std::uint32_t truncate_dim = 0;  ///< leading components kept; the model's dimension if all are

  // Informational.
  std::string model_name;  ///< the name of the model in its weight file
  std::string prompt;      ///< the text put before every text
  Windows windows = Windows::none;
  std::uint32_t stride = 0;  ///< see EncodeOptions::stride
  TruncationSide truncation_side = TruncationSide::right;
  /// "f32", "bf16" or "int8-blocks" (recipe_name()); "int8" is the int8 of older builds.
  std::string compute;
  /// The kernels that computed the vectors, such as "avx512". All kernels give the same bytes,
  /// except "reference".
  std::string instruction_set;
  /// The type in which values are stored: "f32", "f16", …; "int8" and "binary" for codes.
  std::string output_type;
  /// The SHA-256 of the input file of texts, in lower-case hex digits; empty if the texts came from
  /// elsewhere.
  std::string input_sha256;
  std::string embd_version;  ///< the version of embd that computed the vectors

  bool operator==(const Recipe&) const = default;
};

/// Returns the names of the fatal fields in which two recipes differ; empty if their vectors are
/// comparable.
std::vector<std::string> fatal_differences(const Recipe& a, const Recipe& b);

}  // namespace embd
