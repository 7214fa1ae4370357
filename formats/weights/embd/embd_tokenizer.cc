#include "formats/weights/embd/embd_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"
#include "tokenizer/double_array.h"

namespace embd {

namespace layout = embd_layout;
using layout::Field;

namespace {

/// Finds the first token that occurs twice. Returns its id and the error without its place.
std::optional<std::pair<std::size_t, Error>> find_repeated_token(
    std::span<const std::string_view> tokens) {
  std::unordered_map<std::string_view, std::size_t> ids;
  ids.reserve(tokens.size());
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    const auto [first, is_new] = ids.try_emplace(tokens[id], id);
    if (is_new) continue;
    return std::pair(id, Error(ErrorCode::duplicate_token,
                               fmt::format("token: '{}' has the ids {} and {}",
                                           printable(tokens[id]), first->second, id)));
  }
  return std::nullopt;
}

class VocabularyParser : private EmbdParser {
 public:
  VocabularyParser(Bytes file, const EmbdSection& section, std::uint32_t expected,
                   TokenizerKind kind)
      : EmbdParser(file), section_(section), expected_(expected), kind_(kind) {}

  Result<EmbdVocabulary> parse();

 private:
  Result<std::uint64_t> place_special_ids(std::uint32_t stated) const;
  Result<void> read_tokens(std::uint64_t at, std::uint64_t end, std::uint32_t count);
  Result<void> check_tokens_distinct() const;
  Result<void> read_special_ids(std::uint64_t at);

  const EmbdSection section_;
  const std::uint32_t expected_;
  const TokenizerKind kind_;
  EmbdVocabulary found_;
};

Result<EmbdVocabulary> VocabularyParser::parse() {
  namespace v = layout::vocab;
  constexpr std::uint64_t fixed = layout::vocab_header_bytes + layout::special_ids_bytes;
  if (section_.size < fixed) {
    return fail_at(ErrorCode::vocabulary_size, 0, layout::header::vocab_size,
                   "the section has {} bytes, but its header and the special ids alone take {}",
                   section_.size, fixed);
  }
  const std::uint64_t start = section_.start;
  const auto count = field<std::uint32_t>(start, v::token_count);
  const std::uint64_t total = field<std::uint32_t>(start, v::total_size);
  const auto stated = field<std::uint32_t>(start, v::special_tokens);
  const std::uint64_t special_at = EMBD_TRY(place_special_ids(stated));

  // The ids stand directly after the header, or anywhere after the entries.
  const bool special_first = special_at == start + layout::vocab_header_bytes;
  const std::uint64_t entries_at = start + (special_first ? fixed : layout::vocab_header_bytes);
  if (total > section_.end() - entries_at) {
    return fail_at(ErrorCode::vocabulary_size, start, v::total_size,
                   "the tokens take {} bytes, but only {} are left", total,
                   section_.end() - entries_at);
  }
  if (!special_first && special_at < entries_at + total) {
    return fail_at(ErrorCode::special_tokens_offset, start, v::special_tokens,
                   "{} lies inside the entries of the tokens, {} to {}", stated, entries_at,
                   entries_at + total);
  }
  EMBD_TRY(read_tokens(entries_at, entries_at + total, count));
  if (count != expected_) {
    return fail_at(ErrorCode::vocabulary_count, start, v::token_count,
                   "{}, but vocab_size in the metadata is {}", count, expected_);
  }
  EMBD_TRY(read_special_ids(special_at));
  return std::move(found_);
}

/// Returns the place of the ids in the file. A stated value below the start of the section is
/// relative to it.
Result<std::uint64_t> VocabularyParser::place_special_ids(std::uint32_t stated) const {
  const std::uint64_t at = stated < section_.start ? section_.start + stated : stated;
  if (at < section_.start + layout::vocab_header_bytes ||
      at + layout::special_ids_bytes > section_.end()) {
    return fail_at(ErrorCode::special_tokens_offset, section_.start, layout::vocab::special_tokens,
                   "{} leaves no room for the ids in the section, {} to {}", stated, section_.start,
                   section_.end());
  }
  return at;
}

Result<void> VocabularyParser::read_tokens(std::uint64_t at, std::uint64_t end,
                                           std::uint32_t count) {
  namespace v = layout::vocab;
  if (count > (end - at) / layout::token_header_bytes) {
    return fail_at(ErrorCode::vocabulary_entry_out_of_bounds, section_.start, v::token_count,
                   "{} tokens do not fit in {} bytes", count, end - at);
  }
  found_.tokens.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (end - at < layout::token_header_bytes) {
      return fail_at(ErrorCode::vocabulary_entry_out_of_bounds, section_.start, v::token_count,
                     "{}, but the entries end before token {}", count, i);
    }
    const std::uint64_t length = load<std::uint16_t>(bytes_.subspan(at));
    const std::uint64_t left = end - at - layout::token_header_bytes;
    if (length > left) {
      return fail_at(ErrorCode::vocabulary_entry_out_of_bounds, at, {"token_length", 0},
                     "{} bytes are needed for token {}, but only {} are left", length, i, left);
    }
    at += layout::token_header_bytes;
    const std::string_view token = text(at, length);
    if (const auto bad = find_invalid_utf8(token)) {
      return fail_at(ErrorCode::invalid_utf8, at, {"token", 0}, "token {} from its byte {} on", i,
                     *bad);
    }
    found_.tokens.push_back(token);
    at += length;
  }
  if (at != end) {
    return fail_at(ErrorCode::vocabulary_size, section_.start, v::total_size,
                   "after {} tokens, {} bytes are left, expected none", count, end - at);
  }
  return check_tokens_distinct();
}

