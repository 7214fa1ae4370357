#include "embd/terms.h"

#include <utility>
#include <vector>

#include "base/try.h"
#include "faces/js/native/answer.h"
#include "faces/js/native/open_indexes.h"
#include "faces/js/native/option_object.h"
#include "faces/js/native/rows.h"

namespace embd::js {
namespace {

std::vector<std::string> strings_of(const char* bytes, const std::uint32_t* sizes,
                                    std::uint32_t count) {
  const std::vector<std::string_view> texts = texts_of(bytes, sizes, count);
  return {texts.begin(), texts.end()};
}

/// Reads the rows that may be found, if the options restrict them.
Result<std::optional<std::vector<std::uint64_t>>> read_rows(const char* text, std::uint32_t size) {
  OptionObject object = EMBD_TRY(OptionObject::parse({text, size}));
  auto rows = EMBD_TRY(take_numbers(object, "rows"));
  EMBD_TRY(object.finish());
  return rows;
}

}  // namespace

Handles<OpenTerms>& term_indexes() {
  static Handles<OpenTerms> open;
  return open;
}

Result<std::vector<std::string>> query_terms(const TermIndex& index, std::string_view text,
                                             std::int32_t model_handle) {
  const Model* model = nullptr;
  if (model_handle != 0) model = EMBD_TRY(models().find(model_handle));
  return EMBD_TRY(index.query(text, model)).texts;
}

EMBD_EXPORT(std::int32_t, embd_terms_open)(const char* name, std::uint32_t name_size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    std::string path(name, name_size);
    TermIndex index = EMBD_TRY(TermIndex::open(path));
    return term_indexes().add({std::move(path), std::move(index)});
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_close)(std::int32_t handle) {
  return answer_with([&](Answer&) { return term_indexes().close(handle); });
}

EMBD_EXPORT(std::int32_t, embd_terms_info)(std::int32_t handle) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndexInfo info = EMBD_TRY(term_indexes().find(handle))->index.info();
    answer.say(nlohmann::json{{"rows", info.num_rows},
                              {"terms", info.num_terms},
                              {"postings", info.num_postings},
                              {"average_length", info.average_length},
                              {"term_kind", name_of(info.recipe.kind, term_kind_names)},
                              {"stemmer", name_of(info.recipe.stemmer, stemmer_names)}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_query)(std::int32_t handle, std::int32_t model_handle,
                                            const char* text, std::uint32_t size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndex& index = EMBD_TRY(term_indexes().find(handle))->index;
    auto terms = EMBD_TRY(query_terms(index, {text, size}, model_handle));
    answer.say(nlohmann::json{{"terms", std::move(terms)}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_weight)(std::int32_t handle, const char* term,
                                             std::uint32_t size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndex& index = EMBD_TRY(term_indexes().find(handle))->index;
    answer.say(nlohmann::json{{"weight", index.weight({term, size})}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_search)(std::int32_t handle, const char* terms,
                                             const std::uint32_t* sizes, std::uint32_t count,
                                             std::uint32_t k, const char* options,
                                             std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndex& index = EMBD_TRY(term_indexes().find(handle))->index;
    const auto rows = EMBD_TRY(read_rows(options, options_size));
    const auto found = EMBD_TRY(index.search(strings_of(terms, sizes, count), k, {.rows = rows}));
    nlohmann::json hits = nlohmann::json::array();
    for (const TermHit& hit : found) hits.push_back({{"row", hit.row}, {"score", hit.score}});
    answer.say(nlohmann::json{{"hits", std::move(hits)}});
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_terms_scores)(std::int32_t handle, const char* terms,
                                             const std::uint32_t* sizes, std::uint32_t count,
                                             const char* options, std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const TermIndex& index = EMBD_TRY(term_indexes().find(handle))->index;
    const auto rows = EMBD_TRY(read_rows(options, options_size));
    if (!rows) return not_of_type("rows", "an array of whole numbers");
    answer.keep(EMBD_TRY(index.scores(strings_of(terms, sizes, count), *rows)));
    return 0;
  });
}

}  // namespace embd::js
