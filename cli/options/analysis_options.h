#pragma once

#include <functional>
#include <string>

#include "cli/options/input_options.h"
#include "cli/options/model_options.h"
#include "embd/vectors.h"

// Options of the verbs that look into texts or vectors: dedupe, cluster.
namespace embd::cli {

/// Texts, which are embedded, or a vector set with the texts that it was made of.
struct AnalysisRequest {
  std::string path = "-";
  std::string texts;
  InputOptions input;
  ReadOptions read;
  ModelOptions model;
};

/// Adds INPUT, --texts, and the options of reading texts, of reading vectors and of embedding.
void add_analysis_options(Verb& verb, AnalysisRequest& request);

/// Calls job(model) with the model that embeds the input's texts; with null where the input is a
/// vector set. Errors: those of opening the model and of the job; invalid_argument for an option of
/// texts where there are none.
Result<void> with_model(const Verb& verb, const AnalysisRequest& request,
                        const std::function<Result<void>(const Model*)>& job);

}  // namespace embd::cli
