#include "formats/weights/embd/embd_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <initializer_list>

#include "base/json.h"
#include "base/try.h"
#include "embd/enum_names.h"

namespace embd {
namespace {

using namespace spec_values;
using Metadata = std::vector<std::pair<std::string, std::string>>;

constexpr std::uint32_t default_max_seq_length = 256;
/// The most poolings that can be joined: each of them once.
constexpr std::size_t most_poolings = pooling_names.size() - 1;

// ---- the table

/// Which files have a key.
enum class Presence : std::uint8_t {
  required,  ///< The key is in every file.
  written,   ///< The key is in every file that embd writes; files of other programs may lack it.
  rare,      ///< The key is only in files of models that do not have the usual value.
};

/// The models whose files have a key, by their head. In files of other models the key has no
/// meaning.
enum class Scope : std::uint8_t { all, pooling, classifier };

struct SpecField {
  std::string_view key;
  Presence presence;
  Result<void> (*read)(const MetadataEntry& entry, ModelSpec& spec);
  void (*write)(const SpecField& field, const ModelSpec& spec, Metadata& metadata);
  SpecNumber number = nullptr;  ///< The number of the spec, if the member is a number.
  bool is_prefix = false;       ///< True if the key is a prefix of several keys.
  Scope scope = Scope::all;
  /// The minor version of the format since which files may have the key. A reader of an earlier
  /// version would compute something else, so it refuses a file of this version with such a key.
  std::uint16_t since = 0;

