#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "engine/encoder/body.h"
#include "engine/feeds.h"
#include "engine/run_plan.h"
#include "engine/worker.h"

namespace embd {

/// A function that returns the hash of a model's bytes. It either knows the hash from an earlier
/// process, or calls `compute` and may store the result.
using HashKeeper = std::function<std::string(const std::function<std::string()>& compute)>;

/// A model that is ready to run, over the bytes of its file: the part that is common to all public
/// classes of models, each of which adds a head and its types of input and output. It knows no
/// paths; open_model() finds the file. Immutable: any number of threads may call any function at
/// the same time.
class LoadedModel {
 public:
  /// Makes the tokenizer and packs the weights. `keep_hash` may be empty. notes() returns `notes`,
  /// and one on bf16 if this processor computes it slowly. Fails with the errors of the vocabulary
  /// and of the weights, and with unsupported for kernels that this machine cannot run.
  static Result<std::unique_ptr<const LoadedModel>> load(WeightFile file, Compute compute,
                                                         HashKeeper keep_hash = {},
                                                         std::vector<ModelNote> notes = {});
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  /// Returns the file that the model was loaded from, for the weights of a head.
  const WeightFile& file() const noexcept { return file_; }
  const ModelSpec& spec() const noexcept { return file_.spec(); }
  const std::vector<ModelNote>& notes() const noexcept { return notes_; }
  const Tokenizer& tokenizer() const noexcept { return *tokenizer_; }
  Compute compute() const noexcept { return compute_; }
  ModelSize size() const;
  std::string_view instruction_set() const noexcept { return kernels_.name; }
  /// Returns the number of threads that CPU affinity and cgroup allow.
  int available_threads() const noexcept { return threads_; }
  /// Returns the SHA-256 of the file in hex digits. The first call computes it.
  std::string sha256() const;
  /// Returns the recipe of the rows of a run, except for the fields that the head decides.
  Recipe recipe(const RunPlan& plan) const;
  WorkerPool::Lease lease_worker() const { return workers_.lease(); }

  /// Takes all inputs of `feed` through the encoder and then through `head`, which makes their
  /// rows. Fails with the errors of the feed, and with cancelled after a stop request.
  Result<Report> run(Feed& feed, const RunPlan& plan, const Head& head,
                     const std::stop_token& stop) const;
  /// Returns the options of a feed for such a run.
  FeedOptions feed_options(const RunPlan& plan, const Head& head) const;

 private:
  struct Parts;
  LoadedModel(Parts parts, HashKeeper keep_hash, std::vector<ModelNote> notes);

  const WeightFile file_;
  const std::unique_ptr<const Tokenizer> tokenizer_;
  const std::unique_ptr<const Body> body_;
  const kernels::Kernels& kernels_;
  const Compute compute_;
  mutable WorkerPool workers_;
  const int threads_;
  const HashKeeper keep_hash_;
  const std::vector<ModelNote> notes_;

  mutable std::mutex hash_mutex_;
  mutable std::string hash_;
};

}  // namespace embd
