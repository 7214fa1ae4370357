#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "embd/model.h"
#include "engine/encoder/encoder.h"
#include "engine/feeds.h"
#include "engine/run_plan.h"
#include "engine/worker.h"

namespace embd {

/// Returns the hash of a model's bytes: one that was kept from another process, or what `compute`
/// makes, which it may keep.
using HashKeeper = std::function<std::string(const std::function<std::string()>& compute)>;

/// A model over the bytes of its file, ready to run: what all public classes of models have in
/// common. Each adds a head, and says what goes in and what comes out. Knows nothing of paths:
/// open_model() finds the file. Immutable: any number of threads may call any member at once.
class LoadedModel {
 public:
  /// Makes the tokenizer and packs the weights. `keep_hash` may be empty. Errors: those of the
  /// vocabulary and the weights, unsupported for kernels that this machine has not.
  static Result<std::unique_ptr<const LoadedModel>> load(WeightFile file, Compute compute,
                                                         HashKeeper keep_hash = {});
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  /// The file that the model was loaded from, for the weights of a head.
  const WeightFile& file() const noexcept { return file_; }
  const ModelSpec& spec() const noexcept { return file_.spec(); }
  const Tokenizer& tokenizer() const noexcept { return *tokenizer_; }
  Compute compute() const noexcept { return compute_; }
  ModelSize size() const;
  std::string_view instruction_set() const noexcept { return kernels_.name; }
  /// The threads that affinity and the cgroup allow.
  int available_threads() const noexcept { return threads_; }
  /// SHA-256 of the file, in hex. The first call makes it.
  std::string sha256() const;
  WorkerPool::Lease lease_worker() const { return workers_.lease(); }

  /// Takes everything that `feed` has through the encoder and `head`, which makes its rows. Errors:
  /// those of the feed; cancelled.
  Result<Report> run(Feed& feed, const RunPlan& plan, const Head& head,
                     const std::stop_token& stop) const;
  /// The options of a feed of such a run.
  FeedOptions feed_options(const RunPlan& plan, const Head& head) const;

 private:
  struct Parts;
  LoadedModel(Parts parts, HashKeeper keep_hash);
  std::string hash_file() const;

  const WeightFile file_;
  const std::unique_ptr<const Tokenizer> tokenizer_;
  const Weights weights_;
  const kernels::Kernels& kernels_;
  const Compute compute_;
  const Encoder encoder_;
  mutable WorkerPool workers_;
  const int threads_;
  const HashKeeper keep_hash_;

  mutable std::mutex hash_mutex_;
  mutable std::string hash_;
};

}  // namespace embd
