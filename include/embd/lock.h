#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/model.h"

namespace embd {

/// Options for making a lock file.
struct LockOptions {
  std::filesystem::path vocab = {};  ///< the vocabulary, as in LoadOptions::vocab
  /// The arithmetic in which check_lock() computes by default. The lock file gets hashes for all
  /// arithmetics.
  Compute compute = Compute::f32;
  EncodeOptions encode = {};  ///< how to embed the probe texts
  /// The texts to embed. If there are none, a built-in set is used that covers every rule of the
  /// tokenizer and a range of lengths.
  std::vector<std::string> probes = {};
};

/// Writes a lock file: the SHA-256 of the vector of each probe text, for each arithmetic.
/// check_lock() later tells whether a model still gives the same vectors. For a cross-encoder, the
/// hashes are of the logits of pairs: each probe with the next one, and the last with the first.
/// The path of the model is stored relative to the lock file. "-" is standard output. Fails with
/// invalid_argument if the lock file would replace a file that is read, and with the errors of
/// opening the model, of encoding and of writing.
Result<void> lock_model(const std::filesystem::path& model, const std::filesystem::path& lock,
                        const LockOptions& options = {});

/// Options for checking a model with a lock file.
struct CheckOptions {
  /// The path of the model to check. If it is empty, the model that the lock file names is checked.
  std::filesystem::path model = {};
  std::filesystem::path vocab = {};  ///< the vocabulary, as in LoadOptions::vocab
  /// The arithmetic to check. If it is unset, it is the arithmetic that LockOptions::compute named
  /// when the lock file was made.
  std::optional<Compute> compute = {};
  /// The number of threads; it changes no result. 0 means as many as the process's CPU affinity and
  /// cgroup allow.
  int threads = 0;
  /// Continue if the lock file was made with another model. By default that is an error.
  bool force = false;
};

/// The result of check_lock().
struct LockCheck {
  std::string kernels;             ///< the kernels that embedded the probes, such as "avx512"
  Compute compute = Compute::f32;  ///< the arithmetic that was checked
  /// True for a lock file of version 1. Such a file has hashes for each set of kernels, because
  /// vectors then depended on the kernels.
  bool by_kernels = false;
  std::vector<std::string> probes;  ///< all probe texts of the lock file
  /// The indices, in `probes`, of the texts whose vectors have another hash than in the lock file.
  /// The list is empty if no vector changed.
  std::vector<std::size_t> differing;
};

/// Embeds the probe texts of a lock file again and compares the hashes of their vectors. Fails with
/// recipe_mismatch for another model (unless CheckOptions::force is set), with missing if the lock
/// file has no hashes for the arithmetic, and with the errors of reading files. Vectors that differ
/// are no error, but a result.
Result<LockCheck> check_lock(const std::filesystem::path& lock, const CheckOptions& options = {});

}  // namespace embd
