#include "c_api/support.h"

#include <algorithm>
#include <limits>

namespace embd::c {

embd_status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return EMBD_BAD_ARGUMENT;
    case ErrorCode::recipe_mismatch:
      return EMBD_RECIPE_MISMATCH;
    case ErrorCode::not_found:
    case ErrorCode::io_failed:
    case ErrorCode::out_of_memory:
    case ErrorCode::pipe_closed:
      return EMBD_IO_FAILED;
    case ErrorCode::cancelled:
      return EMBD_CANCELLED;
    default:
      return EMBD_BAD_INPUT;
  }
}

Result<void> require(bool is_good, std::string_view what) {
  if (is_good) return {};
  return fail(ErrorCode::invalid_argument, std::string(what));
}

std::string text_or_empty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

Result<std::vector<std::filesystem::path>> paths_of(const char* const* paths, std::size_t count) {
  EMBD_TRY(require(paths != nullptr && count > 0, "no paths"));
  EMBD_TRY(require(std::none_of(paths, paths + count, [](const char* path) { return !path; }),
                   "a path is NULL"));
  return std::vector<std::filesystem::path>(paths, paths + count);
}

Result<Compute> compute_of(int compute) {
  switch (compute) {
    case EMBD_COMPUTE_F32:
      return Compute::f32;
    case EMBD_COMPUTE_BF16:
      return Compute::bf16;
    case EMBD_COMPUTE_INT8:
      return Compute::int8;
    default:
      return fail(ErrorCode::invalid_argument, "compute is none of embd_compute");
  }
}

Result<std::optional<Pooling>> pooling_of(int pooling) {
  static_assert(EMBD_POOLING_MAX + 1 == pooling_names.size(), "a pooling that C cannot ask for");
  switch (pooling) {
    case EMBD_POOLING_OF_MODEL:
      return std::nullopt;
    case EMBD_POOLING_MEAN:
      return Pooling::mean;
    case EMBD_POOLING_CLS:
      return Pooling::cls;
    case EMBD_POOLING_MAX:
      return Pooling::max;
    default:
      return fail(ErrorCode::invalid_argument, "pooling is none of embd_pooling");
  }
}

Result<Metric> metric_of(int metric) {
  // The enumerations have one order.
  static_assert(EMBD_METRIC_JACCARD == static_cast<int>(Metric::jaccard));
  if (metric >= EMBD_METRIC_COS && metric <= EMBD_METRIC_JACCARD) return Metric(metric);
  return fail(ErrorCode::invalid_argument, "metric is none of embd_metric");
}

Result<std::optional<Metric>> metric_or_of_file(int metric) {
  if (metric == EMBD_METRIC_OF_FILE) return std::nullopt;
  return EMBD_TRY(metric_of(metric));
}

Result<std::optional<TruncationSide>> truncation_side_of(int side) {
  switch (side) {
    case EMBD_TRUNCATION_OF_MODEL:
      return std::nullopt;
    case EMBD_TRUNCATION_RIGHT:
      return TruncationSide::right;
    case EMBD_TRUNCATION_LEFT:
      return TruncationSide::left;
    default:
      return fail(ErrorCode::invalid_argument, "truncation_side is none of embd_truncation_side");
  }
}

Result<LoadOptions> load_options(const embd_load_options* given) {
  const embd_load_options c = known(given, EMBD_LOAD_OPTIONS_INIT);
  const Compute compute = EMBD_TRY(compute_of(c.compute));
  return LoadOptions{.vocab = text_or_empty(c.vocab), .verify = c.verify != 0, .compute = compute};
}

void give(std::span<const RowReport> rows, embd_row_report* reports) {
  if (reports == nullptr) return;
  std::ranges::transform(rows, reports, [](const RowReport& row) {
    return embd_row_report{row.tokens, row.truncated ? 1 : 0};
  });
}

Result<EncodeOptions> encode_options(const embd_encode_options* given) {
  const embd_encode_options c = known(given, EMBD_ENCODE_OPTIONS_INIT);
  EncodeOptions options;
  if (c.prompt != nullptr) options.prompt = c.prompt;
  options.prompt_name = text_or_empty(c.prompt_name);
  options.truncation_side = EMBD_TRY(truncation_side_of(c.truncation_side));
  if (c.max_length != 0) options.max_length = c.max_length;
  options.truncate_dim = c.truncate_dim;
  options.pooling = EMBD_TRY(pooling_of(c.pooling));
  if (c.normalize >= 0) options.normalize = c.normalize != 0;
  options.threads = c.threads;
  return options;
}

Result<MatrixView> rows_of(const float* rows, std::size_t count, std::size_t dim) {
  constexpr std::size_t most_values = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(float);
  EMBD_TRY(require(count == 0 || dim <= most_values / count, "count × dim is more than memory"));
  return MatrixView(rows, count, dim);
}

Result<std::string_view> text_of(const embd_text& text) {
  EMBD_TRY(require(text.data != nullptr || text.size == 0, "a text is NULL"));
  return std::string_view(text.size == 0 ? "" : text.data, text.size);
}

Result<std::vector<std::string_view>> texts_of(const embd_text* texts, std::size_t count) {
  EMBD_TRY(require(texts != nullptr || count == 0, "texts is NULL"));
  std::vector<std::string_view> views;
  for (const embd_text& text : std::span(texts, count)) views.push_back(EMBD_TRY(text_of(text)));
  return views;
}

Result<OutputType> output_type_of(int type) {
  switch (type) {
    case EMBD_OUTPUT_AUTOMATIC:
      return OutputType::automatic;
    case EMBD_OUTPUT_F32:
      return OutputType::f32;
    case EMBD_OUTPUT_F16:
      return OutputType::f16;
    case EMBD_OUTPUT_INT8:
      return OutputType::int8;
    case EMBD_OUTPUT_BINARY:
      return OutputType::binary;
    default:
      return fail(ErrorCode::invalid_argument, "output_type is none of embd_output_type");
  }
}

SearchOptions search_options(const embd_search_options* given) {
  const embd_search_options c = known(given, EMBD_SEARCH_OPTIONS_INIT);
  SearchOptions search;
  if (c.expansion != 0) search.expansion = search.window = c.expansion;
  if (c.window != 0) search.window = c.window;
  search.capacity = c.capacity;
  search.threads = c.threads;
  search.exact = c.exact != 0;
  return search;
}

}  // namespace embd::c
