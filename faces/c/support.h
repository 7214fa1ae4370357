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

#include "base/error_codes.h"
#include "base/try.h"
#include "embd.h"
#include "embd/embd.h"

// Errors, options and handles, which all functions of embd.h share.

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

/// Runs a function that returns Result<void>, and returns its status. An error, or an exception
/// that it throws, is stored in *error, unless `error` is null.
template <class Function>
embd_status run(embd_error** error, Function&& function) noexcept {
  const Result<void> result = guarded(std::forward<Function>(function));
  if (result) return EMBD_OK;
  if (error != nullptr) {
    // Without memory for the message, the caller gets the status alone.
    *error = nullptr;
    auto made = guarded([&]() -> Result<std::unique_ptr<embd_error>> {
      return std::make_unique<embd_error>(result.error().message());
    });
    if (made) *error = made->release();
  }
  return static_cast<embd_status>(status_of(result.error().code()));
}

/// Copies a caller's structure of options. Members that the caller does not know, because it was
/// built with an older header, keep their defaults. `given` may be null.
template <class Options>
Options known(const Options* given, Options defaults) noexcept {
  if (given != nullptr) {
    std::memcpy(&defaults, given, std::min(given->size, sizeof(Options)));
  }
  return defaults;
}

Result<void> require(bool is_good, std::string_view what);
std::string text_or_empty(const char* text);
/// Copies paths. Fails with invalid_argument for no path and for a null path.
Result<std::vector<std::filesystem::path>> paths_of(const char* const* paths, std::size_t count);
Result<std::string_view> text_of(const embd_text& text);
/// Copies reports to the caller, unless `reports` is null.
void give(std::span<const RowReport> rows, embd_row_report* reports);
/// Makes a view of rows [count, dim]. Fails with invalid_argument if so many values cannot be in
/// memory.
Result<MatrixView> rows_of(const float* rows, std::size_t count, std::size_t dim);
Result<std::vector<std::string_view>> texts_of(const embd_text* texts, std::size_t count);

// Conversions of numbers that stand for a value of an enum of embd.h. The caller may give any
// number.
Result<Metric> metric_of(int metric);
/// Returns the metric that a number stands for; nothing for EMBD_METRIC_OF_FILE.
Result<std::optional<Metric>> metric_or_of_file(int metric);

// Conversions of structures of options; `given` may be null. They fail with invalid_argument,
// naming the option, for a value that is not allowed.
Result<LoadOptions> load_options(const embd_load_options* given);
Result<EncodeOptions> encode_options(const embd_encode_options* given);
Result<ScoreOptions> score_options(const embd_score_options* given);
Result<SearchOptions> search_options(const embd_search_options* given);

}  // namespace embd::c