Result<void> VocabularyParser::check_tokens_distinct() const {
  if (kind_ != TokenizerKind::wordpiece) return {};
  auto repeated = find_repeated_token(found_.tokens);
  if (!repeated) return {};
  auto& [id, error] = *repeated;
  return std::unexpected(std::move(error).at_offset(place_of(found_.tokens[id])));
}

Result<void> VocabularyParser::read_special_ids(std::uint64_t at) {
  namespace s = layout::special;
  const auto read = [&](const Field& where) -> Result<std::int32_t> {
    const auto id = field<std::uint32_t>(at, where);
    if (id >= found_.tokens.size()) {
      return fail_at(ErrorCode::special_token_id, at, where, "{}, but there are {} tokens", id,
                     found_.tokens.size());
    }
    return static_cast<std::int32_t>(id);
  };
  found_.special.pad = EMBD_TRY(read(s::pad_id));
  found_.special.unk = EMBD_TRY(read(s::unk_id));
  found_.special.cls = EMBD_TRY(read(s::cls_id));
  found_.special.sep = EMBD_TRY(read(s::sep_id));
  found_.special.mask = EMBD_TRY(read(s::mask_id));
  return {};
}

}  // namespace

Result<EmbdVocabulary> read_vocabulary(Bytes file, const EmbdSection& section,
                                       std::uint32_t expected, TokenizerKind kind) {
  return VocabularyParser(file, section, expected, kind).parse();
}

Result<EmbdVocabulary> given_vocabulary(std::span<const std::string> tokens, TokenizerKind kind) {
  EmbdVocabulary found;
  found.tokens.assign(tokens.begin(), tokens.end());
  if (auto repeated = find_repeated_token(found.tokens))
    return std::unexpected(std::move(repeated->second));
  const auto find = [&](std::string_view token) -> Result<std::int32_t> {
    const auto it = std::ranges::find(found.tokens, token);
    if (it != found.tokens.end()) return static_cast<std::int32_t>(it - found.tokens.begin());
    return fail(ErrorCode::special_token_id,
                "the vocabulary that was given does not contain the special token {}", token);
  };
  const auto [pad, unk, cls, sep, mask] = special_token_names(kind);
  found.special.pad = EMBD_TRY(find(pad));
  found.special.unk = EMBD_TRY(find(unk));
  found.special.cls = EMBD_TRY(find(cls));
  found.special.sep = EMBD_TRY(find(sep));
  found.special.mask = EMBD_TRY(find(mask));
  return found;
}

namespace {

namespace d = embd_layout::descriptor;

constexpr const char* dimensions(unsigned rank) {
  return rank == 1 ? "one dimension" : "two dimensions";
}

/// Checks that the values can be used in place.
Result<void> check_alignment(const Tensor& tensor, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(tensor.data.data()) % alignment == 0) return {};
  return fail_at(ErrorCode::tensor_misaligned, tensor.descriptor_at, d::data_offset,
                 "{} lies at byte {}, expected a multiple of {}", tensor.name, tensor.file_offset,
                 alignment);
}

}  // namespace