  bool is_of(const ModelSpec& spec) const noexcept {
    return scope == Scope::all ||
           (scope == Scope::classifier) == (spec.head == HeadKind::classifier);
  }
};

template <auto member>
Result<void> read_member(const MetadataEntry& entry, ModelSpec& spec) {
  return read_value(entry, spec.*member);
}

template <auto member>
void write_member(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (field.presence == Presence::rare && spec.*member == ModelSpec().*member) return;
  metadata.emplace_back(field.key, text_of(spec.*member));
}

template <auto member>
constexpr SpecField field(std::string_view key, Presence presence, Scope scope = Scope::all) {
  SpecField made = {key, presence, read_member<member>, write_member<member>};
  made.scope = scope;
  if constexpr (std::same_as<decltype(member), SpecNumber>) made.number = member;
  return made;
}

/// Reads the length of a vector, which is checked later.
Result<void> read_embedding_dim(const MetadataEntry& entry, ModelSpec& /*spec*/) {
  std::uint32_t dim = 0;
  return read_value(entry, dim);
}

void write_embedding_dim(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  metadata.emplace_back(field.key, text_of(spec.full_dim()));
}

void write_truncate_dim(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (spec.dim != spec.full_dim()) metadata.emplace_back(field.key, text_of(spec.dim));
}

/// The value for a tokenizer that is not WordPiece. Versions of embd that know only WordPiece
/// refuse it, so they do not read the model's texts with a WordPiece tokenizer.
constexpr std::string_view no_lower_case = "none";

Result<void> read_lower_case(const MetadataEntry& entry, ModelSpec& spec) {
  const bool is_wordpiece = spec.tokenizer == TokenizerKind::wordpiece;
  if (is_wordpiece && entry.value != no_lower_case) return read_value(entry, spec.do_lower_case);
  if (!is_wordpiece && entry.value == no_lower_case) return {};
  return fail_at(ErrorCode::metadata_contradiction, entry, "'{}', but the tokenizer is '{}'",
                 entry.value, name_of(spec.tokenizer, tokenizer_names));
}

void write_lower_case(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  const bool is_wordpiece = spec.tokenizer == TokenizerKind::wordpiece;
  metadata.emplace_back(field.key,
                        is_wordpiece ? text_of(spec.do_lower_case) : std::string(no_lower_case));
}

/// A member of a member of the spec.
template <auto... path>
Result<void> read_path(const MetadataEntry& entry, ModelSpec& spec) {
  return read_value(entry, (spec.*....*path));
}

template <auto... path>
void write_path(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (field.presence == Presence::rare && (spec.*....*path) == (ModelSpec().*....*path)) return;
  metadata.emplace_back(field.key, text_of((spec.*....*path)));
}

/// A key of the architecture.
template <auto member>
constexpr SpecField layer_field(std::string_view key, Presence presence = Presence::rare) {
  return {key, presence, read_path<&ModelSpec::architecture, member>,
          write_path<&ModelSpec::architecture, member>};
}

/// A key of the architecture that version 1.2 introduced.
template <auto member>
constexpr SpecField newer_layer_field(std::string_view key) {
  SpecField made = layer_field<member>(key);
  made.since = 2;
  return made;
}

template <TokenizerKind kind, auto... path>
void write_of_kind(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (spec.tokenizer == kind) write_path<path...>(field, spec, metadata);
}

/// A key that only the files of Unigram models have.
template <auto... path>
constexpr SpecField unigram_field(std::string_view key, Presence presence) {
  return {key, presence, read_path<path...>, write_of_kind<TokenizerKind::unigram, path...>};
}

/// A key that only the files of BPE models have.
template <auto member>
constexpr SpecField bpe_field(std::string_view key, Presence presence) {
  SpecField made = {key, presence, read_path<&ModelSpec::bpe, member>,
                    write_of_kind<TokenizerKind::bpe, &ModelSpec::bpe, member>};
  made.since = 2;
  return made;
}

/// Reads and writes the window of each layer, such as "0,128,128".
Result<void> read_windows(const MetadataEntry& entry, ModelSpec& spec) {
  for (std::string_view rest = entry.value; !rest.empty();) {
    const std::string_view number = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(number.size() + 1, rest.size()));
    MetadataEntry one = entry;
    one.value = number;
    EMBD_TRY(read_value(one, spec.architecture.windows.emplace_back()));
  }
  return {};
}

void write_windows(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  const auto& windows = spec.architecture.windows;
  if (!windows.empty())
    metadata.emplace_back(field.key, fmt::format("{}", fmt::join(windows, ",")));
}

void write_pair_template(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (spec.pair_template != usual_pair_template(spec.tokenizer))
    metadata.emplace_back(field.key, text_of(spec.pair_template));
}

void write_added_tokens(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (!spec.added_tokens.empty()) metadata.emplace_back(field.key, text_of(spec.added_tokens));
}

Result<void> read_strip_accents(const MetadataEntry& entry, ModelSpec& spec) {
  return read_value(entry, spec.strip_accents.emplace());
}

void write_strip_accents(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (spec.strip_accents && *spec.strip_accents != spec.do_lower_case)
    metadata.emplace_back(field.key, text_of(*spec.strip_accents));
}

/// The value for a model without pooling. Versions of embd that know no other head refuse it as an
/// unknown word, so they do not embed with a cross-encoder.
constexpr std::string_view no_pooling = "none";

Result<void> read_pooling(const MetadataEntry& entry, ModelSpec& spec) {
  const bool has_none = spec.head != HeadKind::pooling;
  if (!has_none && entry.value != no_pooling) return read_value(entry, spec.pooling);
  if (has_none && entry.value == no_pooling) return {};
  return fail_at(ErrorCode::metadata_contradiction, entry, "'{}', but the model's head is '{}'",
                 entry.value, name_of(spec.head, head_names));
}

void write_pooling(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  metadata.emplace_back(
      field.key, spec.head == HeadKind::pooling ? text_of(spec.pooling) : std::string(no_pooling));
}

/// Reads the poolings that are joined, such as "cls,mean".
Result<void> read_joined_poolings(const MetadataEntry& entry, ModelSpec& spec) {
  MetadataEntry one = entry;
  for (std::string_view rest = entry.value; !rest.empty();) {
    one.value = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.value.size() + 1, rest.size()));
    EMBD_TRY(read_value(one, spec.joined_poolings.emplace_back()));
  }
  return {};
}

