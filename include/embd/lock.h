#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/model.h"

namespace embd {

struct LockOptions {
  std::filesystem::path vocab = {};  ///< as LoadOptions.vocab
  Compute compute = Compute::f32;
  EncodeOptions encode = {};
  /// Texts to embed; none: a set that meets every rule of a tokenizer and every length.
  std::vector<std::string> probes = {};
};

/// Writes the SHA-256 of each probe's vector, in each arithmetic, to a small file that can be kept
/// with a program; "-" is standard output. Of a cross-encoder, the hashes are of the logits of each
/// probe together with the next one, of the last with the first. The name of the model is kept
/// relative to the lock file.
Result<void> lock_model(const std::filesystem::path& model, const std::filesystem::path& lock,
                        const LockOptions& options = {});

struct CheckOptions {
  std::filesystem::path model = {};  ///< empty: the one that the lock names
  std::filesystem::path vocab = {};
  /// Nothing: the arithmetic that the lock was made with.
  std::optional<Compute> compute = {};
  int threads = 0;
  /// Go on where the lock was made with another model.
  bool force = false;
};

struct LockCheck {
  std::string kernels;  ///< that the probes were embedded with
  Compute compute = Compute::f32;
  /// The lock is of the time when each set of kernels had last bits of its own.
  bool by_kernels = false;
  std::vector<std::string> probes;     ///< all
  std::vector<std::size_t> differing;  ///< indices of those whose vector has another hash
};

/// Embeds the probes of a lock file again. Errors: recipe_mismatch for another model, missing where
/// the lock has no hashes of the arithmetic, and those of reading files.
Result<LockCheck> check_lock(const std::filesystem::path& lock, const CheckOptions& options = {});

}  // namespace embd
