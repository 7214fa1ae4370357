#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"

namespace embd {

/// A model whose results for probe texts are hashed for a lock file. The results are the vectors of
/// a sentence embedding model, or the logits of a reranker, which reads each probe together with
/// the next probe.
class ProbedModel {
 public:
  virtual ~ProbedModel() = default;

  virtual Compute compute() const noexcept = 0;
  virtual std::string_view instruction_set() const noexcept = 0;
  virtual Result<Recipe> recipe(const EncodeOptions& options) const = 0;
  /// Returns the options with which the model makes the results that `recipe` describes. Fails with
  /// recipe_mismatch, naming `file`, if no options do that and `force` is false.
  virtual Result<EncodeOptions> options_of(const Recipe& recipe, int threads, std::string_view file,
                                           bool force) const = 0;
  /// Returns the SHA-256 of each probe's result, over its float32 values as little-endian bytes.
  /// Fails with the errors of the model, and with invalid_argument if the model is a reranker and
  /// an option is for vectors only, such as pooling.
  virtual Result<std::vector<std::string>> hashes_of(const std::vector<std::string>& probes,
                                                     const EncodeOptions& options) const = 0;
};

/// Opens a sentence embedding model or a reranker, whichever the file is. Fails with the errors of
/// Model::open().
Result<std::unique_ptr<const ProbedModel>> open_probed_model(const std::filesystem::path& path,
                                                             const LoadOptions& options);

}  // namespace embd