void write_joined_poolings(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (spec.pooling != Pooling::joined) return;
  std::vector<std::string> names;
  for (const Pooling pooling : spec.joined_poolings) names.push_back(text_of(pooling));
  metadata.emplace_back(field.key, fmt::format("{}", fmt::join(names, ",")));
}

void write_modules(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (!spec.modules.empty()) metadata.emplace_back(field.key, text_of(spec.modules));
}

/// Reads the names of the labels, a JSON array. Its length is the number of labels.
Result<void> read_labels(const MetadataEntry& entry, ModelSpec& spec) {
  const auto wrong = [&] {
    return fail_at(ErrorCode::metadata_value, entry, "'{}' is not a JSON array of names",
                   entry.value);
  };
  const auto list = parse_json(entry.value, entry.value_at);
  if (!list || !list->is_array() || list->empty()) return wrong();
  for (const nlohmann::json& label : *list) {
    if (!label.is_string()) return wrong();
    spec.labels.push_back(label.get<std::string>());
  }
  spec.num_labels = static_cast<std::uint32_t>(spec.labels.size());
  return {};
}

void write_labels(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  metadata.emplace_back(field.key, nlohmann::json(spec.labels).dump());
}

constexpr std::string_view prompt_prefix = "prompt.";
/// The prompts that every model has, with an empty text if its file does not name them.
constexpr auto usual_prompts = std::to_array<std::string_view>({"query", "document"});

/// Reads a prompt. The key "prompt.query" has the prompt "query". No key occurs twice, so only the
/// usual prompts may be there already.
Result<void> read_prompt(const MetadataEntry& entry, ModelSpec& spec) {
  const std::string_view name = entry.key.substr(prompt_prefix.size());
  const auto usual = std::span(spec.prompts).first(usual_prompts.size());
  const auto known = std::ranges::find(usual, name, &Prompt::name);
  Prompt& prompt = known == usual.end() ? spec.prompts.emplace_back(std::string(name)) : *known;
  prompt.text = entry.value;
  return {};
}

void write_prompts(const SpecField& /*field*/, const ModelSpec& spec, Metadata& metadata) {
  for (const Prompt& prompt : spec.prompts) {
    const bool is_usual = std::ranges::find(usual_prompts, prompt.name) != usual_prompts.end();
    if (!prompt.text.empty() || !is_usual)
      metadata.emplace_back(std::string(prompt_prefix) + prompt.name, prompt.text);
  }
}

constexpr SpecField embedding_dim = {"embedding_dim", Presence::required, read_embedding_dim,
                                     write_embedding_dim};
constexpr SpecField max_seq_length =
    field<&ModelSpec::max_seq_length>("max_seq_length", Presence::written);
constexpr SpecField truncate_dim = {
    "truncate_dim", Presence::rare, read_member<&ModelSpec::dim>, write_truncate_dim, nullptr,
    false,          Scope::pooling};
constexpr SpecField default_prompt_name =
    field<&ModelSpec::default_prompt_name>("default_prompt_name", Presence::rare);

constexpr SpecField pair_template = {"pair_template", Presence::rare,
                                     read_member<&ModelSpec::pair_template>, write_pair_template};
constexpr SpecField tokenizer_kind = field<&ModelSpec::tokenizer>("tokenizer", Presence::rare);
constexpr SpecField do_lower_case = {"do_lower_case", Presence::written, read_lower_case,
                                     write_lower_case};
using unigram::WordOptions;
constexpr SpecField normalizer_rule =
    unigram_field<&ModelSpec::normalizer_rule>("normalizer_rule", Presence::written);
constexpr SpecField pre_tokenizer =
    unigram_field<&ModelSpec::words, &WordOptions::layout>("pre_tokenizer", Presence::written);

Result<void> read_unknown_piece(const MetadataEntry& entry, ModelSpec& spec) {
  std::uint32_t id = 0;
  EMBD_TRY(read_value(entry, id));
  spec.unknown_piece = static_cast<std::int32_t>(id);
  if (id < spec.vocab_size && *spec.unknown_piece >= 0) return {};
  return fail_at(ErrorCode::metadata_value, entry, "'{}', but there are {} tokens", entry.value,
                 spec.vocab_size);
}

