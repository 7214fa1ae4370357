#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "embd/enum_names.h"
#include "embd/truncation_side.h"

namespace embd {

enum class Pooling : std::uint8_t { mean, cls, max };
/// The words that files, options and answers have for them.
inline constexpr EnumNames<Pooling, 3> pooling_names = {
    {{"mean", Pooling::mean}, {"cls", Pooling::cls}, {"max", Pooling::max}}};

/// How a text longer than max_length is treated.
enum class Windows : std::uint8_t {
  none,  ///< it is cut
  mean,  ///< its vector is the mean of those of its windows of max_length tokens
  rows,  ///< each of its windows has a row of its own
};
inline constexpr EnumNames<Windows, 3> windows_names = {
    {{"none", Windows::none}, {"mean", Windows::mean}, {"rows", Windows::rows}}};

/// How a vector set was made. Two recipes whose fatal fields are equal make comparable
/// vectors.
struct Recipe {
  // Fatal when two differ.
  std::string model_sha256;      ///< of the weight file, lower-case hex
  std::string tokenizer_sha256;  ///< of the vocabulary and the rules it is used with
  std::uint32_t max_length = 0;  ///< tokens, special ones counted
  Pooling pooling = Pooling::mean;
  bool normalize = true;
  std::uint32_t truncate_dim = 0;  ///< leading components kept; the model's dimension if all are

  // Informational.
  std::string model_name;
  std::string prompt;  ///< put before every text
  Windows windows = Windows::none;
  std::uint32_t stride = 0;  ///< as EncodeOptions.stride
  TruncationSide truncation_side = TruncationSide::right;
  std::string compute;          ///< "f32", "bf16", "int8"
  std::string instruction_set;  ///< kernels; all but "reference" give the same bytes
  std::string output_type;      ///< of the stored values: "f32", "f16", …, "int8", "binary"
  std::string input_sha256;     ///< of the text input; empty if it was not a file
  std::string embd_version;

  bool operator==(const Recipe&) const = default;
};

/// Names of the fatal fields in which two recipes differ; empty if their vectors can be compared.
std::vector<std::string> fatal_differences(const Recipe& a, const Recipe& b);

}  // namespace embd