Result<const Tensor*> find_tokenizer_table(const TensorIndex& index, std::string_view name,
                                           ElementType type, unsigned rank,
                                           std::uint64_t index_at) {
  const Tensor* tensor = index.find(name);
  if (tensor == nullptr) {
    return fail_at(index_at, ErrorCode::tensor_missing, std::string(name));
  }
  const std::uint64_t at = tensor->descriptor_at;
  if (tensor->type != type) {
    return fail_at(ErrorCode::tensor_wrong_type, at, d::dtype, "{} is {}, expected {}", name,
                   element_name(tensor->type), element_name(type));
  }
  if (tensor->shape.rank != rank) {
    return fail_at(ErrorCode::tensor_wrong_shape, at, d::ndim, "{} is {}, expected {}", name,
                   tensor->shape.text(), dimensions(rank));
  }
  EMBD_TRY(check_alignment(*tensor, element_bits(type) / 8));
  return tensor;
}

Result<const Tensor*> find_pairs(const TensorIndex& index, std::string_view name,
                                 std::uint64_t index_at) {
  const Tensor* pairs = EMBD_TRY(find_tokenizer_table(index, name, ElementType::u32, 2, index_at));
  if (pairs->shape.dims[1] == 2) return pairs;
  return fail_at(ErrorCode::tensor_wrong_shape, pairs->descriptor_at, d::shape[1],
                 "{} is {}, expected two columns", name, pairs->shape.text());
}

namespace {

Result<const Tensor*> find_table(const TensorIndex& index, UnigramTable table, ElementType type,
                                 std::uint64_t index_at) {
  return find_tokenizer_table(index, table_name(table), type, 1, index_at);
}

/// Finds the scores: f32, or pairs of u32 with the bits of f64, a type that tensors cannot have.
Result<const Tensor*> find_scores(const TensorIndex& index, std::uint64_t index_at) {
  const std::string_view name = table_name(UnigramTable::scores);
  const Tensor* found = index.find(name);
  if (found == nullptr || found->type != ElementType::u32)
    return find_table(index, UnigramTable::scores, ElementType::f32, index_at);
  const Tensor* pairs = EMBD_TRY(find_pairs(index, name, index_at));
  EMBD_TRY(check_alignment(*pairs, sizeof(double)));
  return pairs;
}

unigram::Scores values_of(const Tensor& scores) {
  if (const auto floats = view_floats(scores)) return *floats;
  return std::span(reinterpret_cast<const double*>(scores.data.data()), scores.shape.dims[0]);
}

/// Returns the tokens that the model cuts words into. Tokens behind them are only added.
std::span<const std::string_view> pieces_of(const WeightFile& file) {
  return file.vocab().first(unigram::size_of(file.unigram_tables().scores));
}

/// Returns the least number of pieces: every token behind the pieces is an added one.
std::uint32_t least_pieces(const ModelSpec& spec) {
  std::vector<std::uint32_t> ids;
  for (const AddedToken& token : spec.added_tokens)
    ids.push_back(static_cast<std::uint32_t>(token.id));
  std::ranges::sort(ids);
  std::uint32_t least = spec.vocab_size;
  for (; !ids.empty() && ids.back() + 1 == least; ids.pop_back()) --least;
  return least;
}

/// Reads the character map. Its errors name a byte of the map, which becomes a byte of the file.
Result<unigram::CharacterMap> read_character_map(const Tensor& tensor) {
  auto map = unigram::CharacterMap::create(tensor.data);
  if (map) return map;
  const Error& error = map.error();
  return fail_at(tensor.file_offset + error.offset().value_or(0), error.code(), "{}: {}",
                 tensor.name, error.what());
}

/// Makes the tensor of a table from a copy of its bytes.
TensorSource table_of(UnigramTable table, ElementType type, TensorShape shape, Bytes values) {
  return {.name = std::string(table_name(table)),
          .type = type,
          .shape = shape,
          .read = [copy = std::vector(values.begin(), values.end())](
                      std::vector<std::byte>& bytes) -> Result<void> {
            bytes = copy;
            return {};
          }};
}

TensorSource scores_tensor(std::span<const double> scores) {
  const auto count = static_cast<std::uint32_t>(scores.size());
  const std::vector<float> floats(scores.begin(), scores.end());
  if (std::ranges::equal(floats, scores))
    return table_of(UnigramTable::scores, ElementType::f32, {count},
                    std::as_bytes(std::span(floats)));
  return table_of(UnigramTable::scores, ElementType::u32, {count, 2}, std::as_bytes(scores));
}

}  // namespace

