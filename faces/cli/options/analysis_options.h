#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "embd/vectors.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"

// Options that the verbs dedupe, cluster and map share, which analyze texts or vectors.
namespace embd::cli {

/// The input of an analysis: texts, which are embedded, or a vector set, possibly with its texts.
struct AnalysisRequest {
  std::vector<std::filesystem::path> paths;  ///< files and folders of texts, or a vector set
  std::string texts;  ///< the texts that the vector set was made of; empty: none
  InputOptions input;
  ReadOptions read;
  ModelOptions model;
};

/// Tells a job, by its options, how to read the input and how to embed its texts.
template <class Options>
void set_input(const AnalysisRequest& request, Options& options) {
  options.texts = request.texts;
  options.read = request.read;
  options.input = request.input;
  options.encode = request.model.encode;
}

/// Adds INPUT, --texts, and the options for reading texts, reading vectors and embedding.
void add_analysis_options(Verb& verb, AnalysisRequest& request);

/// Calls job(model) with the model that embeds the input's texts, or with null if the input is a
/// vector set. Fails with invalid_argument if an option was given that does nothing for such an
/// input, and with the errors of opening the model and of the job.
Result<void> with_model(const Verb& verb, const AnalysisRequest& request,
                        const std::function<Result<void>(const Model*)>& job);

}  // namespace embd::cli
