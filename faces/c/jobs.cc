#include <algorithm>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

#include "base/path_text.h"
#include "embd/cluster.h"
#include "embd/dedupe.h"
#include "embd/map.h"
#include "faces/c/fields.h"
#include "faces/c/support.h"
#include "jobs/options/job_lists.h"

namespace embd::c {
namespace {

embd_progress as_c(const EmbedProgress& progress) {
  return {progress.rows, progress.tokens, progress.seconds, progress.share.value_or(-1)};
}

embd_embed_report as_c(const EmbedReport& done) {
  return {done.rows, done.resumed_rows, done.tokens, done.truncated_rows, done.seconds};
}

/// Wraps the caller's progress function. If it returns another number than 0, `stop` ends the job.
std::function<void(const EmbedProgress&)> as_cpp(int (*progress)(void*, const embd_progress*),
                                                 void* user, std::stop_source stop) {
  if (progress == nullptr) return {};
  return [=](const EmbedProgress& so_far) mutable {
    const embd_progress now = as_c(so_far);
    if (progress(user, &now) != 0) stop.request_stop();
  };
}

/// Converts the options of the input that both kinds of jobs have. `more` are the fields that only
/// one kind has.
template <class C, class... More>
Result<InputOptions> input_options(const C& c, Fields<More...> /*more*/ = {}) {
  constexpr Fields<Field<&C::text_field, &InputOptions::text_field>,
                   Field<&C::id_field, &InputOptions::id_field>,
                   Field<&C::encoding, &InputOptions::encoding>,
                   Field<&C::skip_empty, &InputOptions::skip_empty>,
                   Field<&C::delimiter, &InputOptions::delimiter>,
                   Field<&C::max_text_bytes, &InputOptions::max_text_bytes>, More...>
      fields;
  if constexpr (sizeof...(More) > 0) {
    // `replace_invalid_utf8` and `ids_from_file` choose one of two words.
    static_assert(are_all<InputOptions>(
        fields, {"input_format", "id_from", "id_type", "has_header", "invalid_utf8"}));
  }
  InputOptions texts;
  EMBD_TRY(set_all(fields, c, texts));
  if (c.replace_invalid_utf8 != 0) texts.invalid_text = InvalidText::replace;
  return texts;
}

using CEmbed = embd_embed_options;

constexpr Fields<Field<&CEmbed::token_ids_field, &InputOptions::token_ids_field>> token_fields;

constexpr Fields<Field<&CEmbed::output_format, &OutputOptions::format>,
                 Field<&CEmbed::output_type, &OutputOptions::type>>
    output_fields;
static_assert(are_all<OutputOptions>(output_fields, {"output_ranges"}));

constexpr Fields<Field<&CEmbed::row_report, &EmbedOptions::row_report>,
                 Field<&CEmbed::refuse_truncated, &EmbedOptions::refuse_truncated>,
                 Field<&CEmbed::resume, &EmbedOptions::resume>,
                 Field<&CEmbed::restart, &EmbedOptions::restart>>
    embed_fields;
constexpr Fields<Field<&CEmbed::term_kind, &TermOptions::kind>,
                 Field<&CEmbed::stemmer, &TermOptions::stemmer>>
    term_fields;
static_assert(are_all<TermOptions>(term_fields, {}));
// `column_fields` and their number are a list.
static_assert(are_all<EmbedOptions>(embed_fields,
                                    {"section_fields", "column_fields", "part", "id_start"}));

Result<EmbedReport> embed(const Model& model, const std::vector<std::filesystem::path>& inputs,
                          const std::vector<std::filesystem::path>& outputs,
                          const embd_embed_options& c) {
  InputOptions texts = EMBD_TRY(input_options(c, token_fields));
  if (c.ids_from_file != 0) texts.id_from = IdSource::file;
  EmbedOptions options;
  for (std::size_t i = 0; i < c.num_column_fields; ++i) {
    EMBD_TRY(require(c.column_fields != nullptr && c.column_fields[i] != nullptr,
                     "column_fields or one of them is NULL"));
    options.column_fields.emplace_back(c.column_fields[i]);
  }
  options.encode = EMBD_TRY(encode_options(c.encode));
  EMBD_TRY(set_all(output_fields, c, options.output));
  EMBD_TRY(set_all(embed_fields, c, options));
  EMBD_TRY(set_all(term_fields, c, options.terms));
  const std::stop_source stop;
  options.progress = as_cpp(c.progress, c.user, stop);
  return embed_files(model, inputs, outputs, texts, options, stop.get_token());
}

Result<EmbedReport> score_pairs(const Reranker& reranker, const char* input,
                                const std::vector<std::filesystem::path>& outputs,
                                const embd_score_pairs_options& c) {
  ScorePairsOptions options = {.score = EMBD_TRY(score_options(c.score))};
  options.score.refuse_truncated = c.refuse_truncated != 0;
  if (c.query_field != nullptr) options.query_field = c.query_field;
  options.output.format = text_or_empty(c.output_format);
  options.row_report = path_of_text(text_or_empty(c.row_report));
  options.resume = c.resume != 0;
  options.restart = c.restart != 0;
  const InputOptions texts = EMBD_TRY(input_options(c));
  const std::stop_source stop;
  options.progress = as_cpp(c.progress, c.user, stop);
  return score_pairs_file(reranker, input, outputs, texts, options, stop.get_token());
}

using Collect = embd_collect_options;
constexpr Fields<Field<&Collect::max_tokens, &CollectOptions::max_tokens>,
                 Field<&Collect::stemmer, &CollectOptions::stemmer>,
                 Field<&Collect::check_content, &CollectOptions::check_content>,
                 Field<&Collect::force, &CollectOptions::force>,
                 Field<&Collect::threads, &CollectOptions::threads>>
    collect_fields;
static_assert(are_all<CollectOptions>(collect_fields, {"index_rows"}));

embd_collect_report as_c(const CollectReport& done) {
  return {done.files,    done.new_files, done.changed_files, done.gone_files,        done.passages,
          done.embedded, done.reused,    done.seconds,       done.is_refused ? 1 : 0};
}

Result<CollectReport> collect(const Model& model, const std::vector<std::filesystem::path>& roots,
                              const char* folder, const embd_collect_options& c) {
  CollectOptions options;
  EMBD_TRY(set_all(collect_fields, c, options));
  options.model_path = path_of_text(text_or_empty(c.model_path));
  const std::stop_source stop;
  options.progress = as_cpp(c.progress, c.user, stop);
  return embd::collect(model, roots, path_of_text(folder), options, stop.get_token());
}

Result<ClusterOptions> cluster_options(const embd_cluster_options* given) {
  using C = embd_cluster_options;
  using O = ClusterOptions;
  constexpr Fields<Field<&C::k, &O::k>, Field<&C::seed, &O::seed>,
                   Field<&C::min_size, &O::min_size>, Field<&C::min_samples, &O::min_samples>,
                   Field<&C::threads, &O::threads>>
      fields;
  // The method is a flag: HDBSCAN or not.
  static_assert(are_all<O>(fields, {"method", "exact_rows"}));
  const embd_cluster_options c = known(given, EMBD_CLUSTER_OPTIONS_INIT);
  ClusterOptions options;
  if (c.density != 0) options.method = ClusterMethod::density;
  EMBD_TRY(set_all(fields, c, options));
  return options;
}

}  // namespace
}  // namespace embd::c