Result<UnigramTables> find_unigram_tables(const TensorIndex& index, const ModelSpec& spec,
                                          std::uint64_t index_at) {
  const std::uint32_t vocab_size = spec.vocab_size;
  const Tensor* scores = EMBD_TRY(find_scores(index, index_at));
  const std::uint32_t num_pieces = scores->shape.dims[0];
  if (num_pieces > vocab_size || num_pieces < least_pieces(spec)) {
    return fail_at(ErrorCode::tensor_wrong_shape, scores->descriptor_at, d::shape[0],
                   "{} is {}, but there are {} tokens", scores->name, scores->shape.text(),
                   vocab_size);
  }
  UnigramTables tables;
  tables.scores = values_of(*scores);
  tables.trie = EMBD_TRY(find_table(index, UnigramTable::trie, ElementType::u32, index_at));
  tables.character_map =
      EMBD_TRY(find_table(index, UnigramTable::character_map, ElementType::u8, index_at));
  return tables;
}

Result<std::unique_ptr<const UnigramTokenizer>> make_unigram_tokenizer(const WeightFile& file) {
  const UnigramTables& tables = file.unigram_tables();
  const ModelSpec& spec = file.spec();
  const auto characters = EMBD_TRY(read_character_map(*tables.character_map));
  return UnigramTokenizer::create(
      {.pieces = {.texts = pieces_of(file), .scores = tables.scores, .trie = tables.trie->data},
       .tokens = file.vocab(),
       .characters = characters,
       .special = file.special_tokens(),
       .added = spec.tokens_in_texts(file.special_tokens())},
      {.words = spec.words,
       .pieces = {.unk = spec.unknown_piece.value_or(file.special_tokens().unk),
                  .byte_fallback = spec.byte_fallback},
       .pair_template = spec.pair_template,
       .has_types = spec.token_types > 0});
}

Result<void> check_unigram(const WeightFile& file) {
  EMBD_TRY(make_unigram_tokenizer(file));
  const Tensor& trie = *file.unigram_tables().trie;
  const std::span units(reinterpret_cast<const std::uint32_t*>(trie.data.data()),
                        trie.num_values());
  auto checked = check_double_array(units, pieces_of(file));
  if (checked) return {};
  return std::unexpected(std::move(checked).error().at_offset(trie.file_offset));
}

Result<std::vector<TensorSource>> unigram_tensors(std::span<const std::string> tokens,
                                                  std::span<const double> scores,
                                                  std::string_view character_map) {
  const auto pieces = tokens.first(scores.size());
  const std::vector<std::string_view> keys(pieces.begin(), pieces.end());
  const std::vector<std::uint32_t> units = EMBD_TRY(build_double_array(keys));
  const auto num_units = static_cast<std::uint32_t>(units.size());
  const auto map_bytes = static_cast<std::uint32_t>(character_map.size());
  return std::vector{
      scores_tensor(scores),
      table_of(UnigramTable::trie, ElementType::u32, {num_units}, std::as_bytes(std::span(units))),
      table_of(UnigramTable::character_map, ElementType::u8, {map_bytes}, as_bytes(character_map))};
}

Result<std::span<const std::uint32_t>> find_merges(const TensorIndex& index,
                                                   std::uint64_t index_at) {
  const Tensor* merges = EMBD_TRY(find_pairs(index, merges_name(), index_at));
  return std::span(reinterpret_cast<const std::uint32_t*>(merges->data.data()),
                   merges->num_values());
}

Result<std::unique_ptr<const BpeTokenizer>> make_bpe_tokenizer(const WeightFile& file) {
  const ModelSpec& spec = file.spec();
  return BpeTokenizer::create(
      {.tables = {.tokens = file.vocab(), .merges = file.merges()},
       .special = file.special_tokens(),
       .added = spec.tokens_in_texts(file.special_tokens())},
      {.rules = spec.bpe, .pair_template = spec.pair_template, .has_types = spec.token_types > 0});
}

Result<void> check_bpe(const WeightFile& file) {
  static_cast<void>(EMBD_TRY(make_bpe_tokenizer(file)));
  return {};
}

TensorSource merges_tensor(std::span<const std::uint32_t> merges) {
  const Bytes values = std::as_bytes(merges);
  return {.name = std::string(merges_name()),
          .type = ElementType::u32,
          .shape = {static_cast<std::uint32_t>(merges.size() / 2), 2},
          .read = [copy = std::vector(values.begin(), values.end())](
                      std::vector<std::byte>& bytes) -> Result<void> {
            bytes = copy;
            return {};
          }};
}

}  // namespace embd
