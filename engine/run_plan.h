#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/model.h"
#include "embd/model_types.h"
#include "engine/heads/pooling.h"
#include "formats/weights/model_spec.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {

/// The options of a run that all kinds of models have (see EncodeOptions). An option that is not
/// set has the model's own value.
struct RunOptions {
  std::optional<std::uint32_t> max_length = {};
  std::optional<TruncationSide> truncation_side = {};
  const std::string* prompt = nullptr;
  std::string_view prompt_name = {};
  int threads = 0;
  std::size_t batch_tokens = 0;
  bool dedup = true;
  bool strict_utf8 = false;
  /// The name of the maximum length in error messages.
  std::string_view length_name = "max_length";
};

/// Takes the options of a run from the options of a call of Model or Reranker, which must outlive
/// them.
template <class Options>
RunOptions run_options_of(const Options& options) {
  return {.max_length = options.max_length,
          .truncation_side = options.truncation_side,
          .prompt = options.prompt ? &*options.prompt : nullptr,
          .prompt_name = options.prompt_name,
          .threads = options.threads,
          .batch_tokens = options.batch_tokens,
          .dedup = options.dedup,
          .strict_utf8 = options.strict_utf8};
}

/// The options of a run, with defaults filled in from the model and all limits checked.
struct RunPlan {
  /// How inputs become tokens. The prompt is a view of the options' or the spec's prompt.
  TextOptions text;
  int threads = 1;
  int team = 1;  ///< the number of threads that compute a single text together
  std::int64_t batch_tokens = 1;
  bool dedup = true;
};

/// Makes a plan. `options` and `spec` must outlive it. Fails with invalid_argument.
Result<RunPlan> plan_run(const RunOptions& options, const ModelSpec& spec, int available_threads);

/// The options of a call of Model, with defaults filled in from the model and all limits checked.
struct EncodePlan {
  RunPlan run;
  PoolingOptions pooling;
  Windows windows = Windows::none;
  std::size_t stride = 0;
};

/// Makes a plan. `options` and `spec` must outlive it. Fails with invalid_argument.
Result<EncodePlan> plan_encoding(const EncodeOptions& options, const ModelSpec& spec,
                                 int available_threads);

}  // namespace embd
