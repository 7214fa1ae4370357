#include <algorithm>
#include <vector>

#include "base/path_text.h"
#include "faces/c/fields.h"
#include "faces/c/support.h"
#include "jobs/options/vector_lists.h"

namespace embd::c {
namespace {

std::span<const std::uint64_t> ids_of(const std::uint64_t* ids, std::size_t count) {
  return ids == nullptr ? std::span<const std::uint64_t>() : std::span(ids, count);
}

void copy_hits(const std::vector<Hit>& found, embd_hit* hits, std::size_t* count) {
  std::ranges::transform(found, hits,
                         [](const Hit& hit) { return embd_hit{hit.id, hit.distance}; });
  *count = found.size();
}

Result<void> encode(const Model& model, std::span<const embd_text> texts,
                    const embd_encode_options* options, std::span<float> out,
                    embd_row_report* reports) {
  const auto views = EMBD_TRY(texts_of(texts.data(), texts.size()));
  std::vector<RowReport> rows(reports == nullptr ? 0 : texts.size());
  const EncodeOptions cpp_options = EMBD_TRY(encode_options(options));
  EMBD_TRY(model.encode(views, out, rows, cpp_options));
  give(rows, reports);
  return {};
}

Result<void> encode_ids(const Model& model, std::span<const embd_token_ids> texts,
                        const embd_encode_options* options, std::span<float> out,
                        embd_row_report* reports) {
  std::vector<std::span<const std::int32_t>> ids;
  ids.reserve(texts.size());
  for (const embd_token_ids& text : texts) {
    EMBD_TRY(require(text.data != nullptr || text.size == 0, "a text's ids are NULL"));
    ids.emplace_back(text.data, text.size);
  }
  std::vector<RowReport> rows(reports == nullptr ? 0 : texts.size());
  const EncodeOptions cpp_options = EMBD_TRY(encode_options(options));
  EMBD_TRY(model.encode_ids(ids, out, rows, cpp_options));
  give(rows, reports);
  return {};
}

Result<Tokens> tokenize(const embd_model* model, const embd_text& text,
                        const embd_encode_options* options) {
  EMBD_TRY(require(model != nullptr, "model is NULL"));
  const std::string_view view = EMBD_TRY(text_of(text));
  const EncodeOptions cpp_options = EMBD_TRY(encode_options(options));
  return model->model.tokenize(view, cpp_options);
}

/// Writes as many ids as `capacity` allows, and stores the number of all ids in *count.
Result<void> give_ids(const Tokens& tokens, std::int32_t* ids, std::size_t capacity,
                      std::size_t* count) {
  EMBD_TRY(require(count != nullptr && (ids != nullptr || capacity == 0), "ids or count is NULL"));
  *count = tokens.ids.size();
  std::copy_n(tokens.ids.begin(), std::min(capacity, *count), ids);
  return {};
}

/// Returns a prompt of a model by its number; null after the last, and for a null handle.
const Prompt* prompt_at(const embd_model* model, std::size_t index) {
  if (model == nullptr || index >= model->model.prompts().size()) return nullptr;
  return &model->model.prompts()[index];
}

Result<void> write(const char* path, MatrixView rows, std::span<const std::uint64_t> ids,
                   const embd_model* model, const embd_encode_options* options) {
  WriteOptions write_options;
  if (model != nullptr) {
    const EncodeOptions cpp_options = EMBD_TRY(encode_options(options));
    write_options.recipe = EMBD_TRY(model->model.recipe(cpp_options));
  }
  if (!ids.empty()) write_options.ids = std::vector(ids.begin(), ids.end());
  return write_vectors(path_of_text(path), rows, write_options);
}

}  // namespace
}  // namespace embd::c

using embd::Result;
using namespace embd::c;

extern "C" {

const char* embd_version(void) {
  return embd::version().data();
}

const char* embd_error_message(const embd_error* error) {
  return error == nullptr ? "out of memory" : error->message.c_str();
}

void embd_error_free(embd_error* error) {
  delete error;
}

embd_status embd_model_open(const char* path, const embd_load_options* options, embd_model** model,
                            embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(path != nullptr && model != nullptr, "path or model is NULL"));
    const embd::LoadOptions load = EMBD_TRY(load_options(options));
    embd::Model opened = EMBD_TRY(embd::Model::open(embd::path_of_text(path), load));
    *model = new embd_model{std::move(opened)};
    return {};
  });
}

void embd_model_free(embd_model* model) {
  delete model;
}

uint32_t embd_model_dim(const embd_model* model) {
  return model == nullptr ? 0 : model->model.dim();
}

uint32_t embd_model_max_length(const embd_model* model) {
  return model == nullptr ? 0 : model->model.max_length();
}

const char* embd_model_name(const embd_model* model) {
  return model == nullptr ? "" : model->model.name().c_str();
}

const char* embd_model_prompt_name(const embd_model* model, size_t index) {
  const embd::Prompt* prompt = prompt_at(model, index);
  return prompt == nullptr ? nullptr : prompt->name.c_str();
}

const char* embd_model_prompt_text(const embd_model* model, size_t index) {
  const embd::Prompt* prompt = prompt_at(model, index);
  return prompt == nullptr ? nullptr : prompt->text.c_str();
}