void write_unknown_piece(const SpecField& field, const ModelSpec& spec, Metadata& metadata) {
  if (spec.unknown_piece) metadata.emplace_back(field.key, text_of(*spec.unknown_piece));
}

constexpr SpecField unknown_piece = {
    "unknown_piece", Presence::rare, read_unknown_piece, write_unknown_piece,
    nullptr,         false,          Scope::all,         2};

constexpr SpecField joined_poolings = {
    "joined_poolings", Presence::rare, read_joined_poolings, write_joined_poolings,
    nullptr,           false,          Scope::pooling,       2};

constexpr SpecField modules = {"modules", Presence::rare, read_modules,   write_modules,
                               nullptr,   false,          Scope::pooling, 2};
constexpr SpecField head_size = field<&ModelSpec::head_size>("head_size", Presence::rare);
constexpr SpecField num_key_heads =
    field<&ModelSpec::num_key_heads>("num_key_value_heads", Presence::rare);
constexpr SpecField word_pattern =
    bpe_field<&bpe::Rules::pattern>("word_pattern", Presence::written);

Result<void> read_classifier_pooling(const MetadataEntry& entry, ModelSpec& spec) {
  EMBD_TRY(read_value(entry, spec.classifier_pooling));
  if (spec.classifier_pooling == Pooling::cls || spec.classifier_pooling == Pooling::mean)
    return {};
  return fail_at(ErrorCode::metadata_value, entry, "'{}', expected cls or mean", entry.value);
}

constexpr SpecField classifier_pooling = {"classifier_pooling",
                                          Presence::rare,
                                          read_classifier_pooling,
                                          write_member<&ModelSpec::classifier_pooling>,
                                          nullptr,
                                          false,
                                          Scope::classifier,
                                          2};

constexpr SpecField since_1_2(SpecField field) {
  field.since = 2;
  return field;
}

constexpr SpecField since_1_1(SpecField field) {
  field.since = 1;
  return field;
}

