#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output_set.h"
#include "base/paths.h"
#include "embd/error.h"
#include "embd/terms.h"

// Term indexes as outputs of jobs: an index of the terms of the texts, beside the vectors.
namespace embd {

/// Returns true if the name of an output stands for a term index: if it ends in ".terms".
bool is_term_index(const std::filesystem::path& path);

/// Takes the term index out of the names of a job's outputs, and returns it; empty if there is
/// none. Fails with invalid_argument if there are several, or no other output.
Result<std::filesystem::path> take_term_index(std::vector<std::filesystem::path>& outputs);

/// A term index that is written together with other outputs. It appears, complete, at finish(), and
/// replaces an older term index of the same name. If it is destroyed before, it leaves nothing
/// behind.
class TermOutput {
 public:
  /// Creates an output at `path`. Fails with the errors of TermIndexBuilder::create(), and with
  /// those of creating a folder.
  static Result<TermOutput> create(const std::filesystem::path& path, const TermOptions& options);

  /// Adds the text of the next row. Fails with the errors of TermIndexBuilder::add().
  Result<void> append(std::string_view text) { return builder_.add(text); }
  std::uint64_t num_rows() const noexcept { return builder_.num_rows(); }
  /// Does all that can fail before finish(): writes the files, and finds whatever is in the way.
  Result<void> prepare();
  /// Puts the index in place. Calls prepare() first if that was not done.
  Result<void> finish();

 private:
  TermOutput(OutputSet set, TermIndexBuilder builder)
      : set_(std::move(set)), builder_(std::move(builder)) {}

  OutputSet set_;
  TermIndexBuilder builder_;
  bool is_prepared_ = false;
};

}  // namespace embd
