#include "embd/index.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/os/mapped_file.h"
#include "faces/js/native/answer.h"
#include "faces/js/native/open_indexes.h"
#include "faces/js/native/option_object.h"
#include "faces/js/native/rows.h"
#include "formats/recipe_json.h"
#include "jobs/options/model_lists.h"
#include "jobs/options/vector_lists.h"
#include "jobs/recipe_check.h"

namespace embd::js {
namespace {

/// Returns the recipe in the index or, if there is none, the recipe in the file that the option
/// "recipe" names.
Result<std::optional<Recipe>> recipe_of(const Index& index, const nlohmann::json& name) {
  if (auto inside = index.info().recipe) return inside;
  if (name.is_null()) return std::nullopt;
  if (!name.is_string()) return not_of_type("recipe", "the name of a file");
  const MappedFile file = EMBD_TRY(MappedFile::open(name.get<std::string>()));
  return EMBD_TRY(recipe_from_json(as_text(file.bytes())));
}

/// A hit in the layout in which JavaScript reads it.
struct HitBytes {
  std::uint64_t id;
  float distance;
  std::uint32_t slot;
};
static_assert(sizeof(HitBytes) == 16);

}  // namespace

Handles<OpenIndex>& indexes() {
  static Handles<OpenIndex> open;
  return open;
}

Result<Search> read_search(const char* text, std::uint32_t size) {
  OptionObject object = EMBD_TRY(OptionObject::parse({text, size}));
  Search search = {.options = EMBD_TRY(take_options<SearchOptions>(object)), .ids = {}};
  search.ids = EMBD_TRY(take_numbers(object, "ids"));
  EMBD_TRY(object.finish());
  return search;
}

EMBD_EXPORT(std::int32_t, embd_index_open)(const char* name, std::uint32_t name_size,
                                           const char* options, std::uint32_t options_size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    constexpr auto metric_option = option_of<&SearcherOptions::metric>();
    OptionObject object = EMBD_TRY(OptionObject::parse({options, options_size}));
    OpenOptions how;
    if (const nlohmann::json metric = object.take(metric_option.name); !metric.is_null())
      EMBD_TRY(read_value(metric_option, metric, how.metric.emplace()));
    const nlohmann::json recipe_name = object.take("recipe");
    EMBD_TRY(object.finish());
    std::string path(name, name_size);
    Index index = EMBD_TRY(Index::view(path, how));
    std::optional<Recipe> recipe = EMBD_TRY(recipe_of(index, recipe_name));
    return indexes().add({std::move(path), std::move(index), std::move(recipe)});
  });
}

EMBD_EXPORT(std::int32_t, embd_index_close)(std::int32_t handle) {
  return answer_with([&](Answer&) { return indexes().close(handle); });
}

EMBD_EXPORT(std::int32_t, embd_index_info)(std::int32_t handle) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const OpenIndex& open = *EMBD_TRY(indexes().find(handle));
    const IndexInfo info = open.index.info();
    nlohmann::json facts = {{"format", info.format},
                            {"kind", name_of(info.kind, index_kind_names)},
                            {"metric", metric_name(info.metric)},
                            {"scalar", element_name(info.scalar)},
                            {"dim", info.dim},
                            {"rows", info.num_rows},
                            {"removed", info.num_removed}};
    if (open.recipe) facts["recipe"] = EMBD_TRY(parse_json(recipe_to_json(*open.recipe)));
    answer.say(facts);
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_index_check)(std::int32_t handle, std::int32_t model_handle,
                                            const char* options, std::uint32_t options_size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    const OpenIndex& open = *EMBD_TRY(indexes().find(handle));
    const Model& model = *EMBD_TRY(models().find(model_handle));
    const auto how = EMBD_TRY(read_options<EncodeOptions>(options, options_size));
    if (open.recipe) {
      EMBD_TRY(check_recipe(*open.recipe, model, options_of(*open.recipe, how, model), open.name,
                            /*force=*/false));
    }
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_index_encode)(std::int32_t handle, std::int32_t model_handle,
                                             const char* texts, const std::uint32_t* sizes,
                                             std::uint32_t count, const char* options,
                                             std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const OpenIndex& open = *EMBD_TRY(indexes().find(handle));
    const Model& model = *EMBD_TRY(models().find(model_handle));
    const auto query = EMBD_TRY(read_options<QueryOptions>(options, options_size));
    const EncodeOptions how = EMBD_TRY(options_of_queries(open.recipe, query, model, open.name));
    return answer_rows(answer, model, texts, sizes, count, how);
  });
}

EMBD_EXPORT(std::int32_t, embd_index_search)(std::int32_t handle, const float* queries,
                                             std::uint32_t count, std::uint32_t dim,
                                             std::uint32_t k, const char* options,
                                             std::uint32_t options_size) {
  return answer_with([&](Answer& answer) -> Result<std::int32_t> {
    const Index& index = EMBD_TRY(indexes().find(handle))->index;
    Search search = EMBD_TRY(read_search(options, options_size));
    std::optional<IdFilter> filter;
    if (search.ids) filter = EMBD_TRY(index.filter(*search.ids));
    if (filter) search.options.filter = &*filter;
    const auto found = EMBD_TRY(index.search(MatrixView(queries, count, dim), k, search.options));
    std::vector<HitBytes> hits;
    nlohmann::json counts = nlohmann::json::array();
    for (const std::vector<Hit>& of_query : found) {
      counts.push_back(of_query.size());
      for (const Hit& hit : of_query) hits.push_back({hit.id, hit.distance, hit.slot});
    }
    answer.say(nlohmann::json{{"counts", std::move(counts)}});
    answer.keep(std::move(hits));
    return 0;
  });
}

}  // namespace embd::js
