#include "embd.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "base/try.h"
#include "embd/embd.h"

struct embd_error {
  std::string message;
};
struct embd_model {
  embd::Model model;
};
struct embd_index {
  embd::Index index;
};

namespace embd {
namespace {

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
    case ErrorCode::cancelled:
      return EMBD_IO_FAILED;
    default:
      return EMBD_BAD_INPUT;
  }
}

/// Runs what returns a Result<void>; its error, or what it throws, goes to the caller.
template <class Function>
embd_status run(embd_error** error, Function&& function) noexcept {
  const Result<void> result = guarded(std::forward<Function>(function));
  if (result) return EMBD_OK;
  if (error != nullptr) {
    // Without memory for the message the status alone has to do.
    *error = nullptr;
    auto made =
        guarded([&]() -> Result<embd_error*> { return new embd_error{result.error().message()}; });
    if (made) *error = *made;
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

Result<void> require(bool is_good, std::string_view what) {
  if (is_good) return {};
  return fail(ErrorCode::invalid_argument, std::string(what));
}

std::string text_or_empty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

Result<Compute> compute_of(embd_compute compute) {
  switch (compute) {
    case EMBD_COMPUTE_F32:
      return Compute::f32;
    case EMBD_COMPUTE_BF16:
      return Compute::bf16;
    case EMBD_COMPUTE_INT8:
      return Compute::int8;
  }
  return fail(ErrorCode::invalid_argument, "compute is none of embd_compute");
}

Result<std::optional<Pooling>> pooling_of(embd_pooling pooling) {
  switch (pooling) {
    case EMBD_POOLING_OF_MODEL:
      return std::nullopt;
    case EMBD_POOLING_MEAN:
      return Pooling::mean;
    case EMBD_POOLING_CLS:
      return Pooling::cls;
    case EMBD_POOLING_MAX:
      return Pooling::max;
  }
  return fail(ErrorCode::invalid_argument, "pooling is none of embd_pooling");
}

Result<Metric> metric_of(embd_metric metric) {
  switch (metric) {
    case EMBD_METRIC_COS:
      return Metric::cos;
    case EMBD_METRIC_IP:
      return Metric::ip;
    case EMBD_METRIC_L2SQ:
      return Metric::l2sq;
  }
  return fail(ErrorCode::invalid_argument, "metric is none of embd_metric");
}

Result<EncodeOptions> encode_options(const embd_encode_options* given) {
  const embd_encode_options c = known(given, EMBD_ENCODE_OPTIONS_INIT);
  EncodeOptions options;
  if (c.prompt != nullptr) options.prompt = c.prompt;
  if (c.max_length != 0) options.max_length = c.max_length;
  options.truncate_dim = c.truncate_dim;
  options.pooling = EMBD_TRY(pooling_of(c.pooling));
  if (c.normalize >= 0) options.normalize = c.normalize != 0;
  options.threads = c.threads;
  return options;
}

Result<std::string_view> text_of(const embd_text& text) {
  EMBD_TRY(require(text.data != nullptr || text.size == 0, "a text is NULL"));
  return std::string_view(text.size == 0 ? "" : text.data, text.size);
}

std::span<const std::uint64_t> ids_of(const std::uint64_t* ids, std::size_t count) {
  return ids == nullptr ? std::span<const std::uint64_t>() : std::span(ids, count);
}

Result<void> encode(const Model& model, std::span<const embd_text> texts,
                    const embd_encode_options* options, std::span<float> out,
                    embd_row_report* reports) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (const embd_text& text : texts) views.push_back(EMBD_TRY(text_of(text)));
  std::vector<RowReport> rows(reports == nullptr ? 0 : texts.size());
  const EncodeOptions cpp_options = EMBD_TRY(encode_options(options));
  EMBD_TRY(model.encode(views, out, rows, cpp_options));
  std::ranges::transform(rows, reports, [](const RowReport& row) {
    return embd_row_report{row.tokens, row.truncated ? 1 : 0};
  });
  return {};
}

Result<void> write(const char* path, MatrixView rows, std::span<const std::uint64_t> ids,
                   const embd_model* model, const embd_encode_options* options) {
  WriteOptions write_options;
  if (model != nullptr) {
    const EncodeOptions cpp_options = EMBD_TRY(encode_options(options));
    write_options.recipe = EMBD_TRY(model->model.recipe(cpp_options));
  }
  const auto writer = EMBD_TRY(create_vectors(path, rows.cols(), write_options));
  Ids row_ids;
  if (!ids.empty()) row_ids = std::vector(ids.begin(), ids.end());
  EMBD_TRY(writer->append(rows, row_ids));
  return writer->finish();
}

}  // namespace
}  // namespace embd

using embd::Result;