const char* embd_model_note(const embd_model* model, size_t index) {
  const bool is_there = model != nullptr && index < model->model.notes().size();
  return is_there ? model->model.notes()[index].text.c_str() : nullptr;
}

const char* embd_model_instruction_set(const embd_model* model) {
  return model == nullptr ? "" : model->model.instruction_set().data();
}

embd_status embd_encode(const embd_model* model, const embd_text* texts, size_t count,
                        const embd_encode_options* options, float* out, size_t out_size,
                        embd_row_report* reports, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(model != nullptr && (count == 0 || (texts != nullptr && out != nullptr)),
                     "model, texts or out is NULL"));
    return encode(model->model, {texts, count}, options, {out, out_size}, reports);
  });
}

embd_status embd_tokenize(const embd_model* model, embd_text text,
                          const embd_encode_options* options, int32_t* ids, size_t capacity,
                          size_t* count, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    const embd::Tokens tokens = EMBD_TRY(tokenize(model, text, options));
    return give_ids(tokens, ids, capacity, count);
  });
}

embd_status embd_tokenize_ranges(const embd_model* model, embd_text text,
                                 const embd_encode_options* options, int32_t* ids,
                                 embd_byte_range* ranges, size_t capacity, size_t* count,
                                 embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(ranges != nullptr || capacity == 0, "ranges is NULL"));
    const embd::Tokens tokens = EMBD_TRY(tokenize(model, text, options));
    EMBD_TRY(give_ids(tokens, ids, capacity, count));
    for (std::size_t i = 0; i < std::min(capacity, *count); ++i)
      ranges[i] = {tokens.ranges[i].begin, tokens.ranges[i].end};
    return {};
  });
}

embd_status embd_encode_ids(const embd_model* model, const embd_token_ids* texts, size_t count,
                            const embd_encode_options* options, float* out, size_t out_size,
                            embd_row_report* reports, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(model != nullptr && (count == 0 || (texts != nullptr && out != nullptr)),
                     "model, texts or out is NULL"));
    return encode_ids(model->model, {texts, count}, options, {out, out_size}, reports);
  });
}

embd_status embd_write_vectors(const char* path, const float* rows, size_t count, size_t dim,
                               const uint64_t* ids, const embd_model* model,
                               const embd_encode_options* options, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(path != nullptr, "path is NULL"));
    return write(path, EMBD_TRY(rows_of(rows, count, dim)), ids_of(ids, count), model, options);
  });
}

embd_status embd_index_open(const char* path, int metric, embd_index** index, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(path != nullptr && index != nullptr, "path or index is NULL"));
    embd::OpenOptions options;
    options.metric = EMBD_TRY(metric_or_of_file(metric));
    embd::Index opened = EMBD_TRY(embd::Index::open(embd::path_of_text(path), options));
    *index = new embd_index{std::move(opened)};
    return {};
  });
}

embd_status embd_index_build(const float* rows, size_t count, size_t dim, const uint64_t* ids,
                             int metric, int threads, embd_index** index, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(index != nullptr, "index is NULL"));
    embd::IndexOptions options;
    options.metric = EMBD_TRY(metric_of(metric));
    EMBD_TRY(set_number(embd::option_of<&embd::IndexOptions::threads>(), threads, options.threads));
    embd::Index built = EMBD_TRY(
        embd::Index::build(EMBD_TRY(rows_of(rows, count, dim)), ids_of(ids, count), options));
    *index = new embd_index{std::move(built)};
    return {};
  });
}

embd_status embd_index_save(const embd_index* index, const char* path, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(index != nullptr && path != nullptr, "index or path is NULL"));
    return index->index.save(embd::path_of_text(path));
  });
}

void embd_index_free(embd_index* index) {
  delete index;
}

uint64_t embd_index_size(const embd_index* index) {
  return index == nullptr ? 0 : index->index.info().num_rows;
}

uint64_t embd_index_dim(const embd_index* index) {
  return index == nullptr ? 0 : index->index.info().dim;
}

embd_status embd_index_search(const embd_index* index, const float* query, size_t dim, size_t k,
                              const embd_search_options* options, embd_hit* hits, size_t* count,
                              embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(index != nullptr && query != nullptr && hits != nullptr && count != nullptr,
                     "index, query, hits or count is NULL"));
    const std::vector<embd::Hit> found =
        EMBD_TRY(index->index.search(std::span(query, dim), k, EMBD_TRY(search_options(options))));
    copy_hits(found, hits, count);
    return {};
  });
}

embd_status embd_index_search_bits(const embd_index* index, const uint8_t* query, size_t row_bytes,
                                   size_t k, const embd_search_options* options, embd_hit* hits,
                                   size_t* count, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(index != nullptr && query != nullptr && hits != nullptr && count != nullptr,
                     "index, query, hits or count is NULL"));
    const auto found = EMBD_TRY(index->index.search(embd::PackedBits{query, 1, row_bytes}, k,
                                                    EMBD_TRY(search_options(options))));
    copy_hits(found.front(), hits, count);
    return {};
  });
}

}  // extern "C"