/// All keys, in the order in which embd writes them.
constexpr auto fields = std::to_array<SpecField>({
    field<&ModelSpec::name>("model_name", Presence::required),
    field<&ModelSpec::version>("model_version", Presence::required),
    embedding_dim,
    field<&ModelSpec::vocab_size>("vocab_size", Presence::required),
    field<&ModelSpec::num_layers>("num_layers", Presence::required),
    field<&ModelSpec::num_heads>("num_attention_heads", Presence::required),
    field<&ModelSpec::hidden>("hidden_size", Presence::required),
    field<&ModelSpec::intermediate>("intermediate_size", Presence::required),
    field<&ModelSpec::max_positions>("max_position_emb", Presence::required),
    field<&ModelSpec::created_at>("created_at", Presence::required),
    max_seq_length,
    field<&ModelSpec::head>("head", Presence::rare),
    {"pooling", Presence::written, read_pooling, write_pooling},
    field<&ModelSpec::normalize>("normalize", Presence::written, Scope::pooling),
    tokenizer_kind,
    do_lower_case,
    field<&ModelSpec::layer_norm_eps>("layer_norm_eps", Presence::written),
    layer_field<&Architecture::activation>("hidden_act", Presence::written),
    field<&ModelSpec::source_sha256>("source_sha256", Presence::rare),
    field<&ModelSpec::truncation_side>("truncation_side", Presence::rare),
    truncate_dim,
    {prompt_prefix, Presence::rare, read_prompt, write_prompts, nullptr, true},
    default_prompt_name,
    field<&ModelSpec::similarity>("similarity_fn_name", Presence::rare, Scope::pooling),
    field<&ModelSpec::license>("license", Presence::rare),
    field<&ModelSpec::token_types>("type_vocab_size", Presence::rare),
    field<&ModelSpec::position_offset>("position_offset", Presence::rare),
    normalizer_rule,
    pre_tokenizer,
    unigram_field<&ModelSpec::words, &WordOptions::prepend_scheme>("prepend_scheme",
                                                                   Presence::rare),
    unigram_field<&ModelSpec::words, &WordOptions::split>("split_words", Presence::rare),
    unigram_field<&ModelSpec::words, &WordOptions::strip_right>("strip_right", Presence::rare),
    unigram_field<&ModelSpec::words, &WordOptions::merge_spaces>("merge_spaces", Presence::rare),
    unigram_field<&ModelSpec::byte_fallback>("byte_fallback", Presence::rare),
    unigram_field<&ModelSpec::mask_lstrip>("mask_lstrip", Presence::rare),
    word_pattern,
    bpe_field<&bpe::Rules::composes>("composes", Presence::rare),
    bpe_field<&bpe::Rules::add_prefix_space>("add_prefix_space", Presence::rare),
    bpe_field<&bpe::Rules::ignore_merges>("ignore_merges", Presence::rare),
    bpe_field<&bpe::Rules::keeps_unknown>("unknown_bytes", Presence::rare),
    {"labels", Presence::required, read_labels, write_labels, &ModelSpec::num_labels, false,
     Scope::classifier},
    field<&ModelSpec::score_activation>("score_activation", Presence::required, Scope::classifier),
    since_1_1(
        field<&ModelSpec::head_activation>("head_activation", Presence::rare, Scope::classifier)),
    since_1_1(pair_template),
    since_1_1({"added_tokens", Presence::rare, read_added_tokens, write_added_tokens}),
    since_1_1({"strip_accents", Presence::rare, read_strip_accents, write_strip_accents}),
    since_1_1(layer_field<&Architecture::positions>("positions")),
    since_1_1(layer_field<&Architecture::relative_bias>("relative_bias")),
    since_1_1(layer_field<&Architecture::norm_place>("norm_place")),
    since_1_1(layer_field<&Architecture::norm_kind>("norm_kind")),
    since_1_1(layer_field<&Architecture::feed_forward>("feed_forward")),
    since_1_1(layer_field<&Architecture::biases>("biases")),
    since_1_1({"windows", Presence::rare, read_windows, write_windows}),
    newer_layer_field<&Architecture::theta>("rotation_theta"),
    newer_layer_field<&Architecture::local_theta>("rotation_local_theta"),
    newer_layer_field<&Architecture::ntk_factor>("rotation_ntk_factor"),
    newer_layer_field<&Architecture::causal>("causal"),
    newer_layer_field<&Architecture::query_key_norms>("query_key_norms"),
    newer_layer_field<&Architecture::scaled_embeddings>("scaled_embeddings"),
    since_1_2(head_size),
    since_1_2(num_key_heads),
    unknown_piece,
    joined_poolings,
    modules,
    since_1_2(field<&ModelSpec::head_norm>("head_norm", Presence::rare, Scope::classifier)),
    classifier_pooling,
});

// ---- a file's entries

/// Reads the entries of a file into a spec.
class SpecReader {
 public:
  SpecReader(std::span<const MetadataEntry> entries, std::uint64_t section_at)
      : entries_(entries), section_at_(section_at) {}

  Result<ModelSpec> read() {
    for (const std::string_view name : usual_prompts)
      spec_.prompts.push_back({.name = std::string(name), .text = {}});
    for (const SpecField& field : fields) EMBD_TRY(read_field(field));
    if (find(pair_template.key) == nullptr)
      spec_.pair_template = usual_pair_template(spec_.tokenizer);
    EMBD_TRY(check_tokenizer());
    EMBD_TRY(check_sizes());
    EMBD_TRY(check_poolings());
    EMBD_TRY(check_length());
    EMBD_TRY(check_default_prompt());
    EMBD_TRY(check_dim());
    return std::move(spec_);
  }

