#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "base/try.h"
#include "embd.h"
#include "embd/embd.h"

// Shared by the functions of embd.h: errors, options, the handles.

struct embd_error {
  std::string message;
};
struct embd_model {
  embd::Model model;
};
struct embd_index {
  embd::Index index;
};
struct embd_searcher {
  embd::Searcher searcher;
};
struct embd_queries {
  embd::Queries queries;
};
struct embd_filter {
  embd::RowFilter filter;
};
struct embd_reranker {
  embd::Reranker reranker;
};

namespace embd::c {

embd_status status_of(ErrorCode code) noexcept;

/// Runs what returns a Result<void>; its error, or what it throws, goes to the caller.
template <class Function>
embd_status run(embd_error** error, Function&& function) noexcept {
  const Result<void> result = guarded(std::forward<Function>(function));
  if (result) return EMBD_OK;
  if (error != nullptr) {
    // Without memory for the message the status alone has to do.
    *error = nullptr;
    auto made = guarded([&]() -> Result<std::unique_ptr<embd_error>> {
      return std::make_unique<embd_error>(result.error().message());
    });
    if (made) *error = made->release();
  }
  return status_of(result.error().code());
}

/// The caller's structure of options in ours: what an older caller does not know keeps its default.
template <class Options>
Options known(const Options* given, Options defaults) noexcept {
  if (given != nullptr) {
    std::memcpy(&defaults, given, std::min(given->size, sizeof(Options)));
  }
  return defaults;
}

Result<void> require(bool is_good, std::string_view what);
std::string text_or_empty(const char* text);
/// At least one.
Result<std::vector<std::filesystem::path>> paths_of(const char* const* paths, std::size_t count);
Result<std::string_view> text_of(const embd_text& text);
/// Gives reports to the caller, if it asked for them.
void give(std::span<const RowReport> rows, embd_row_report* reports);
/// Rows [count, dim]. Errors: invalid_argument if no memory could hold so many.
Result<MatrixView> rows_of(const float* rows, std::size_t count, std::size_t dim);
Result<std::vector<std::string_view>> texts_of(const embd_text* texts, std::size_t count);

// Numbers of the enums of embd.h, which may be any.
Result<Metric> metric_of(int metric);
/// Nothing for EMBD_METRIC_OF_FILE.
Result<std::optional<Metric>> metric_or_of_file(int metric);

// Structures of options. Errors: invalid_argument, which names the option that is not what it may
// be.
Result<LoadOptions> load_options(const embd_load_options* given);
Result<EncodeOptions> encode_options(const embd_encode_options* given);
Result<ScoreOptions> score_options(const embd_score_options* given);
Result<SearchOptions> search_options(const embd_search_options* given);

}  // namespace embd::c
