#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"

namespace embd {

/// A model whose results for probe texts are locked: the vectors of a sentence embedding model, or
/// the logits of a cross-encoder, which reads each probe together with the next one.
class ProbedModel {
 public:
  virtual ~ProbedModel() = default;

  virtual Compute compute() const noexcept = 0;
  virtual std::string_view instruction_set() const noexcept = 0;
  virtual Result<Recipe> recipe(const EncodeOptions& options) const = 0;
  /// The options with which results are those of `recipe`. Error: recipe_mismatch, naming `file`,
  /// where there are none, unless `force`.
  virtual Result<EncodeOptions> options_of(const Recipe& recipe, int threads, std::string_view file,
                                           bool force) const = 0;
  /// SHA-256 of each probe's result, its float32 values as little-endian bytes. Errors: those of
  /// the model; invalid_argument for an option of vectors that a cross-encoder does not have.
  virtual Result<std::vector<std::string>> hashes_of(const std::vector<std::string>& probes,
                                                     const EncodeOptions& options) const = 0;
};

/// Opens a model of either class. Errors: those of Model::open().
Result<std::unique_ptr<const ProbedModel>> open_probed_model(const std::filesystem::path& path,
                                                             const LoadOptions& options);

}  // namespace embd