 private:
  Result<void> read_field(const SpecField& field);
  Result<void> check_tokenizer() const;
  Result<void> check_sizes() const;
  Result<void> check_poolings() const;
  Result<void> check_length();
  Result<void> check_default_prompt() const;
  Result<void> check_dim();

  const MetadataEntry* find(std::string_view key) const {
    const auto it = std::ranges::find(entries_, key, &MetadataEntry::key);
    return it == entries_.end() ? nullptr : &*it;
  }
  std::unexpected<Error> missing(const SpecField& field) const {
    return fail_at(section_at_, ErrorCode::metadata_key_missing, std::string(field.key));
  }
  std::unexpected<Error> contradiction(std::string_view key, std::string_view found) const {
    return fail_at(ErrorCode::metadata_contradiction, *find(key), "{}", found);
  }

  std::span<const MetadataEntry> entries_;
  std::uint64_t section_at_;
  ModelSpec spec_;
};

Result<void> SpecReader::read_field(const SpecField& field) {
  if (!field.is_of(spec_)) return {};
  if (field.is_prefix) {
    for (const MetadataEntry& entry : entries_) {
      if (entry.key.starts_with(field.key)) EMBD_TRY(field.read(entry, spec_));
    }
    return {};
  }
  const MetadataEntry* entry = find(field.key);
  if (entry != nullptr) return field.read(*entry, spec_);
  if (field.presence != Presence::required) return {};
  return missing(field);
}

/// Checks that a tokenizer that is not WordPiece has all of its keys; without them, texts would get
/// other tokens.
Result<void> SpecReader::check_tokenizer() const {
  const auto require = [&](std::initializer_list<SpecField> needed) -> Result<void> {
    for (const SpecField& field : needed)
      if (find(field.key) == nullptr) return missing(field);
    return {};
  };
  switch (spec_.tokenizer) {
    case TokenizerKind::unigram:
      return require({do_lower_case, normalizer_rule, pre_tokenizer});
    case TokenizerKind::bpe:
      return require({do_lower_case, word_pattern});
    case TokenizerKind::wordpiece:
      break;
  }
  return {};
}

Result<void> SpecReader::check_sizes() const {
  if (spec_.num_heads == 0 || (spec_.head_size == 0 && spec_.hidden % spec_.num_heads != 0)) {
    return contradiction(
        key_of(&ModelSpec::num_heads),
        fmt::format("{}, expected a divisor of hidden_size, {}", spec_.num_heads, spec_.hidden));
  }
  if (const auto all = std::uint64_t{spec_.num_heads} * spec_.head_size;
      all > ModelSpec::most_head_components) {
    return contradiction(head_size.key, fmt::format("all heads have {} components, expected at "
                                                    "most {}",
                                                    all, ModelSpec::most_head_components));
  }
  if (spec_.num_heads % spec_.key_heads() != 0) {
    return contradiction(num_key_heads.key,
                         fmt::format("{}, expected a divisor of num_attention_heads, {}",
                                     spec_.num_key_heads, spec_.num_heads));
  }
  const bool has_pairs = spec_.head == HeadKind::classifier;
  if (const unsigned most = has_pairs ? spec_.token_template().second_type : 0;
      spec_.token_types > 0 && spec_.token_types <= most) {
    return contradiction(
        key_of(&ModelSpec::token_types),
        fmt::format("{}, but the model's texts have types up to {}", spec_.token_types, most));
  }
  if (spec_.max_positions < std::uint64_t{spec_.position_offset} + spec_.least_length()) {
    return contradiction(key_of(&ModelSpec::max_positions),
                         fmt::format("{} leaves no room for a token beside the special tokens",
                                     spec_.max_positions));
  }
  return {};
}

