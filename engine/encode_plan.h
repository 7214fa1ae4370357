#pragma once

#include <cstdint>
#include <string_view>

#include "embd/model.h"
#include "formats/weights/model_spec.h"

namespace embd {

/// The options of a call with the model's own values filled in and every limit checked.
struct EncodePlan {
  std::int64_t max_length = 0;
  TruncationSide truncation_side = TruncationSide::right;
  Pooling pooling = Pooling::mean;
  bool normalize = true;
  std::size_t dim = 0;  ///< of a row, after truncation
  /// Components that are pooled and normalised, of which the leading `dim` are the row: more where
  /// the model's own configuration cuts vectors, after it has normalised them.
  std::size_t pooled_dim = 0;
  std::string_view prompt;  ///< of the options or of the configuration
  int threads = 1;
  int team = 1;  ///< threads that compute a text together which is alone
  std::int64_t batch_tokens = 1;
  bool dedup = true;
  bool strict_utf8 = false;
  Windows windows = Windows::none;
  std::size_t stride = 0;
  /// Texts are the bytes of their token ids, int32, special ones included: see TextWindows.
  bool tokenized = false;
};

/// `options` and `spec` must outlive the plan. Errors: invalid_argument.
Result<EncodePlan> plan_encoding(const EncodeOptions& options, const ModelSpec& spec,
                                 int available_threads);

}  // namespace embd