using embd::option_of;
using embd::Result;
using namespace embd::c;

extern "C" {

embd_status embd_embed_file(const embd_model* model, const char* input, const char* const* outputs,
                            size_t num_outputs, const embd_embed_options* options,
                            embd_embed_report* report, embd_error** error) {
  return embd_embed_files(model, &input, 1, outputs, num_outputs, options, report, error);
}

embd_status embd_embed_files(const embd_model* model, const char* const* inputs, size_t num_inputs,
                             const char* const* outputs, size_t num_outputs,
                             const embd_embed_options* options, embd_embed_report* report,
                             embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(model != nullptr, "model is NULL"));
    const embd::EmbedReport done = EMBD_TRY(
        embed(model->model, EMBD_TRY(paths_of(inputs, num_inputs)),
              EMBD_TRY(paths_of(outputs, num_outputs)), known(options, EMBD_EMBED_OPTIONS_INIT)));
    if (report != nullptr) *report = as_c(done);
    return {};
  });
}

embd_status embd_score_pairs_file(const embd_reranker* reranker, const char* input,
                                  const char* const* outputs, size_t num_outputs,
                                  const embd_score_pairs_options* options,
                                  embd_embed_report* report, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(reranker != nullptr && input != nullptr, "reranker or input is NULL"));
    const embd::EmbedReport done =
        EMBD_TRY(score_pairs(reranker->reranker, input, EMBD_TRY(paths_of(outputs, num_outputs)),
                             known(options, EMBD_SCORE_PAIRS_OPTIONS_INIT)));
    if (report != nullptr) *report = as_c(done);
    return {};
  });
}

embd_status embd_collect(const embd_model* model, const char* const* roots, size_t num_roots,
                         const char* folder, const embd_collect_options* options,
                         embd_collect_report* report, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(model != nullptr && folder != nullptr, "model or folder is NULL"));
    std::vector<std::filesystem::path> paths;
    if (num_roots > 0) paths = EMBD_TRY(paths_of(roots, num_roots));
    const embd::CollectReport done =
        EMBD_TRY(collect(model->model, paths, folder, known(options, EMBD_COLLECT_OPTIONS_INIT)));
    if (report != nullptr) *report = as_c(done);
    return {};
  });
}

