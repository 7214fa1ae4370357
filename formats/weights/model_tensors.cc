#include "formats/weights/model_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/try.h"

namespace embd {
namespace {

/// The kinds of modules. A table has only a weight; the others have a weight and a bias.
enum class Kind : std::uint8_t { word_table, table, linear, head_linear, norm };
/// The part of a model that a module belongs to.
enum class Place : std::uint8_t { embeddings, layer, classifier };

/// The place of a module in the checkpoints of one family. Within a layer, the name follows the
/// prefix of the layer.
struct Source {
  std::string_view name = {};  ///< Empty if the family has the name of BERT.
  std::uint32_t part = 0;
  std::uint32_t parts = 1;  ///< More than 1 if the module is a part of the named one.
};

/// A dimension of a module's tensors.
using Size = std::uint32_t (*)(const ModelSpec& spec);

struct ModuleRow {
  Module module;
  Place place;
  std::string_view
      name;  ///< Its name in BERT and in an EMBD file, within its layer if it is in one.
  Kind kind;
  Size rows;               ///< The outputs of a linear step, the values of a LayerNorm.
  Size columns = nullptr;  ///< The inputs of a linear step; none for a LayerNorm.
  Source roberta = {};
  Source mpnet = {};
  Source distilbert = {};
  Source nomic = {};
  Source gte = {};
  Source modernbert = {};
  Source qwen3 = {};  ///< Also of Gemma 3, which has two more norms in a layer.
  RowRule row_rule = RowRule::exact;
  RowRule checkpoint_rows = RowRule::exact;