extern "C" {

const char* embd_version(void) {
  return embd::version().data();
}

const char* embd_error_message(const embd_error* error) {
  return error->message.c_str();
}

void embd_error_free(embd_error* error) {
  delete error;
}

embd_status embd_model_open(const char* path, const embd_load_options* options, embd_model** model,
                            embd_error** error) {
  return embd::run(error, [&]() -> Result<void> {
    EMBD_TRY(embd::require(path != nullptr && model != nullptr, "path or model is NULL"));
    const embd_load_options c = embd::known(options, EMBD_LOAD_OPTIONS_INIT);
    embd::LoadOptions load;
    load.vocab = embd::text_or_empty(c.vocab);
    load.verify = c.verify != 0;
    load.compute = EMBD_TRY(embd::compute_of(c.compute));
    embd::Model opened = EMBD_TRY(embd::Model::open(path, load));
    *model = new embd_model{std::move(opened)};
    return {};
  });
}

void embd_model_free(embd_model* model) {
  delete model;
}

uint32_t embd_model_dim(const embd_model* model) {
  return model->model.dim();
}

uint32_t embd_model_max_length(const embd_model* model) {
  return model->model.max_length();
}

const char* embd_model_name(const embd_model* model) {
  return model->model.name().c_str();
}

const char* embd_model_instruction_set(const embd_model* model) {
  return model->model.instruction_set().data();
}

embd_status embd_encode(const embd_model* model, const embd_text* texts, size_t count,
                        const embd_encode_options* options, float* out, size_t out_size,
                        embd_row_report* reports, embd_error** error) {
  return embd::run(error, [&]() -> Result<void> {
    EMBD_TRY(embd::require(model != nullptr && (count == 0 || (texts != nullptr && out != nullptr)),
                           "model, texts or out is NULL"));
    return embd::encode(model->model, {texts, count}, options, {out, out_size}, reports);
  });
}

embd_status embd_tokenize(const embd_model* model, embd_text text,
                          const embd_encode_options* options, int32_t* ids, size_t capacity,
                          size_t* count, embd_error** error) {
  return embd::run(error, [&]() -> Result<void> {
    EMBD_TRY(
        embd::require(model != nullptr && count != nullptr && (ids != nullptr || capacity == 0),
                      "model, ids or count is NULL"));
    const std::string_view view = EMBD_TRY(embd::text_of(text));
    const embd::EncodeOptions cpp_options = EMBD_TRY(embd::encode_options(options));
    const embd::Tokens tokens = EMBD_TRY(model->model.tokenize(view, cpp_options));
    std::copy_n(tokens.ids.begin(), std::min(capacity, tokens.ids.size()), ids);
    *count = tokens.ids.size();
    return {};
  });
}

embd_status embd_write_vectors(const char* path, const float* rows, size_t count, size_t dim,
                               const uint64_t* ids, const embd_model* model,
                               const embd_encode_options* options, embd_error** error) {
  return embd::run(error, [&]() -> Result<void> {
    EMBD_TRY(
        embd::require(path != nullptr && (rows != nullptr || count == 0), "path or rows is NULL"));
    return embd::write(path, {rows, count, dim}, embd::ids_of(ids, count), model, options);
  });
}

embd_status embd_index_open(const char* path, embd_metric metric, embd_index** index,
                            embd_error** error) {
  return embd::run(error, [&]() -> Result<void> {
    EMBD_TRY(embd::require(path != nullptr && index != nullptr, "path or index is NULL"));
    embd::OpenOptions options;
    options.metric = EMBD_TRY(embd::metric_of(metric));
    embd::Index opened = EMBD_TRY(embd::Index::open(path, options));
    *index = new embd_index{std::move(opened)};
    return {};
  });
}

embd_status embd_index_build(const float* rows, size_t count, size_t dim, const uint64_t* ids,
                             embd_metric metric, int threads, embd_index** index,
                             embd_error** error) {
  return embd::run(error, [&]() -> Result<void> {
    EMBD_TRY(embd::require((rows != nullptr || count == 0) && index != nullptr,
                           "rows or index is NULL"));
    embd::IndexOptions options;
    options.metric = EMBD_TRY(embd::metric_of(metric));
    options.threads = threads;
    embd::Index built =
        EMBD_TRY(embd::Index::build({rows, count, dim}, embd::ids_of(ids, count), options));
    *index = new embd_index{std::move(built)};
    return {};
  });
}

embd_status embd_index_save(const embd_index* index, const char* path, embd_error** error) {
  return embd::run(error, [&]() -> Result<void> {
    EMBD_TRY(embd::require(index != nullptr && path != nullptr, "index or path is NULL"));
    return index->index.save(path);
  });
}

void embd_index_free(embd_index* index) {
  delete index;
}

uint64_t embd_index_size(const embd_index* index) {
  return index->index.info().num_rows;
}

uint64_t embd_index_dim(const embd_index* index) {
  return index->index.info().dim;
}

embd_status embd_index_search(const embd_index* index, const float* query, size_t dim, size_t k,
                              const embd_search_options* options, embd_hit* hits, size_t* count,
                              embd_error** error) {
  return embd::run(error, [&]() -> Result<void> {
    EMBD_TRY(
        embd::require(index != nullptr && query != nullptr && hits != nullptr && count != nullptr,
                      "index, query, hits or count is NULL"));
    const embd_search_options c = embd::known(options, EMBD_SEARCH_OPTIONS_INIT);
    embd::SearchOptions search;
    if (c.expansion != 0) search.expansion = search.window = c.expansion;
    search.exact = c.exact != 0;
    const std::vector<embd::Hit> found =
        EMBD_TRY(index->index.search(std::span(query, dim), k, search));
    std::ranges::transform(found, hits,
                           [](const embd::Hit& hit) { return embd_hit{hit.id, hit.distance}; });
    *count = found.size();
    return {};
  });
}

}  // extern "C"