embd_status embd_verify_file(const embd_model* model, const char* vectors, const char* texts,
                             uint64_t sample, embd_verification* result, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(
        require(model != nullptr && vectors != nullptr && texts != nullptr && result != nullptr,
                "model, vectors, texts or result is NULL"));
    embd::VerifyOptions options;
    options.sample = sample;
    const embd::Verification found = EMBD_TRY(embd::verify_file(
        model->model, embd::path_of_text(vectors), embd::path_of_text(texts), options));
    *result = {found.num_rows, found.num_expected, found.difference.equal_rows(),
               found.difference.largest()};
    return {};
  });
}

embd_status embd_lock_model(const char* model, const char* lock, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(model != nullptr && lock != nullptr, "model or lock is NULL"));
    return embd::lock_model(embd::path_of_text(model), embd::path_of_text(lock));
  });
}

embd_status embd_check_lock(const char* lock, const char* model, size_t* num_probes,
                            size_t* num_differing, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(lock != nullptr && num_probes != nullptr && num_differing != nullptr,
                     "lock, num_probes or num_differing is NULL"));
    embd::CheckOptions options;
    options.model = embd::path_of_text(text_or_empty(model));
    const embd::LockCheck found = EMBD_TRY(embd::check_lock(embd::path_of_text(lock), options));
    *num_probes = found.probes.size();
    *num_differing = found.differing.size();
    return {};
  });
}

embd_status embd_convert(const char* const* inputs, size_t num_inputs, const char* output,
                         embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(output != nullptr, "output is NULL"));
    EMBD_TRY(
        embd::convert_vectors(EMBD_TRY(paths_of(inputs, num_inputs)), embd::path_of_text(output)));
    return {};
  });
}

embd_status embd_index_file(const char* vectors, const char* output, int metric,
                            embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(vectors != nullptr && output != nullptr, "vectors or output is NULL"));
    embd::IndexFileOptions options;
    options.index.metric = EMBD_TRY(metric_of(metric));
    return embd::index_file(embd::path_of_text(vectors), embd::path_of_text(output), options);
  });
}

embd_status embd_index_terms(const char* vectors, const char* output, const embd_model* model,
                             int term_kind, int stemmer, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(vectors != nullptr && output != nullptr, "vectors or output is NULL"));
    const embd_embed_options c = {.term_kind = term_kind, .stemmer = stemmer};
    embd::TermOptions options = {.model = model == nullptr ? nullptr : &model->model};
    EMBD_TRY(set_all(term_fields, c, options));
    return embd::index_terms(embd::path_of_text(vectors), embd::path_of_text(output), options);
  });
}

embd_status embd_find_duplicates(const float* rows, size_t num_rows, size_t dim,
                                 double min_similarity, int threads, uint64_t* representatives,
                                 size_t* num_kept, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(representatives != nullptr || num_rows == 0, "representatives is NULL"));
    const embd::MatrixView matrix = EMBD_TRY(rows_of(rows, num_rows, dim));
    embd::DedupeOptions options = {.min_similarity = min_similarity};
    EMBD_TRY(set_number(option_of<&embd::DedupeOptions::threads>(), threads, options.threads));
    const embd::Duplicates found = EMBD_TRY(embd::find_duplicates(matrix, options));
    std::ranges::copy(found.representatives, representatives);
    if (num_kept != nullptr) *num_kept = found.num_kept();
    return {};
  });
}

embd_status embd_cluster_rows(const float* rows, size_t num_rows, size_t dim,
                              const embd_cluster_options* options, int32_t* groups,
                              float* distances, size_t* num_groups, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(groups != nullptr || num_rows == 0, "groups is NULL"));
    const embd::MatrixView matrix = EMBD_TRY(rows_of(rows, num_rows, dim));
    const embd::Clusters found =
        EMBD_TRY(embd::cluster_rows(matrix, EMBD_TRY(cluster_options(options))));
    std::ranges::copy(found.groups, groups);
    if (distances != nullptr) std::ranges::copy(found.distances, distances);
    if (num_groups != nullptr) *num_groups = found.sizes.size();
    return {};
  });
}

embd_status embd_project(const float* rows, size_t num_rows, size_t dim, uint32_t neighbours,
                         uint32_t epochs, int threads, float* places, embd_error** error) {
  return run(error, [&]() -> Result<void> {
    EMBD_TRY(require(places != nullptr || num_rows == 0, "places is NULL"));
    const embd::MatrixView matrix = EMBD_TRY(rows_of(rows, num_rows, dim));
    embd::ProjectOptions options;
    EMBD_TRY(set_number(option_of<&embd::ClusterOptions::threads>(), threads, options.threads));
    if (neighbours != 0) options.neighbours = neighbours;
    if (epochs != 0) options.epochs = epochs;
    const embd::Matrix plane = EMBD_TRY(embd::project(matrix, options));
    std::ranges::copy(plane.values(), places);
    return {};
  });
}

}  // extern "C"