  const Source& source(Family family) const noexcept {
    static constexpr Source same;
    // Gemma 3 has the name of Qwen3 for the norm behind attention.
    static constexpr Source before_feed_forward = {"pre_feedforward_layernorm"};
    switch (family) {
      case Family::roberta:
        return roberta;
      case Family::mpnet:
        return mpnet;
      case Family::distilbert:
        return distilbert;
      case Family::nomic:
        return nomic;
      case Family::gte:
        return gte;
      case Family::modernbert:
        return modernbert;
      case Family::qwen3:
        return qwen3;
      case Family::gemma3:
        return module == Module::output_norm ? before_feed_forward : qwen3;
      case Family::bert:
        break;
    }
    return same;
  }
};

/// Returns a number of the spec, or what a function of it returns.
template <auto member>
std::uint32_t size(const ModelSpec& spec) {
  return std::invoke(member, spec);
}
constexpr Size hidden = size<&ModelSpec::hidden>;
constexpr Size heads = size<&ModelSpec::num_heads>;
constexpr Size head = size<&ModelSpec::head_dim>;
constexpr Size queries = size<&ModelSpec::query_width>;
constexpr Size keys = size<&ModelSpec::key_width>;
constexpr Size intermediate = size<&ModelSpec::intermediate>;
constexpr Size buckets = size<&ModelSpec::bias_buckets>;
constexpr Size words = size<&ModelSpec::vocab_size>;
constexpr Size places = size<&ModelSpec::max_positions>;
constexpr Size types = size<&ModelSpec::token_types>;
constexpr Size labels = size<&ModelSpec::num_labels>;

using enum RowRule;
constexpr Place in_embeddings = Place::embeddings;
constexpr Place in_layer = Place::layer;
constexpr Place in_classifier = Place::classifier;
constexpr Kind linear = Kind::linear;
constexpr Kind head_linear = Kind::head_linear;
constexpr Kind norm = Kind::norm;
constexpr Source same = {};

/// All modules, a row each. The columns at the end have the names in other families than BERT.
///
/// Sentence embedding models use only the first row of the token types, and some were saved with
/// one row. A cross-encoder must have all rows.
// clang-format off
constexpr auto modules = std::to_array<ModuleRow>({
    {Module::word_embeddings, in_embeddings, "embeddings.word_embeddings", Kind::word_table, words, hidden,
     same, same, same, same, same, {"embeddings.tok_embeddings"}, {"embed_tokens"}, at_least, at_least},
    {Module::position_embeddings, in_embeddings, "embeddings.position_embeddings", Kind::table, places, hidden},
    {Module::token_type_embeddings, in_embeddings, "embeddings.token_type_embeddings", Kind::table, types, hidden,
     same, same, same, same, same, same, same, exact, one_missing},
    {Module::embeddings_norm, in_embeddings, "embeddings.LayerNorm", norm, hidden, nullptr,
     same, same, same, {"emb_ln"}, same, {"embeddings.norm"}},
    {Module::relative_bias, in_embeddings, "encoder.relative_attention_bias", Kind::table, buckets, heads},
    {Module::final_norm, in_embeddings, "encoder.final_norm", norm, hidden, nullptr,
     same, same, same, same, same, {"final_norm"}, {"norm"}},

    {Module::query, in_layer, "attention.self.query", linear, queries, hidden, same, {"attention.attn.q"}, {"attention.q_lin"},
     {"attn.Wqkv", 0, 3}, {"attention.qkv_proj", 0, 3}, {"attn.Wqkv", 0, 3}, {"self_attn.q_proj"}},
    {Module::key, in_layer, "attention.self.key", linear, keys, hidden, same, {"attention.attn.k"}, {"attention.k_lin"},
     {"attn.Wqkv", 1, 3}, {"attention.qkv_proj", 1, 3}, {"attn.Wqkv", 1, 3}, {"self_attn.k_proj"}},
    {Module::value, in_layer, "attention.self.value", linear, keys, hidden, same, {"attention.attn.v"}, {"attention.v_lin"},
     {"attn.Wqkv", 2, 3}, {"attention.qkv_proj", 2, 3}, {"attn.Wqkv", 2, 3}, {"self_attn.v_proj"}},
    {Module::query_norm, in_layer, "attention.self.query_norm", norm, head, nullptr,
     same, same, same, same, same, same, {"self_attn.q_norm"}},
    {Module::key_norm, in_layer, "attention.self.key_norm", norm, head, nullptr,
     same, same, same, same, same, same, {"self_attn.k_norm"}},
    {Module::attention_output, in_layer, "attention.output.dense", linear, hidden, queries, same, {"attention.attn.o"}, {"attention.out_lin"},
     {"attn.out_proj"}, {"attention.o_proj"}, {"attn.Wo"}, {"self_attn.o_proj"}},
    {Module::attention_norm, in_layer, "attention.output.LayerNorm", norm, hidden, nullptr, same, {"attention.LayerNorm"}, {"sa_layer_norm"},
     {"norm1"}, {"attn_ln"}, {"attn_norm"}, {"input_layernorm"}},
    {Module::attention_result_norm, in_layer, "attention.result.LayerNorm", norm, hidden, nullptr,
     same, same, same, same, same, same, {"post_attention_layernorm"}},
    {Module::gate, in_layer, "intermediate.gate", linear, intermediate, hidden, same, same, same,
     {"mlp.fc12"}, {"mlp.up_gate_proj", 1, 2}, {"mlp.Wi", 0, 2}, {"mlp.gate_proj"}},
    {Module::up, in_layer, "intermediate.dense", linear, intermediate, hidden, same, same, {"ffn.lin1"},
     {"mlp.fc11"}, {"mlp.up_gate_proj", 0, 2}, {"mlp.Wi", 1, 2}, {"mlp.up_proj"}},
    {Module::down, in_layer, "output.dense", linear, hidden, intermediate, same, same, {"ffn.lin2"},
     {"mlp.fc2"}, {"mlp.down_proj"}, {"mlp.Wo"}, {"mlp.down_proj"}},
    {Module::output_norm, in_layer, "output.LayerNorm", norm, hidden, nullptr, same, same, {"output_layer_norm"},
     {"norm2"}, {"mlp_ln"}, {"mlp_norm"}, {"post_attention_layernorm"}},
    {Module::output_result_norm, in_layer, "result.LayerNorm", norm, hidden, nullptr,
     same, same, same, same, same, same, {"post_feedforward_layernorm"}},

    {Module::pooler, in_classifier, "pooler.dense", head_linear, hidden, hidden, {"classifier.dense"}, {"classifier.dense"}, {"pre_classifier"},
     same, same, {"head.dense"}},
    {Module::head_norm, in_classifier, "pooler.LayerNorm", norm, hidden, nullptr,
     same, same, same, same, same, {"head.norm"}},
    {Module::classifier, in_classifier, "classifier", head_linear, labels, hidden, {"classifier.out_proj"}, {"classifier.out_proj"}},
});
// clang-format on

constexpr std::string_view layer_prefix = "encoder.layer.";
constexpr std::string_view vector_module_prefix = "modules.";
constexpr std::string_view weight_suffix = ".weight";
constexpr std::string_view bias_suffix = ".bias";
/// The suffixes of a LayerNorm's tensors before transformers 1.0.
constexpr std::string_view older_weight_suffix = ".gamma";
constexpr std::string_view older_bias_suffix = ".beta";

/// Returns the beginning of the names of layers in a checkpoint.
constexpr std::string_view layer_prefix_of(Family family) {
  switch (family) {
    case Family::distilbert:
      return "transformer.layer.";
    case Family::nomic:
      return "encoder.layers.";
    case Family::modernbert:
    case Family::qwen3:
    case Family::gemma3:
      return "layers.";
    default:
      return layer_prefix;
  }
}

/// Returns the prefix of the encoder's names in a checkpoint of a task model.
constexpr std::string_view task_prefix_of(Family family) {
  switch (family) {
    case Family::roberta:
      return "roberta.";
    case Family::mpnet:
      return "mpnet.";
    case Family::distilbert:
      return "distilbert.";
    case Family::nomic:
      return "nomic_bert.";
    case Family::gte:
      return "gte.";
    case Family::modernbert:
    case Family::qwen3:
    case Family::gemma3:
      return "model.";
    case Family::bert:
      break;
  }
  return "bert.";
}

/// The prefix in task models of the code that the first GTE models came with.
constexpr std::string_view first_gte_prefix = "new.";

constexpr const ModuleRow& row_of(Module module) {
  return *std::ranges::find(modules, module, &ModuleRow::module);
}

std::string name_of(const ModuleRow& row, std::uint32_t layer) {
  if (row.place == Place::layer) return fmt::format("{}{}.{}", layer_prefix, layer, row.name);
  return std::string(row.name);
}

TensorShape shape_of(const ModuleRow& row, const ModelSpec& spec) {
  if (row.columns == nullptr) return {row.rows(spec)};
  return {row.rows(spec), row.columns(spec)};
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

RowRule checkpoint_rows_of(const ModuleRow& row, const ModelSpec& spec) {
  const bool may_differ =
      row.checkpoint_rows != RowRule::one_missing || spec.head == HeadKind::pooling;
  return may_differ ? row.checkpoint_rows : RowRule::exact;
}

Result<void> visit_place(const ModelSpec& spec, Place place, std::uint32_t layer,
                         const std::function<Result<void>(const ModelTensor&)>& visit) {
  for (const ModuleRow& row : modules) {
    if (row.place != place || !has_module(row.module, spec, layer)) continue;
    const std::string name = name_of(row, layer);
    EMBD_TRY(visit({.module = row.module,
                    .name = name + std::string(weight_suffix),
                    .shape = shape_of(row, spec),
                    .role = role_of_weight(row.kind),
                    .rows = row.row_rule,
                    .checkpoint_rows = checkpoint_rows_of(row, spec)}));
    if (!has_bias(row.module, spec)) continue;
    EMBD_TRY(visit({.module = row.module,
                    .name = name + std::string(bias_suffix),
                    .shape = {row.rows(spec)},
                    .role = TensorRole::vector}));
  }
  return {};
}

Result<void> visit_vector_modules(const ModelSpec& spec,
                                  const std::function<Result<void>(const ModelTensor&)>& visit) {
  for (std::uint32_t i = 0; i < spec.modules.size(); ++i) {
    const VectorModule& module = spec.modules[i];
    const bool is_dense = module.kind == VectorModuleKind::dense;
    if (module.kind == VectorModuleKind::normalize) continue;
    EMBD_TRY(visit({.module = Module::vector_module,
                    .name = vector_module_weight(i),
                    .shape = is_dense ? TensorShape{module.out, module.in} : TensorShape{module.in},
                    .role = is_dense ? TensorRole::head_matrix : TensorRole::vector}));
    if (is_dense && !module.bias) continue;
    EMBD_TRY(visit({.module = Module::vector_module,
                    .name = vector_module_bias(i),
                    .shape = {module.out},
                    .role = TensorRole::vector}));
  }
  return {};
}

}  // namespace

TensorShape::TensorShape(std::initializer_list<std::uint32_t> list)
    : rank(static_cast<unsigned>(std::min(list.size(), dims.size()))) {
  std::copy_n(list.begin(), rank, dims.begin());
}

std::string TensorShape::text() const {
  return fmt::format("[{}]", fmt::join(view(), ", "));
}

bool has_module(Module module, const ModelSpec& spec, std::uint32_t layer) {
  const Architecture& architecture = spec.architecture;
  switch (module) {
    case Module::position_embeddings:
      return architecture.positions == Positions::table;
    case Module::token_type_embeddings:
      return spec.token_types > 0;
    case Module::embeddings_norm:
      return !spec.is_table() && !architecture.norms_before_all();
    case Module::relative_bias:
      return architecture.relative_bias == RelativeBias::buckets;
    case Module::attention_norm:
      return architecture.norm_place != NormPlace::before || layer > 0;
    case Module::attention_result_norm:
    case Module::output_result_norm:
      return architecture.norm_place == NormPlace::around;
    case Module::query_norm:
    case Module::key_norm:
      return architecture.query_key_norms;
    case Module::final_norm:
      return architecture.norms_before();
    case Module::gate:
      return architecture.feed_forward == FeedForward::gated;
    case Module::head_norm:
      return spec.head_norm;
    default:
      return true;
  }
}

bool has_bias(Module module, const ModelSpec& spec) {
  const Kind kind = row_of(module).kind;
  if (kind == Kind::word_table || kind == Kind::table) return false;
  switch (spec.architecture.biases) {
    case Biases::all:
      return true;
    case Biases::outside_gates:
      return module != Module::gate && module != Module::up;
    case Biases::norms:
      return kind != linear;
    case Biases::none:
      break;
  }
  return module == Module::classifier;
}

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
  for (std::uint32_t i = 0; i < spec.num_layers; ++i)
    EMBD_TRY(visit_place(spec, Place::layer, i, visit));
  if (spec.head == HeadKind::classifier) return visit_place(spec, Place::classifier, 0, visit);
  return visit_vector_modules(spec, visit);
}

std::string weight_name(Module module, std::uint32_t layer) {
  return name_of(row_of(module), layer) + std::string(weight_suffix);
}

std::string bias_name(Module module, std::uint32_t layer) {
  return name_of(row_of(module), layer) + std::string(bias_suffix);
}

std::string vector_module_weight(std::uint32_t number) {
  return fmt::format("{}{}{}", vector_module_prefix, number, weight_suffix);
}

std::string vector_module_bias(std::uint32_t number) {
  return fmt::format("{}{}{}", vector_module_prefix, number, bias_suffix);
}

std::string vector_module_tensor(VectorModuleKind kind, std::uint32_t number,
                                 std::string_view tensor) {
  const std::string_view prefix = kind == VectorModuleKind::dense ? "linear" : "norm";
  if (!tensor.starts_with(prefix)) return {};
  tensor.remove_prefix(prefix.size());
  if (tensor == weight_suffix) return vector_module_weight(number);
  return tensor == bias_suffix ? vector_module_bias(number) : std::string();
}

TensorShape weight_shape(Module module, const ModelSpec& spec) {
  return shape_of(row_of(module), spec);
}

std::vector<CheckpointTensor> checkpoint_places(const ModelTensor& tensor, Family family) {
  if (tensor.module == Module::vector_module) return {{.name = tensor.name}};
  const ModuleRow& row = row_of(tensor.module);
  const Source& source = row.source(family);
  const bool is_bias = tensor.name.ends_with(bias_suffix);
  std::string name(source.name.empty() ? row.name : source.name);
  if (row.place == Place::layer) {
    name = fmt::format("{}{}.{}", layer_prefix_of(family), layer_of(tensor.name).value_or(0), name);
  }
  std::vector<CheckpointTensor> found;
  std::vector<std::string_view> prefixes = {"", task_prefix_of(family)};
  if (family == Family::gte) prefixes.push_back(first_gte_prefix);
  const auto add = [&](std::string_view suffix) {
    for (const std::string_view prefix : prefixes)
      found.push_back({fmt::format("{}{}{}", prefix, name, suffix), source.part, source.parts});
  };
  add(is_bias ? bias_suffix : weight_suffix);
  if (row.kind == norm) add(is_bias ? older_bias_suffix : older_weight_suffix);
  return found;
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

std::string_view merges_name() noexcept {
  return "tokenizer.merges";
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
