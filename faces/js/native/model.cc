#include "faces/js/native/model.h"

#include "faces/js/native/answer.h"
#include "faces/js/native/model.h"
#include "faces/js/native/option_object.h"
#include "faces/js/native/rows.h"
#include "formats/recipe_json.h"
#include "jobs/options/model_lists.h"

namespace embd::js {

Handles<Model>& models() {
  static Handles<Model> open;
  return open;
}

EMBD_EXPORT(std::int32_t, embd_model_open)(const char* name, std::uint32_t name_size,
                                           const char* options, std::uint32_t options_size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    const auto how = EMBD_TRY(read_options<LoadOptions>(options, options_size));
    return models().add(EMBD_TRY(Model::open(std::string(name, name_size), how)));
  });
}

EMBD_EXPORT(std::int32_t, embd_model_close)(std::int32_t handle) {
  return answer_with([&](Answer&) { return models().close(handle); });
}

EMBD_EXPORT(std::int32_t, embd_model_info)(std::int32_t handle) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Model& model = *EMBD_TRY(models().find(handle));
    nlohmann::json facts = facts_of(model);
    facts["dim"] = model.dim();
    facts["hidden"] = model.hidden();
    facts["vocab_size"] = model.vocab_size();
    facts["similarity"] = model.similarity();
    answer.say(facts);
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_model_recipe)(std::int32_t handle, const char* options,
                                             std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Model& model = *EMBD_TRY(models().find(handle));
    const auto how = EMBD_TRY(read_options<EncodeOptions>(options, options_size));
    answer.say(recipe_to_json(EMBD_TRY(model.recipe(how))));
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_model_encode)(std::int32_t handle, const char* texts,
                                             const std::uint32_t* sizes, std::uint32_t count,
                                             const char* options, std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Model& model = *EMBD_TRY(models().find(handle));
    const auto how = EMBD_TRY(read_options<EncodeOptions>(options, options_size));
    return answer_rows(answer, model, texts, sizes, count, how);
  });
}

EMBD_EXPORT(std::int32_t, embd_model_tokenize)(std::int32_t handle, const char* text,
                                               std::uint32_t size, const char* options,
                                               std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Model& model = *EMBD_TRY(models().find(handle));
    const auto how = EMBD_TRY(read_options<EncodeOptions>(options, options_size));
    const Tokens tokens = EMBD_TRY(model.tokenize({text, size}, how));
    nlohmann::json json = {{"ids", tokens.ids}, {"truncated", tokens.truncated}};
    for (const std::int32_t id : tokens.ids) json["tokens"].push_back(model.token(id));
    for (const ByteRange& range : tokens.ranges) json["ranges"].push_back({range.begin, range.end});
    answer.say(json);
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_model_decode)(std::int32_t handle, const std::int32_t* ids,
                                             std::uint32_t count, std::int32_t skip_special) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Model& model = *EMBD_TRY(models().find(handle));
    answer.say(EMBD_TRY(model.decode({ids, count}, skip_special != 0)));
    return 0;
  });
}

}  // namespace embd::js