/// Checks the poolings that are joined, and the length of a vector, which follows from them.
Result<void> SpecReader::check_poolings() const {
  const MetadataEntry* joined = find(joined_poolings.key);
  const auto& list = spec_.joined_poolings;
  const bool is_joined = spec_.head == HeadKind::pooling && spec_.pooling == Pooling::joined;
  if (is_joined && joined == nullptr) return missing(joined_poolings);
  if (is_joined && (list.empty() || list.size() > most_poolings ||
                    std::ranges::find(list, Pooling::joined) != list.end())) {
    return fail_at(ErrorCode::metadata_value, *joined,
                   "'{}', expected 1 to {} poolings, such as cls,mean", joined->value,
                   most_poolings);
  }
  std::uint32_t dim = 0;
  EMBD_TRY(read_value(*find(embedding_dim.key), dim));
  if (dim == spec_.full_dim()) return {};
  if (!spec_.modules.empty()) {
    return contradiction(embedding_dim.key, fmt::format("{}, but the last of the modules makes {}",
                                                        dim, spec_.full_dim()));
  }
  return contradiction(embedding_dim.key,
                       is_joined ? fmt::format("{}, but {} poolings of {} components are joined",
                                               dim, list.size(), spec_.hidden)
                                 : fmt::format("{}, but hidden_size is {}", dim, spec_.hidden));
}

/// Checks that a stated length fits the positions. The default length is reduced to them.
Result<void> SpecReader::check_length() {
  std::uint32_t& length = spec_.max_seq_length;
  if (find(max_seq_length.key) == nullptr) {
    length = std::min(default_max_seq_length, spec_.max_tokens());
    return {};
  }
  if (length >= spec_.least_length() && length <= spec_.max_tokens()) return {};
  return contradiction(max_seq_length.key,
                       fmt::format("{}, expected {} to {}, the number of positions of a text",
                                   length, spec_.least_length(), spec_.max_tokens()));
}

Result<void> SpecReader::check_default_prompt() const {
  const MetadataEntry* entry = find(default_prompt_name.key);
  if (entry == nullptr ||
      std::ranges::find(spec_.prompts, entry->value, &Prompt::name) != spec_.prompts.end()) {
    return {};
  }
  return fail_at(ErrorCode::metadata_value, *entry, "there is no prompt '{}'", entry->value);
}

Result<void> SpecReader::check_dim() {
  if (find(truncate_dim.key) == nullptr || !truncate_dim.is_of(spec_)) {
    spec_.dim = spec_.full_dim();
    return {};
  }
  if (spec_.dim >= 1 && spec_.dim <= spec_.full_dim()) return {};
  return contradiction(truncate_dim.key, fmt::format("{}, expected 1 to {}, {}", spec_.dim,
                                                     embedding_dim.key, spec_.full_dim()));
}

}  // namespace

Result<ModelSpec> read_spec(std::span<const MetadataEntry> entries, std::uint64_t section_at) {
  return SpecReader(entries, section_at).read();
}

std::vector<std::pair<std::string, std::string>> metadata_of(const ModelSpec& spec) {
  Metadata metadata;
  for (const SpecField& field : fields) {
    if (field.is_of(spec)) field.write(field, spec, metadata);
  }
  return metadata;
}

const MetadataEntry* find_unknown_key(std::span<const MetadataEntry> entries) noexcept {
  for (const MetadataEntry& entry : entries) {
    const auto is_its_key = [&](const SpecField& field) {
      return field.is_prefix ? entry.key.starts_with(field.key) : entry.key == field.key;
    };
    if (std::ranges::none_of(fields, is_its_key)) return &entry;
  }
  return nullptr;
}

std::uint16_t needed_minor(std::span<const std::pair<std::string, std::string>> metadata) noexcept {
  std::uint16_t minor = 0;
  for (const SpecField& field : fields) {
    if (std::ranges::find(metadata, field.key, [](const auto& entry) {
          return std::string_view(entry.first);
        }) != metadata.end()) {
      minor = std::max(minor, field.since);
    }
  }
  return minor;
}

std::string_view key_of(SpecNumber number) noexcept {
  const auto found = std::ranges::find(fields, number, &SpecField::number);
  return found == fields.end() ? std::string_view() : found->key;
}

}  // namespace embd
