#include "faces/c/support.h"

#include <limits>

#include "faces/c/fields.h"
#include "jobs/options/model_lists.h"
#include "jobs/options/vector_lists.h"

namespace embd::c {

static_assert(EMBD_BAD_ARGUMENT == std::to_underlying(ErrorStatus::bad_argument));
static_assert(EMBD_BAD_INPUT == std::to_underlying(ErrorStatus::bad_input));
static_assert(EMBD_RECIPE_MISMATCH == std::to_underlying(ErrorStatus::recipe_mismatch));
static_assert(EMBD_IO_FAILED == std::to_underlying(ErrorStatus::io_failed));
static_assert(EMBD_CANCELLED == std::to_underlying(ErrorStatus::cancelled));

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
  std::vector<std::filesystem::path> all(count);
  std::ranges::transform(paths, paths + count, all.begin(), path_of_text);
  return all;
}

Result<Metric> metric_of(int metric) {
  // The enumerations have one order.
  static_assert(EMBD_METRIC_JACCARD == static_cast<int>(Metric::jaccard));
  if (metric >= EMBD_METRIC_COS && metric <= EMBD_METRIC_JACCARD) return Metric(metric);
  return fail(ErrorCode::invalid_argument,
              "the metric is not a value of the enumeration embd_metric");
}

Result<std::optional<Metric>> metric_or_of_file(int metric) {
  if (metric == EMBD_METRIC_OF_FILE) return std::nullopt;
  return EMBD_TRY(metric_of(metric));
}

Result<LoadOptions> load_options(const embd_load_options* given) {
  using C = embd_load_options;
  using O = LoadOptions;
  constexpr Fields<Field<&C::vocab, &O::vocab>, Field<&C::verify, &O::verify>,
                   Field<&C::compute, &O::compute>>
      fields;
  static_assert(are_all<O>(fields, {"hash_record"}));
  LoadOptions options;
  EMBD_TRY(set_all(fields, known(given, EMBD_LOAD_OPTIONS_INIT), options));
  return options;
}

void give(std::span<const RowReport> rows, embd_row_report* reports) {
  if (reports == nullptr) return;
  std::ranges::transform(rows, reports, [](const RowReport& row) {
    return embd_row_report{row.tokens, row.truncated ? 1 : 0};
  });
}

Result<EncodeOptions> encode_options(const embd_encode_options* given) {
  using C = embd_encode_options;
  using O = EncodeOptions;
  constexpr Fields<Field<&C::prompt, &O::prompt>, Field<&C::prompt_name, &O::prompt_name>,
                   Field<&C::truncation_side, &O::truncation_side>,
                   Field<&C::max_length, &O::max_length>, Field<&C::truncate_dim, &O::truncate_dim>,
                   Field<&C::pooling, &O::pooling>, Field<&C::normalize, &O::normalize>,
                   Field<&C::threads, &O::threads>>
      fields;
  static_assert(are_all<O>(fields, {"windows", "stride", "batch_tokens", "dedup"}));
  EncodeOptions options;
  EMBD_TRY(set_all(fields, known(given, EMBD_ENCODE_OPTIONS_INIT), options));
  return options;
}

Result<MatrixView> rows_of(const float* rows, std::size_t count, std::size_t dim) {
  constexpr std::size_t most_values = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(float);
  EMBD_TRY(require(rows != nullptr || count == 0, "rows is NULL"));
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

Result<SearchOptions> search_options(const embd_search_options* given) {
  using C = embd_search_options;
  using O = SearchOptions;
  constexpr Fields<Field<&C::expansion, &O::expansion>, Field<&C::window, &O::window>,
                   Field<&C::capacity, &O::capacity>, Field<&C::exact, &O::exact>,
                   Field<&C::threads, &O::threads>>
      fields;
  static_assert(are_all<O>(fields, {}));
  embd_search_options c = known(given, EMBD_SEARCH_OPTIONS_INIT);
  if (c.window == 0) c.window = c.expansion;
  SearchOptions options;
  EMBD_TRY(set_all(fields, c, options));
  return options;
}

}  // namespace embd::c
