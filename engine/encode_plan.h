#pragma once

#include <cstdint>

#include "embd/model.h"
#include "engine/heads/pooling.h"
#include "engine/run_plan.h"

namespace embd {

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
