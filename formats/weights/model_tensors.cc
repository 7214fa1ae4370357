#include "formats/weights/model_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/try.h"

namespace embd {
namespace {

/// The kinds of modules. A table has only a weight; the others have a weight and a bias.
enum class Kind : std::uint8_t { word_table, table, linear, head_linear, norm };
/// The part of a model that a module belongs to.
enum class Place : std::uint8_t { embeddings, layer, classifier };

struct ModuleRow {
  Module module;
  Place place;
  std::string_view name;  ///< Its name, within its layer if it is in one.
  Kind kind;
  SpecNumber rows;               ///< The outputs of a linear step, the values of a LayerNorm.
  SpecNumber columns = nullptr;  ///< The inputs of a linear step; none for a LayerNorm.
  RowRule row_rule = RowRule::exact;
  RowRule checkpoint_rows = RowRule::exact;
  std::string_view roberta_name = {};  ///< Another name in a checkpoint; empty if there is none.
};

constexpr SpecNumber hidden = &ModelSpec::hidden;
constexpr SpecNumber intermediate = &ModelSpec::intermediate;

/// All modules, with the names of Hugging Face's BERT classes without the prefix of a task model.
///
/// Sentence embedding models use only the first row of the token types, and some were saved with
/// one row. A cross-encoder must have all rows.
constexpr auto modules = std::to_array<ModuleRow>({
    {Module::word_embeddings, Place::embeddings, "embeddings.word_embeddings", Kind::word_table,
     &ModelSpec::vocab_size, hidden, RowRule::at_least, RowRule::at_least},
    {Module::position_embeddings, Place::embeddings, "embeddings.position_embeddings", Kind::table,
     &ModelSpec::max_positions, hidden},
    {Module::token_type_embeddings, Place::embeddings, "embeddings.token_type_embeddings",
     Kind::table, &ModelSpec::token_types, hidden, RowRule::exact, RowRule::one_missing},
    {Module::embeddings_norm, Place::embeddings, "embeddings.LayerNorm", Kind::norm, hidden},

    {Module::query, Place::layer, "attention.self.query", Kind::linear, hidden, hidden},
    {Module::key, Place::layer, "attention.self.key", Kind::linear, hidden, hidden},
    {Module::value, Place::layer, "attention.self.value", Kind::linear, hidden, hidden},
    {Module::attention_output, Place::layer, "attention.output.dense", Kind::linear, hidden,
     hidden},
    {Module::attention_norm, Place::layer, "attention.output.LayerNorm", Kind::norm, hidden},
    {Module::up, Place::layer, "intermediate.dense", Kind::linear, intermediate, hidden},
    {Module::down, Place::layer, "output.dense", Kind::linear, hidden, intermediate},
    {Module::output_norm, Place::layer, "output.LayerNorm", Kind::norm, hidden},

    {Module::pooler, Place::classifier, "pooler.dense", Kind::head_linear, hidden, hidden,
     RowRule::exact, RowRule::exact, "classifier.dense"},
    {Module::classifier, Place::classifier, "classifier", Kind::head_linear, &ModelSpec::num_labels,
     hidden, RowRule::exact, RowRule::exact, "classifier.out_proj"},
});

constexpr std::string_view layer_prefix = "encoder.layer.";
constexpr std::string_view weight_suffix = ".weight";
constexpr std::string_view bias_suffix = ".bias";
/// The prefixes of the encoder's names in a checkpoint of a task model.
constexpr auto checkpoint_prefixes = std::to_array<std::string_view>({"", "bert.", "roberta."});
/// The suffixes of a LayerNorm's tensors before transformers 1.0.
constexpr std::string_view older_weight_suffix = ".gamma";
constexpr std::string_view older_bias_suffix = ".beta";

constexpr const ModuleRow& row_of(Module module) {
  return *std::ranges::find(modules, module, &ModuleRow::module);
}

std::string name_of(const ModuleRow& row, std::uint32_t layer) {
  if (row.place == Place::layer) return fmt::format("{}{}.{}", layer_prefix, layer, row.name);
  return std::string(row.name);
}

TensorShape shape_of(const ModuleRow& row, const ModelSpec& spec) {
  if (row.columns == nullptr) return {spec.*row.rows};
  return {spec.*row.rows, spec.*row.columns};
}

TensorRole role_of_weight(Kind kind) {
  switch (kind) {
    case Kind::word_table:
      return TensorRole::word_table;
    case Kind::table:
      return TensorRole::table;
    case Kind::linear:
      return TensorRole::matrix;
    case Kind::head_linear:
      return TensorRole::head_matrix;
    case Kind::norm:
      break;
  }
  return TensorRole::vector;
}

bool has_bias(Kind kind) {
  return kind == Kind::linear || kind == Kind::head_linear || kind == Kind::norm;
}

RowRule checkpoint_rows_of(const ModuleRow& row, const ModelSpec& spec) {
  const bool may_differ =
      row.checkpoint_rows != RowRule::one_missing || spec.head == HeadKind::pooling;
  return may_differ ? row.checkpoint_rows : RowRule::exact;
}

Result<void> visit_place(const ModelSpec& spec, Place place, std::uint32_t layer,
                         const std::function<Result<void>(const ModelTensor&)>& visit) {
  for (const ModuleRow& row : modules) {
    if (row.place != place) continue;
    const std::string name = name_of(row, layer);
    EMBD_TRY(visit({.module = row.module,
                    .name = name + std::string(weight_suffix),
                    .shape = shape_of(row, spec),
                    .role = role_of_weight(row.kind),
                    .rows = row.row_rule,
                    .checkpoint_rows = checkpoint_rows_of(row, spec)}));
    if (!has_bias(row.kind)) continue;
    EMBD_TRY(visit({.module = row.module,
                    .name = name + std::string(bias_suffix),
                    .shape = {spec.*row.rows},
                    .role = TensorRole::vector}));
  }
  return {};
}

}  // namespace

bool is_allowed(TensorRole role, ElementType type) noexcept {
  switch (type) {
    case ElementType::f32:
      return true;
    case ElementType::f16:
    case ElementType::bf16:
      return role != TensorRole::vector;
    case ElementType::i8:
      return role == TensorRole::matrix || role == TensorRole::word_table;
    default:
      return false;
  }
}

bool fits(RowRule rule, std::uint64_t found, std::uint32_t expected) noexcept {
  switch (rule) {
    case RowRule::exact:
      return found == expected;
    case RowRule::at_least:
      return found >= expected;
    case RowRule::one_missing:
      break;
  }
  return found > 0 && found + 1 >= expected;
}

Result<void> for_each_tensor(const ModelSpec& spec,
                             const std::function<Result<void>(const ModelTensor&)>& visit) {
  EMBD_TRY(visit_place(spec, Place::embeddings, 0, visit));
  for (std::uint32_t layer = 0; layer < spec.num_layers; ++layer)
    EMBD_TRY(visit_place(spec, Place::layer, layer, visit));
  if (spec.head == HeadKind::classifier) EMBD_TRY(visit_place(spec, Place::classifier, 0, visit));
  return {};
}

std::string weight_name(Module module, std::uint32_t layer) {
  return name_of(row_of(module), layer) + std::string(weight_suffix);
}

std::string bias_name(Module module, std::uint32_t layer) {
  return name_of(row_of(module), layer) + std::string(bias_suffix);
}

TensorShape weight_shape(Module module, const ModelSpec& spec) {
  return shape_of(row_of(module), spec);
}

std::vector<std::string> checkpoint_names(const ModelTensor& tensor) {
  const ModuleRow& row = row_of(tensor.module);
  std::vector<std::string> variants;
  // Tried before the names of BERT: a classifier of RoBERTa may have an unused pooler of the
  // encoder beside it.
  if (!row.roberta_name.empty()) {
    const bool is_bias = tensor.name.ends_with(bias_suffix);
    variants.push_back(std::string(row.roberta_name) +
                       std::string(is_bias ? bias_suffix : weight_suffix));
  }
  variants.push_back(tensor.name);
  if (row.kind == Kind::norm) {
    const bool is_bias = tensor.name.ends_with(bias_suffix);
    const std::string_view suffix = is_bias ? bias_suffix : weight_suffix;
    variants.push_back(tensor.name.substr(0, tensor.name.size() - suffix.size()) +
                       std::string(is_bias ? older_bias_suffix : older_weight_suffix));
  }
  std::vector<std::string> names;
  for (const std::string& variant : variants) {
    for (const std::string_view prefix : checkpoint_prefixes)
      names.push_back(std::string(prefix) + variant);
  }
  return names;
}

std::string scale_name(std::string_view matrix) {
  return fmt::format("{}_scale", matrix);
}

std::string smooth_name(std::string_view matrix) {
  return fmt::format("{}_smooth", matrix);
}

std::string packed_prefix(std::string_view matrix) {
  return fmt::format("{}.packed", matrix);
}

std::string_view table_name(UnigramTable table) noexcept {
  switch (table) {
    case UnigramTable::scores:
      return "tokenizer.scores";
    case UnigramTable::trie:
      return "tokenizer.trie";
    case UnigramTable::character_map:
      break;
  }
  return "tokenizer.character_map";
}

std::optional<std::uint32_t> layer_of(std::string_view name) {
  if (!name.starts_with(layer_prefix)) return std::nullopt;
  name.remove_prefix(layer_prefix.size());
  std::uint32_t layer = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
  if (end == name.data() || end == name.data() + name.size() || *end != '.') return std::nullopt;
  return error == std::errc() ? layer : ~std::uint32_t{0};
}

std::vector<Witness> witnesses() {
  return {{&ModelSpec::vocab_size, weight_name(Module::word_embeddings), 0, RowRule::at_least},
          {&ModelSpec::hidden, weight_name(Module::word_embeddings), 1},
          {&ModelSpec::max_positions, weight_name(Module::position_embeddings), 0},
          {&ModelSpec::token_types, weight_name(Module::token_type_embeddings), 0},
          {&ModelSpec::intermediate, bias_name(Module::up), 0},
          {&ModelSpec::num_labels, bias_name(Module::classifier), 0}};
}

}  // namespace embd
